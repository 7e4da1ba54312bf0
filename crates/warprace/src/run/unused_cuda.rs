//! Why nothing was checked: the program used neither the CUDA runtime nor the driver, as far as can be seen.

use super::check::Program;
use protocol::Results;
use report::Ending;
use report::describe::signal_name;
use std::ffi::OsStr;

/// A reason as a sentence fragment, and a hint.
pub(super) struct Why {
    pub(super) reason: String,
    pub(super) help: String,
}

/// The exit code of the dynamic loader.
const NOT_LOADED: i32 = 127;

pub(super) fn why(name: &OsStr, program: &Program, ending: Ending, results: &Results, gpu: bool) -> Why {
    let shown = name.to_string_lossy();
    let needs = |library: &str| program.needed.iter().find(|needed| needed.starts_with(library));
    let (reason, help) = if let Ending::Signal(signal) = ending {
        let reason = format!("{} ended `{shown}` before a kernel had run", signal_name(signal));
        (reason, "run it without warprace to see whether it ends in that way, too".to_owned())
    } else if gpu && !has_driver() {
        (
            "there is no NVIDIA driver (libcuda.so.1) on this machine".into(),
            "run it without --gpu: the virtual GPU needs neither a GPU nor a driver".into(),
        )
    } else if gpu {
        (
            format!("`{shown}` loaded no kernels through the CUDA driver"),
            "neither it nor any program it started did (those that are linked statically, have set-user-id rights or \
             clear LD_PRELOAD cannot be seen)"
                .into(),
        )
    } else if let Some(library) = needs("libcuda.so") {
        driver(format!("`{shown}` is linked to the CUDA driver ({library})"))
    } else if results.processes.iter().any(|process| process.seeks_driver) {
        driver(format!("`{shown}` loads the CUDA driver (libcuda.so)"))
    } else if let (Some(library), Ending::Exit(NOT_LOADED)) = (needs("libcudart.so"), ending) {
        (
            format!("the dynamic loader did not start `{shown}`: its message is above"),
            format!(
                "if it did not find {library}, name the toolkit's folder of libraries in LD_LIBRARY_PATH, or link with \
                 `nvcc -cudart static`"
            ),
        )
    } else if let Some(library) = needs("libasan.so").or_else(|| needs("libtsan.so")) {
        (
            format!(
                "`{shown}` is built with a sanitizer ({library}), which does not go with a preloaded library"
            ),
            "build it without `-fsanitize=…` to look for data races of its kernels".into(),
        )
    } else {
        (
            format!("`{shown}` is not a CUDA program"),
            "neither it nor any program it started used the CUDA runtime or the driver (those that are linked statically, have \
             set-user-id rights or clear LD_PRELOAD cannot be seen)"
                .into(),
        )
    };
    Why { reason, help }
}

/// Returns whether the driver's library can be loaded.
fn has_driver() -> bool {
    // SAFETY: the name is a C string; the library's initialisers run in every CUDA program.
    let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY) };
    !library.is_null()
}

fn driver(what: String) -> (String, String) {
    (
        format!("{what} and calls none of its functions"),
        "is it to launch kernels with these arguments?".into(),
    )
}
