//! The user's process: started with the library preloaded, waited for, its signals passed on.

use report::Ending;
use report::protocol::{OPTIONS_VARIABLE, RunOptions};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

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

pub(super) fn spawn(
    program: &Path,
    args: &[OsString],
    library: &Path,
    options: &RunOptions,
) -> io::Result<Child> {
    let mut preload = OsString::from(library);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|v| !v.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(program);
    command.arg0(&args[0]).args(&args[1..]).env("LD_PRELOAD", preload);
    command.env(OPTIONS_VARIABLE, options.to_variable());
    // SAFETY: between fork and exec the closure makes one system call and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            // Host addresses become the same in every run, and with them everything that programs
            // derive from addresses. Where a sandbox forbids this, runs are still valid.
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            Ok(())
        });
    }
    pass_signals_on();
    let process = command.spawn()?;
    RUNNING.store(process.id() as i32, Ordering::SeqCst);
    Ok(Child { process })
}

impl Child {
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn wait(mut self) -> io::Result<Ending> {
        let status = self.process.wait()?;
        RUNNING.store(0, Ordering::SeqCst);
        Ok(match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or(libc::SIGKILL)),
        })
    }
}

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

/// A terminal sends its signals to the whole foreground group, the program included; others send
/// them to warprace alone.
extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let program = RUNNING.load(Ordering::SeqCst);
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
