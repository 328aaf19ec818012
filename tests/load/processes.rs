//! What processes have used, from `/proc`.

use std::{fs, path::Path, time::Duration};

use nix::unistd::{SysconfVar, sysconf};

/// A process, or a process and all it has started.
#[derive(Clone, Copy, Debug)]
pub struct Processes {
    pid: u32,
    children: bool,
}

impl Processes {
    /// One process.
    pub fn one(pid: u32) -> Self {
        Self { pid, children: false }
    }

    /// A process with its children, those that have ended too.
    pub fn with_children(pid: u32) -> Self {
        Self { pid, children: true }
    }

    /// Processor time so far, user and system.
    pub fn processor(self) -> Duration {
        let mut ticks = 0;
        if let Some(stat) = Stat::read(self.pid) {
            ticks += stat.ticks + if self.children { stat.children } else { 0 };
        }
        if self.children {
            ticks += all().filter(|stat| stat.parent == self.pid).map(|stat| stat.ticks).sum::<u64>();
        }
        let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten().and_then(|ticks| u64::try_from(ticks).ok());
        Duration::from_millis(ticks * 1_000 / per_second.unwrap_or(100))
    }

    /// Of several processes that are known one by one.
    pub fn processor_of(pids: &[u32]) -> Duration {
        pids.iter().map(|&pid| Self::one(pid).processor()).sum()
    }

    /// Resident memory of the process itself, in bytes.
    pub fn resident(self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1_024
    }
}

struct Stat {
    parent: u32,
    ticks: u64,
    /// Of children that have ended and were waited for.
    children: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        Self::at(&Path::new("/proc").join(pid.to_string()))
    }

    fn at(process: &Path) -> Option<Self> {
        let stat = fs::read_to_string(process.join("stat")).ok()?;
        // After the name, which can hold anything, the third field of proc(5) comes first.
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let number = |place: usize| fields.get(place - 3)?.parse::<u64>().ok();
        Some(Self {
            parent: u32::try_from(number(4)?).ok()?,
            ticks: number(14)? + number(15)?,
            children: number(16)? + number(17)?,
        })
    }
}

fn all() -> impl Iterator<Item = Stat> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        Stat::at(&entry.path())
    })
}
