//! The server's program.

/// A move is made of many small pieces of memory: what it costs is said in docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    stakeboard_server::cli::main()
}
