//! Linker flags of the preloaded library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The constructor must run before those of the program's own libraries, which register device code with
    // the runtime that this library replaces.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    // The loader takes the library for the CUDA driver's, whichever way a program asks for that.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Calls among the library's own entry points stay in the library.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
