//! `warprace replay`: a launch that was saved, once more.
//!
//! warprace itself is the program that runs: with the library preloaded, its hidden command `launch` calls the
//! library's function that launches what the file holds. Everything else is as of any program.

use crate::options::{LaunchArgs, ReplayArgs};
use crate::{exit, run, terminal};
use snapshot::{Launch, Limits, Range, Target};
use std::ffi::{CString, OsString, c_char, c_int};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(crate) fn replay(args: ReplayArgs) -> u8 {
    // All of it, so that what is wrong with it is said before anything runs.
    let devices = match devices(&args.file) {
        Ok(devices) => devices,
        Err(why) => {
            terminal::error(&format!("{}: {why}", args.file.display()));
            terminal::help("save one with `warprace run --save-launch FILE -- PROGRAM`");
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

/// How many devices the launch was made for, if the file is good.
pub(crate) fn devices(file: &Path) -> Result<u32, String> {
    let file = File::open(file).map_err(|e| terminal::plain(&e))?;
    let mut counted = Devices(1);
    snapshot::read(BufReader::new(file), Limits::default(), &mut counted).map_err(|e| e.to_string())?;
    Ok(counted.0)
}

struct Devices(u32);

impl Target for Devices {
    fn launch(&mut self, launch: Launch) -> Result<(), String> {
        self.0 = launch.devices;
        Ok(())
    }

    fn range(&mut self, _: Range) -> Result<(), String> {
        Ok(())
    }

    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// The hidden command that `replay` runs.
pub(crate) fn launch(args: &LaunchArgs) -> u8 {
    // SAFETY: a C string; the search has no other preconditions.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"warprace_launch_saved".as_ptr()) };
    if function.is_null() {
        terminal::error("this command is for `warprace replay`, which runs it with its library");
        return exit::USAGE;
    }
    let Ok(path) = CString::new(args.file.as_os_str().as_bytes()) else { return exit::USAGE };
    // SAFETY: the library exports a function of that name with this signature.
    let launch: unsafe extern "C-unwind" fn(*const c_char) -> c_int =
        unsafe { std::mem::transmute(function) };
    // SAFETY: it reads the string.
    let code = unsafe { launch(path.as_ptr()) };
    u8::from(code != 0)
}
