//! Cargo does not see by itself that the migrations and the web client are compiled in.

fn main() {
    println!("cargo::rerun-if-changed=../migrations");
    // A build with debug assertions reads the web client from its folder while it runs.
    if std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_none() {
        println!("cargo::rerun-if-changed=web");
    }
}
