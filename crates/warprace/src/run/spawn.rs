//! The user's process: started with the library preloaded, waited for, its signals passed on.

use super::check::Program;
use crate::library;
use protocol::{OPTIONS_VARIABLE, RunOptions};
use report::Ending;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A started program.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
}

/// The running program, for the signal handler; 0 if there is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Signals that ask warprace to end. The program is to answer them, not warprace: what it
/// found until then is still to be reported.
const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// Where frameworks keep what they have compiled: machine code of which nobody saw the PTX cannot be checked, so that under
/// engines of a GPU they keep it apart, unless the user says where.
const KEPT: [(&str, &str); 3] =
    [("CUPY_CACHE_DIR", "cupy"), ("TRITON_CACHE_DIR", "triton"), ("TORCHINDUCTOR_CACHE_DIR", "inductor")];

pub(super) fn spawn(
    program: &Program,
    args: &[OsString],
    library: &Path,
    options: &RunOptions,
) -> io::Result<Child> {
    // The runtime of AddressSanitizer insists on being the first of all libraries.
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
    if options.engine.on_gpu()
        && let Some(cache) = library::cache()
    {
        for (variable, folder) in KEPT {
            if std::env::var_os(variable).is_none() {
                command.env(variable, cache.join("warprace").join(folder));
            }
        }
    }
    let warprace = std::process::id() as i32;
    // SAFETY: between fork and exec the closure makes system calls only and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            // Whatever ends warprace ends the program; and if that was before the call, it ends here.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
            if libc::getppid() != warprace {
                libc::raise(libc::SIGKILL);
            }
            // Host addresses become the same in every run, and with them everything that programs
            // derive from addresses. Where a sandbox forbids this, runs are still valid.
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            Ok(())
        });
    }
    pass_signals_on();
    let process = command.spawn()?;
    // A launch that is checked beside the program takes nothing of what is meant for that.
    let _ = RUNNING.compare_exchange(0, process.id() as i32, Ordering::SeqCst, Ordering::SeqCst);
    Ok(Child { process })
}

impl Child {
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How it ended, and whether it did so within so many seconds: afterwards it is asked to end, and made to
    /// if it does not.
    pub(super) fn wait(mut self, timeout: Option<u64>) -> io::Result<(Ending, bool)> {
        let (over, ended) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(false)));
        let id = self.pid() as i32;
        if let Some(seconds) = timeout {
            let (over, ended) = (over.clone(), ended.clone());
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(seconds));
                for signal in [libc::SIGTERM, libc::SIGKILL] {
                    // It keeps its number until it has been waited for, which is not before this is let go.
                    let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
                    if *ended {
                        return;
                    }
                    over.store(true, Ordering::SeqCst);
                    // SAFETY: kill has no memory preconditions.
                    unsafe { libc::kill(id, signal) };
                    drop(ended);
                    std::thread::sleep(GRACE);
                }
            });
        }
        // So nobody else gets its number yet.
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
        let _ = RUNNING.compare_exchange(id, 0, Ordering::SeqCst, Ordering::SeqCst);
        let status = self.process.wait()?;
        let ending = match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or(libc::SIGKILL)),
        };
        Ok((ending, !over.load(Ordering::SeqCst)))
    }
}

/// How long a program may take to end once its time is over.
const GRACE: Duration = Duration::from_secs(2);

/// From now on, signals to warprace go to the program. Exec sets them back to their defaults there.
fn pass_signals_on() {
    for signal in PASSED_ON {
        // SAFETY: all-zero bytes are a valid sigaction with an empty mask, and the handler makes only calls
        // that are safe in handlers.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                // `nohup`: the program inherits it.
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// When the program was first asked to end, in milliseconds; 0 if it was not.
static ASKED: AtomicI64 = AtomicI64::new(0);

/// Requests that come together are one: `timeout` sends a signal to its child, then to the child's group.
const TOGETHER_MS: i64 = 300;

/// Has somebody asked warprace, or the program, to end?
pub(super) fn is_asked_to_end() -> bool {
    ASKED.load(Ordering::SeqCst) != 0
}

/// Has the program been asked to end before?
fn asked_again(signal: libc::c_int) -> bool {
    if matches!(signal, libc::SIGUSR1 | libc::SIGUSR2) {
        return false;
    }
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the structure; safe in handlers.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = now.tv_sec * 1000 + now.tv_nsec / 1_000_000 + 1;
    match ASKED.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => false,
        Err(first) => now - first > TOGETHER_MS,
    }
}

/// A terminal sends its signals to the whole foreground group, the program included; others send
/// them to warprace alone. Who asks twice means it: the program is killed, and what it has shown so far is
/// reported; or if it is gone, warprace goes.
extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let program = RUNNING.load(Ordering::SeqCst);
    if asked_again(signal) {
        // SAFETY: neither call has memory preconditions, and both are safe in handlers.
        unsafe {
            match program {
                0 => libc::_exit(128 + signal),
                _ => libc::kill(program, libc::SIGKILL),
            };
        }
        return;
    }
    // SAFETY: the kernel passes a valid siginfo to handlers installed with SA_SIGINFO.
    let from_terminal = unsafe { (*info).si_code } > 0;
    if program > 0 && !from_terminal {
        // SAFETY: kill has no memory preconditions and is safe in handlers.
        unsafe { libc::kill(program, signal) };
    }
}

/// Ends this process as the program ended, so that whoever waits for warprace sees the same. Returns
/// the code that shells use, should the signal not be deadly.
pub(super) fn die_of(signal: i32) -> u8 {
    // SAFETY: plain system calls; a core file of warprace would only hide the program's.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    (128 + signal) as u8
}
