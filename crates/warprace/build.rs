//! Passes on the folder in which cargo puts the libraries that the program contains
//! (`src/library/embedded.rs`).

use std::path::Path;

fn main() {
    // Any change in the libraries rebuilds the program that contains them.
    println!("cargo::rerun-if-changed=..");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    // `OUT_DIR` is `PROFILE/build/warprace-HASH/out`; dependencies are in `PROFILE/deps`.
    let profile = Path::new(&out).ancestors().nth(3).expect("cargo's own layout");
    println!("cargo::rustc-env=WARPRACE_BUILT={}", profile.join("deps").display());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    println!("cargo::rustc-env=WARPRACE_BUILT_AT={}", now.map_or(0, |time| time.as_nanos()));
}
