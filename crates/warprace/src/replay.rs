//! `warprace replay`: runs a saved launch again, or makes the calls of a recorded session again.
//!
//! warprace itself is the program that runs: with the library preloaded, its hidden command `launch` calls
//! the library's function that performs the file's launch. The rest equals a run of any program.

use crate::options::{LaunchArgs, ReplayArgs};
use crate::{exit, run, terminal};
use std::ffi::{CString, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

pub(crate) fn replay(args: ReplayArgs) -> u8 {
    // The whole file is validated, so that errors are reported before anything runs.
    let devices = match run::is_session(&args.file) {
        true => run::session(&args.file).map(|session| session.header.devices),
        false => run::header(&args.file).map(|launch| launch.devices),
    };
    let devices = match devices {
        Ok(devices) => devices,
        Err(why) => {
            terminal::error(&format!("{}: {why}", args.file.display()));
            terminal::help(
                "save one with `warprace run --save-launch FILE -- PROGRAM`, or `--gpu --save-session FILE`",
            );
            return exit::UNCHECKABLE;
        }
    };
    let program = match std::env::current_exe() {
        Ok(path) => path.into_os_string(),
        Err(e) => {
            terminal::error(&format!("cannot tell where warprace itself is: {e}"));
            return exit::USAGE;
        }
    };
    let file = args.file.clone().into_os_string();
    run::run(&args.run(vec![program, OsString::from("launch"), file], devices))
}

/// Discards all further output of this process and its kernels.
fn silence() -> bool {
    // SAFETY: a C string, and descriptors that no Rust object in this process owns.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        nowhere >= 0 && [1, 2].iter().all(|&to| libc::dup2(nowhere, to) == to)
    }
}

/// Runs the hidden command of `replay`.
pub(crate) fn launch(args: &LaunchArgs) -> u8 {
    // SAFETY: a C string; the search has no other preconditions.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"warprace_launch_saved".as_ptr()) };
    if function.is_null() {
        terminal::error("this command is for `warprace replay`, which runs it with its library");
        return exit::USAGE;
    }
    let Ok(path) = CString::new(args.file.as_os_str().as_bytes()) else { return exit::USAGE };
    if args.silent && !silence() {
        return exit::USAGE;
    }
    // SAFETY: the library exports a function of that name with this signature.
    let launch: unsafe extern "C-unwind" fn(*const c_char) -> c_int =
        unsafe { std::mem::transmute(function) };
    // SAFETY: the function only reads the string.
    let code = unsafe { launch(path.as_ptr()) };
    u8::from(code != 0)
}
