//! A biased lock: its owner enters with plain stores, others revoke the bias for one turn with `membarrier(2)`.
//!
//! A worker of the detector takes the lock of a launch's global shadow at each access, and almost always the same worker
//! takes it. An uncontended mutex costs two atomic read-modify-write instructions, each of which waits for all earlier stores;
//! where the addresses of a warp are scattered that is more than the access itself.
//!
//! The algorithm is Dekker's with an asymmetric fence:
//!
//! * The owner stores `busy`, passes a compiler fence, and loads `wanted`. If no other worker wants the value, the owner has
//!   its turn. If one does, the owner withdraws `busy` and takes the mutex.
//! * Any other worker takes the mutex, stores `wanted`, makes every processor pass a fence (`membarrier(2)`), and waits until
//!   `busy` is false. After the fence either the owner has seen `wanted`, or this worker sees `busy`.
//!
//! A membarrier takes some microseconds, and the first one of a process some milliseconds. The owner therefore gives up
//! its bias at the end of its launch ([`BiasedLock::leave`]), before other workers usually come. Without `membarrier(2)` no
//! worker becomes an owner, and the lock is a mutex.
//!
//! `models/tests/biased_lock.rs` checks this file under loom, in all executions that C11 allows.

#![allow(unexpected_cfgs, reason = "`loom` and `unbiased` are set by `cargo xtask deep-test` alone")]

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;
use sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock, spin};

/// A value that one worker at a time reaches.
#[derive(Debug)]
pub(crate) struct BiasedLock<T> {
    value: UnsafeCell<T>,
    /// Distinguishes this lock from every other lock of the process, dropped ones included.
    number: u64,
    /// The mutex of all workers. The owner enters without it while no other worker wants the value.
    mutex: Mutex<()>,
    /// Whether the lock has an owner. Changed only under the mutex.
    owned: AtomicBool,
    /// The owner has its turn, without the mutex.
    busy: AtomicBool,
    /// The worker with the mutex waits for the owner, or has its turn.
    wanted: AtomicBool,
}

// SAFETY: one thread at a time reaches the value, see `Turn`.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

/// The bias of one worker: how often it has taken the lock with the mutex and, from some number on, which lock it owns.
#[derive(Debug, Default)]
pub(crate) struct Bias {
    turns: u32,
    /// The number of the lock that the worker owns.
    owns: Option<u64>,
}

/// A worker that takes the lock so many times with the mutex becomes its owner, if it has none.
const OFTEN: u32 = if cfg!(loom) { 1 } else { 64 };

/// A turn at the value. No two are alive at a time: a turn with the mutex began after the owner was seen not to be busy, and
/// keeps the owner out by `wanted`; the owner's turn set `busy` before it saw that `wanted` was false.
pub(crate) struct Turn<'a, T> {
    of: &'a BiasedLock<T>,
    /// `None` for the owner's turn.
    locked: Option<MutexGuard<'a, ()>>,
}

impl<T> BiasedLock<T> {
    pub(crate) fn new(value: T) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let no = || AtomicBool::new(false);
        BiasedLock {
            value: value.into(),
            number,
            mutex: Mutex::new(()),
            owned: no(),
            busy: no(),
            wanted: no(),
        }
    }

    /// Takes a turn of a worker that cannot become the owner.
    pub(crate) fn turn(&self) -> Turn<'_, T> {
        let locked = lock(&self.mutex);
        if self.owned.load(Ordering::Relaxed) {
            self.keep_owner_out();
        }
        Turn { of: self, locked: Some(locked) }
    }

    /// Takes a turn of a worker that may be the owner, or become it.
    #[inline(always)]
    pub(crate) fn turn_of<'a>(&'a self, bias: &'a mut Bias) -> Turn<'a, T> {
        if self.enters_as_owner(bias) {
            return Turn { of: self, locked: None };
        }
        self.turn_with_mutex(bias)
    }

    /// Calls `act` in a turn like that of [`BiasedLock::turn_of`]. Returning a `Turn` costs more than most calls of `act`.
    /// `act` is called at one place, so that it is inlined into the caller.
    #[inline(always)]
    pub(crate) fn with<R>(&self, bias: &mut Bias, act: impl FnOnce(&mut T) -> R) -> R {
        let (busy, mut other);
        let value = if self.enters_as_owner(bias) {
            busy = Some(Busy(&self.busy));
            // SAFETY: no other turn is alive, since this one is the owner's.
            unsafe { &mut *self.value.get() }
        } else {
            busy = None;
            other = self.turn_with_mutex(bias);
            &mut *other
        };
        let done = act(value);
        drop(busy);
        done
    }

    /// Begins the owner's turn if `bias` is the owner's and no other worker wants the value, and returns whether it has begun.
    #[inline(always)]
    fn enters_as_owner(&self, bias: &Bias) -> bool {
        if bias.owns != Some(self.number) {
            return false;
        }
        self.busy.store(true, Ordering::Relaxed);
        // The processor may still exchange the store and the load: the fence of `keep_owner_out` makes up for it.
        fences::light();
        let enters = !self.wanted.load(Ordering::Acquire);
        if !enters {
            self.busy.store(false, Ordering::Release);
        }
        enters
    }

    #[inline(never)]
    fn turn_with_mutex(&self, bias: &mut Bias) -> Turn<'_, T> {
        // The owner needs the mutex only: it does not have to keep itself out.
        let turn = if bias.owns == Some(self.number) {
            Turn { of: self, locked: Some(lock(&self.mutex)) }
        } else {
            self.turn()
        };
        bias.turns = bias.turns.saturating_add(1);
        if bias.turns >= OFTEN
            && bias.owns.is_none()
            && !self.owned.load(Ordering::Relaxed)
            && fences::available()
        {
            // This turn has the mutex: no other worker is in a turn or waits for the owner.
            self.owned.store(true, Ordering::Relaxed);
            bias.owns = Some(self.number);
        }
        turn
    }

    /// Gives up the bias, if the worker has it: other workers no longer have to keep it out.
    #[inline]
    pub(crate) fn leave(&self, bias: &mut Bias) {
        if bias.owns == Some(self.number) {
            let locked = lock(&self.mutex);
            self.owned.store(false, Ordering::Relaxed);
            drop(locked);
            bias.owns = None;
        }
        bias.turns = 0;
    }

    /// Keeps the owner out, for the worker with the mutex, until the turn of that worker ends.
    #[cold]
    fn keep_owner_out(&self) {
        self.wanted.store(true, Ordering::Relaxed);
        // This thread sees what the owner's processor did before the fence; what it does after the fence sees `wanted`.
        fences::heavy();
        let mut turns = 0u32;
        while self.busy.load(Ordering::Acquire) {
            turns = turns.saturating_add(1);
            spin(turns);
        }
    }
}

/// Ends the owner's turn when it is dropped.
struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl<T> Drop for Turn<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // The mutex, if the turn has it, is released after this.
        let flag = if self.locked.is_some() { &self.of.wanted } else { &self.of.busy };
        flag.store(false, Ordering::Release);
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: no other turn is alive.
        unsafe { &*self.of.value.get() }
    }
}

impl<T> DerefMut for Turn<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: no other turn is alive.
        unsafe { &mut *self.of.value.get() }
    }
}

/// The synchronisation that the lock is made of: the standard library's.
#[cfg(not(loom))]
mod sync {
    pub(super) use super::super::mutex::lock;
    pub(super) use std::sync::atomic::{AtomicBool, Ordering};
    pub(super) use std::sync::{Mutex, MutexGuard};

    /// Waits a little, for the `turns`-th time.
    pub(super) fn spin(turns: u32) {
        if turns < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
}

/// The synchronisation that the lock is made of: loom's, which tries all executions.
#[cfg(loom)]
mod sync {
    pub(super) use loom::sync::atomic::{AtomicBool, Ordering};
    pub(super) use loom::sync::{Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(super) fn spin(_: u32) {
        loom::thread::yield_now();
    }
}

/// The asymmetric fence: light for the owner, heavy for the others.
#[cfg(not(loom))]
mod fences {
    use std::sync::OnceLock;
    use std::sync::atomic::{Ordering, compiler_fence};

    const QUERY: libc::c_int = 0;
    const GLOBAL: libc::c_int = 1;
    const PROCESS: libc::c_int = 1 << 3;
    const REGISTER: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> libc::c_long {
        // SAFETY: the call takes no memory.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    /// Returns whether this system has the heavy fence. ThreadSanitizer, under which `unbiased` is set, does not know it.
    pub(super) fn available() -> bool {
        static AVAILABLE: OnceLock<bool> = OnceLock::new();
        let all = libc::c_long::from(GLOBAL | PROCESS | REGISTER);
        *AVAILABLE.get_or_init(|| !cfg!(unbiased) && membarrier(QUERY).max(0) & all == all)
    }

    /// Keeps the compiler from exchanging accesses.
    #[inline(always)]
    pub(super) fn light() {
        compiler_fence(Ordering::SeqCst);
    }

    /// Makes every thread of the process pass a fence between two of its instructions.
    pub(super) fn heavy() {
        // A process has to register before it may use the fast command. The slow one needs no registration.
        let done = |command| membarrier(command) == 0;
        while !(done(PROCESS) || done(REGISTER) && done(PROCESS) || done(GLOBAL)) {
            std::thread::yield_now();
        }
    }
}

/// The asymmetric fence as loom knows it: both sides are ordinary fences. `membarrier(2)` guarantees for the pair what two
/// ordinary fences guarantee.
#[cfg(loom)]
mod fences {
    use loom::sync::atomic::{Ordering, fence};

    pub(super) fn available() -> bool {
        true
    }

    pub(super) fn light() {
        fence(Ordering::SeqCst);
    }

    pub(super) fn heavy() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Neither the owner nor the others lose what they add, whichever worker is the owner.
    #[test]
    fn turns_are_taken_one_at_a_time() {
        const EACH: u64 = if cfg!(miri) { 4_000 } else { 200_000 };
        let (value, owned) = (BiasedLock::new([0u64; 2]), AtomicBool::new(false));
        let add = |mut turn: Turn<'_, [u64; 2]>| {
            let before = *turn;
            assert_eq!(before[0], before[1]);
            *turn = before.map(|n| n + 1);
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut bias = Bias::default();
                (0..EACH / 2).for_each(|_| add(value.turn_of(&mut bias)));
                (0..EACH / 2).for_each(|_| value.with(&mut bias, |value| *value = value.map(|n| n + 1)));
                owned.fetch_or(bias.owns.is_some(), Ordering::Relaxed);
            });
            scope.spawn(|| {
                let mut bias = Bias::default();
                for _ in 0..EACH / 2000 {
                    (0..10 + u64::from(OFTEN)).for_each(|_| add(value.turn_of(&mut bias)));
                    owned.fetch_or(bias.owns.is_some(), Ordering::Relaxed);
                    value.leave(&mut bias);
                    std::thread::yield_now();
                }
            });
            scope.spawn(|| (0..EACH / 100).for_each(|_| add(value.turn())));
        });
        let all = EACH + EACH / 2000 * (10 + u64::from(OFTEN)) + EACH / 100;
        assert_eq!(*value.turn(), [all; 2]);
        assert!(owned.into_inner() || !fences::available());
    }

    /// A worker that owns one lock does not own another one.
    #[test]
    fn a_bias_is_for_one_lock() {
        let (one, other) = (BiasedLock::new(0), BiasedLock::new(0));
        let mut bias = Bias::default();
        for _ in 0..2 * OFTEN {
            *one.turn_of(&mut bias) += 1;
        }
        *other.turn_of(&mut bias) += 1;
        assert!(other.turn_of(&mut bias).locked.is_some());
        assert!(one.turn_of(&mut bias).locked.is_none() || !fences::available());
        one.leave(&mut bias);
        assert!(one.turn_of(&mut bias).locked.is_some());
        assert_eq!((*one.turn(), *other.turn()), (2 * OFTEN, 1));
    }
}
