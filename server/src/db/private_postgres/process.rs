//! The running postmaster, and what a crash may leave running of an earlier one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{START_LIMIT, poll};

/// Postgres's fast shutdown, its immediate one, and the end; and how long each may take.
const STOP: [(Signal, Duration); 3] = [
    (FAST_SHUTDOWN, Duration::from_secs(20)),
    (Signal::SIGQUIT, Duration::from_secs(5)),
    (Signal::SIGKILL, Duration::from_secs(5)),
];

/// How often the postmaster is looked at.
const LOOK: Duration = Duration::from_millis(200);

const FAST_SHUTDOWN: Signal = Signal::SIGINT;

/// A postmaster that this process started.
#[derive(Debug)]
pub(super) struct Postmaster {
    pid: u32,
    ended: Arc<AtomicBool>,
    stop: Option<mpsc::Sender<()>>,
    owner: Option<thread::JoinHandle<()>>,
}

#[derive(Debug)]
pub(super) enum StartFailure {
    NotRun(io::Error),
    Ended,
    Late,
}

impl Postmaster {
    /// Runs `command`, a postmaster of the cluster in `data`, and waits until it is ready.
    ///
    /// A thread of its own does that and then keeps it: the kernel's promise to stop a child with
    /// its parent is about the thread that made it, and the caller's may end long before the
    /// process does.
    pub(super) fn start(command: Command, data: PathBuf) -> Result<Self, StartFailure> {
        let (report, reported) = mpsc::channel();
        let (stop, stopped) = mpsc::channel::<()>();
        let ended = Arc::new(AtomicBool::new(false));
        let seen_ended = Arc::clone(&ended);
        let owner = thread::Builder::new()
            .name("postgres-owner".to_owned())
            .spawn(move || match launch(command, &data) {
                Ok(mut child) => {
                    // Nobody listening is as good as a request to stop.
                    if report.send(Ok(child.id())).is_ok() {
                        while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                            seen_ended.store(has_ended(&mut child), Ordering::Relaxed);
                        }
                    }
                    stop_child(&mut child);
                }
                Err(failure) => {
                    let _ = report.send(Err(failure));
                }
            })
            .map_err(StartFailure::NotRun)?;
        let pid = reported.recv().unwrap_or(Err(StartFailure::Ended))?;
        Ok(Self { pid, ended, stop: Some(stop), owner: Some(owner) })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it died without being stopped, as was seen a moment ago.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Returns once it is gone. A second call does nothing.
    pub(super) fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(owner) = self.owner.take()
            && owner.join().is_err()
        {
            tracing::error!(pid = self.pid, "the thread that keeps the private Postgres broke down");
        }
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        self.stop();
    }
}

fn launch(mut command: Command, data: &Path) -> Result<Child, StartFailure> {
    end_with_this_thread(&mut command, FAST_SHUTDOWN);
    leave_process_group(&mut command);
    let mut child = command.spawn().map_err(StartFailure::NotRun)?;
    let outcome = poll(START_LIMIT, || {
        if is_ready(data, child.id()) {
            Some(Ok(()))
        } else {
            has_ended(&mut child).then_some(Err(StartFailure::Ended))
        }
    });
    match outcome.unwrap_or(Err(StartFailure::Late)) {
        Ok(()) => Ok(child),
        Err(failure) => {
            stop_child(&mut child);
            Err(failure)
        }
    }
}

/// Ctrl-C at the terminal is for this process, which drains its work before it stops Postgres.
fn leave_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

/// As `pg_ctl --wait` asks: the eighth line of the pid file.
fn is_ready(data: &Path, pid: u32) -> bool {
    let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else {
        return false;
    };
    let mut lines = text.lines();
    lines.next() == Some(&pid.to_string()) && lines.nth(6).is_some_and(|it| it.trim() == "ready")
}

fn stop_child(child: &mut Child) {
    for (signal, limit) in STOP {
        // Not yet waited for, so the number cannot have become somebody else's.
        if has_ended(child) {
            return;
        }
        send(child.id(), signal);
        if poll(limit, || has_ended(child).then_some(())).is_some() {
            return;
        }
        tracing::warn!(pid = child.id(), %signal, "the private Postgres does not stop");
    }
}

fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn send(pid: u32, signal: Signal) {
    if let Ok(pid) = i32::try_from(pid) {
        // One that is gone already needs no signal.
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// Kills the command's process when the calling thread ends.
pub(super) fn kill_with_this_thread(command: &mut Command) {
    end_with_this_thread(command, Signal::SIGKILL);
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "only the child itself can ask to be signalled when its parent dies")]
fn end_with_this_thread(command: &mut Command, signal: Signal) {
    use nix::errno::Errno;
    use nix::sys::prctl::set_pdeathsig;
    use nix::unistd::getppid;
    use std::os::unix::process::CommandExt as _;

    let parent = Pid::this();
    // SAFETY: between fork and exec this makes two system calls and nothing else: it takes no lock
    // and no memory, also where it fails. It runs after the change of user, which would undo it.
    unsafe {
        command.pre_exec(move || {
            set_pdeathsig(signal)?;
            // The parent may have died before it was asked for.
            if getppid() == parent { Ok(()) } else { Err(Errno::ESRCH.into()) }
        });
    }
}

/// Elsewhere there is no such thing, and the next start stops what was left running.
#[cfg(not(target_os = "linux"))]
fn end_with_this_thread(_: &mut Command, _: Signal) {}

/// A process of a cluster that no process of this project holds.
struct Survivor {
    pid: u32,
    /// The one that the others hang on, and the only one that knows how to shut down.
    is_postmaster: bool,
}

/// Stops every Postgres process that works in `folder`, or says which would not go.
pub(super) fn stop_all_in(folder: &Path) -> Result<(), Vec<u32>> {
    for (signal, limit) in STOP {
        // To all but the postmaster that signal means other things. And they would not notice that
        // it died under it: one that is busy writes on, so they are left to the next step at once.
        let addressed = || pids(survivors_in(folder).filter(|it| it.is_postmaster || signal != FAST_SHUTDOWN));
        let told = addressed();
        if told.is_empty() {
            continue;
        }
        tracing::warn!(
            folder = %folder.display(),
            pids = ?told,
            %signal,
            "stopping what was left running of a Postgres that died or lost its server"
        );
        for pid in told {
            send(pid, signal);
        }
        let _ = poll(limit, || addressed().is_empty().then_some(()));
    }
    let left = pids(survivors_in(folder));
    if left.is_empty() { Ok(()) } else { Err(left) }
}

fn pids(survivors: impl Iterator<Item = Survivor>) -> Vec<u32> {
    survivors.map(|survivor| survivor.pid).collect()
}

/// Found by where they run. The pid file may be missing, or name a process that has nothing to do
/// with it; a shell that stands in the folder is not Postgres.
#[cfg(target_os = "linux")]
fn survivors_in(folder: &Path) -> impl Iterator<Item = Survivor> {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    let wanted = identity(folder);
    let survivor = move |process: &Path| {
        let pid = process.file_name()?.to_str()?.parse().ok()?;
        let place = identity(&process.join("cwd"))?;
        if wanted != Some(place) {
            return None;
        }
        let name = fs::read_to_string(process.join("comm")).ok()?;
        // All but the postmaster show what they do in place of their arguments.
        let arguments = fs::read(process.join("cmdline")).ok()?;
        matches!(name.trim(), "postgres" | "postmaster")
            .then(|| Survivor { pid, is_postmaster: !arguments.starts_with(b"postgres: ") })
    };
    fs::read_dir("/proc").into_iter().flatten().filter_map(move |entry| survivor(&entry.ok()?.path()))
}

/// Without `/proc` only the pid file tells, checked against what that process was started with.
#[cfg(not(target_os = "linux"))]
fn survivors_in(folder: &Path) -> impl Iterator<Item = Survivor> {
    let survivor = || {
        let file = fs::read_to_string(folder.join("postmaster.pid")).ok()?;
        let pid: u32 = file.lines().next()?.parse().ok()?;
        let listing = Command::new("ps").args(["-o", "command=", "-p", &format!("{pid}")]).output().ok()?;
        let arguments = String::from_utf8_lossy(&listing.stdout);
        arguments.contains(folder.to_str()?).then_some(Survivor { pid, is_postmaster: true })
    };
    survivor().into_iter()
}
