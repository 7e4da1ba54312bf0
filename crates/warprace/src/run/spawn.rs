//! Starts the user's process with the library preloaded, and waits for it.

use super::check::Program;
use super::descendants::{self, Starting};
use super::driver;
use super::signals;
use crate::{child, library};
use protocol::{OPTIONS_VARIABLE, RunOptions};
use report::Ending;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A started program.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
}

/// Where frameworks keep what they have compiled: machine code whose PTX is not known cannot be checked, so that under warprace
/// they keep it apart, unless the user says where.
const KEPT: [(&str, &str); 3] =
    [("CUPY_CACHE_DIR", "cupy"), ("TRITON_CACHE_DIR", "triton"), ("TORCHINDUCTOR_CACHE_DIR", "inductor")];

/// Names the library to which NVTX's headers pass their calls.
const NVTX: &str = "NVTX_INJECTION64_PATH";

pub(super) fn spawn(
    program: &Program,
    args: &[OsString],
    library: &Path,
    options: &RunOptions,
) -> io::Result<Child> {
    // The runtime of AddressSanitizer requires to be the first library.
    let first = program.needed.iter().find(|library| library.starts_with("libasan.so"));
    let mut preload = first.map_or_else(OsString::new, |first| format!("{first}:").into());
    preload.push(library);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|v| !v.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(&program.path);
    command.arg0(&args[0]).args(&args[1..]).env("LD_PRELOAD", preload);
    command.env(OPTIONS_VARIABLE, options.to_variable());
    // A profiler that the user has named there stays, unless the options need the ranges.
    let chooses = !options.nvtx_include.is_empty() || !options.nvtx_exclude.is_empty();
    if chooses || std::env::var_os(NVTX).is_none() {
        command.env(NVTX, library);
    }
    if let Some(cache) = library::cache() {
        for (variable, folder) in KEPT {
            if std::env::var_os(variable).is_none() {
                command.env(variable, cache.join("warprace").join(folder));
            }
        }
        if !options.engine.on_gpu() {
            driver::stand_in(&mut command, &cache.join("warprace/driver"), library);
        }
    }
    let warprace = std::process::id() as i32;
    // SAFETY: between fork and exec the closure makes system calls only and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            child::die_with(warprace);
            // Without address randomisation host addresses, and everything that programs derive from them,
            // are equal in every run. If a sandbox forbids this, runs are still valid.
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            Ok(())
        });
    }
    signals::pass_on_to_program();
    descendants::adopt();
    let starting = Starting::new();
    let process = command.spawn()?;
    starting.started(process.id());
    signals::begun(process.id() as i32);
    Ok(Child { process })
}

impl Child {
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for the program, and returns how it ended and whether it did so within the time limit. After the
    /// limit the program is asked to end, and killed if it does not.
    pub(super) fn wait(mut self, timeout: Option<u64>) -> io::Result<(Ending, bool)> {
        let (over, ended) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(false)));
        let id = self.pid() as i32;
        if let Some(seconds) = timeout {
            let (over, ended) = (over.clone(), ended.clone());
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(seconds));
                for signal in [libc::SIGTERM, libc::SIGKILL] {
                    // The process id stays valid until the process is waited for, which happens only after
                    // this lock is released.
                    let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                    if *ended {
                        return;
                    }
                    over.store(true, Ordering::SeqCst);
                    // The program's descendants are signalled too, since a shell does not pass a signal on.
                    descendants::signal_all(id as u32, signal);
                    // SAFETY: kill has no memory preconditions.
                    unsafe { libc::kill(id, signal) };
                    drop(ended);
                    std::thread::sleep(GRACE);
                }
            });
        }
        // `WNOWAIT` leaves the process unreaped, so no other process gets its id yet.
        loop {
            // SAFETY: all-zero is a value of this type, and the call fills it.
            let code = unsafe {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                libc::waitid(libc::P_PID, id as libc::id_t, &mut info, libc::WEXITED | libc::WNOWAIT)
            };
            if code == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
        *ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signals::ended(id);
        let status = self.process.wait()?;
        let ending = match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or(libc::SIGKILL)),
        };
        Ok((ending, !over.load(Ordering::SeqCst)))
    }
}

/// The time that a program has to end after its time limit.
const GRACE: Duration = Duration::from_secs(2);
