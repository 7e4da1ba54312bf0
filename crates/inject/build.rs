//! Linker flags of the preloaded library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The constructor must run before those of the program's own libraries, which register device code with
    // the runtime that this library replaces.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    // Calls between the library's own entry points are bound within the library.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
