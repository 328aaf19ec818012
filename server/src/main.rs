//! The server's program.

fn main() -> std::process::ExitCode {
    stakeboard_server::cli::main()
}
