//! The server's program, built together with the tests, so that those which kill it never meet an old one.

fn main() -> std::process::ExitCode {
    stakeboard_server::cli::main()
}
