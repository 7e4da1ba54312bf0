//! Serialises host instructions and the engine, so that the detector receives a host access at its place
//! among the kernels' accesses.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The lock: 0 free, 1 held, 2 held with sleepers. A signal handler may take it and another one release it.
static GATE: AtomicU32 = AtomicU32::new(0);

/// The number of host threads that wait for the gate; the engine gives them precedence.
static WANTED: AtomicUsize = AtomicUsize::new(0);

fn wait(expected: u32) {
    // SAFETY: the futex is a static; the caller's loop handles spurious wake-ups.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            GATE.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            std::ptr::null::<libc::timespec>(),
        );
    }
}

fn lock() {
    if GATE.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        return;
    }
    while GATE.swap(2, Ordering::Acquire) != 0 {
        wait(2);
    }
}

fn unlock() {
    if GATE.swap(0, Ordering::Release) == 2 {
        // SAFETY: wakes sleepers on a static futex.
        unsafe {
            libc::syscall(libc::SYS_futex, GATE.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1);
        }
    }
}

/// Pauses the engine until [`leave`].
pub(crate) fn enter() {
    WANTED.fetch_add(1, Ordering::SeqCst);
    lock();
    WANTED.fetch_sub(1, Ordering::SeqCst);
}

pub(crate) fn leave() {
    unlock();
}

/// Runs a portion of the engine's work, after waiting host threads.
pub(crate) fn engine_portion<T>(work: impl FnOnce() -> T) -> T {
    while WANTED.load(Ordering::SeqCst) > 0 {
        std::thread::yield_now();
    }
    lock();
    let result = work();
    unlock();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_and_the_host_exclude_each_other() {
        static SHARED: AtomicUsize = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..1000 {
                    engine_portion(|| {
                        let seen = SHARED.load(Ordering::Relaxed);
                        SHARED.store(seen + 1, Ordering::Relaxed);
                    });
                }
            });
            for _ in 0..1000 {
                enter();
                let seen = SHARED.load(Ordering::Relaxed);
                SHARED.store(seen + 1, Ordering::Relaxed);
                leave();
            }
        });
        assert_eq!(SHARED.load(Ordering::Relaxed), 2000);
    }
}
