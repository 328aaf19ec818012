//! Cargo does not see by itself that the migrations are compiled in.

fn main() {
    println!("cargo::rerun-if-changed=../migrations");
}
