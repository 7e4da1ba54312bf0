//! Threads of this library in the user's process.

/// Starts a thread of this library that it cannot do without, as [`try_spawn`] does.
pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) {
    if let Err(error) = try_spawn(name, body) {
        crate::output::complain(format_args!("warprace: cannot start a thread: {error}\n"));
        std::process::abort();
    }
}

/// Starts a thread of this library, with the program's signals blocked.
pub(crate) fn try_spawn(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    // SAFETY: the sets are initialised before use, and the old mask is restored.
    unsafe {
        let mut all = std::mem::zeroed();
        let mut old = std::mem::zeroed();
        libc::sigfillset(&mut all);
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS] {
            libc::sigdelset(&mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        let spawned = std::thread::Builder::new().name(name.into()).stack_size(16 << 20).spawn(body);
        libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut());
        spawned.map(drop)
    }
}
