//! A lock that one worker has to itself almost always.
//!
//! Who takes a lock at each access waits, twice, until all that it has stored before is in its cache; where threads are scattered
//! that takes longer than the access. So one worker may be favoured: it says that it has its turn, and looks whether anybody
//! else waits, by plain stores and loads. Whoever else comes says so and has the system make all processors see it
//! (`membarrier(2)`), after which either the favoured one has seen it or is seen to have its turn. That takes some
//! microseconds, and the first time in a process some milliseconds; so the favoured one takes its leave when it has done with
//! its launch, before which hardly anybody comes. Where the system cannot do it, nobody is favoured.

use super::mutex::lock;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::sync::{Mutex, MutexGuard};

/// A value for one at a time.
#[derive(Debug)]
pub(crate) struct Favoured<T> {
    value: UnsafeCell<T>,
    /// No other value has it, nor had.
    number: u64,
    /// The lock of all workers; the favoured one does without it while no other waits.
    lock: Mutex<()>,
    /// Whether a worker has the bias. Changed only under the lock.
    given: AtomicBool,
    /// The favoured one has its turn, without the lock.
    busy: AtomicBool,
    /// The worker with the lock waits for the favoured one, or has its turn.
    wanted: AtomicBool,
}

// SAFETY: the value is reached by one thread at a time, see `Turn`.
unsafe impl<T: Send> Sync for Favoured<T> {}

/// The state of one worker for one value: how often it came and, in time, that it is favoured.
#[derive(Debug, Default)]
pub(crate) struct Favour {
    turns: u32,
    /// The number of the value for which it is.
    of: Option<u64>,
}

/// So many turns make a worker favoured.
const OFTEN: u32 = 64;

/// A turn at the value. No two are alive at a time: one has the lock, if a worker is favoured after that one
/// was seen not to be busy, and then keeps it out; or it is the favoured one's, which was busy before it saw
/// that no other was in.
pub(crate) struct Turn<'a, T> {
    of: &'a Favoured<T>,
    /// None for the favoured one's.
    locked: Option<MutexGuard<'a, ()>>,
}

impl<T> Favoured<T> {
    pub(crate) fn new(value: T) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let (number, no) = (NUMBERS.fetch_add(1, Ordering::Relaxed), || AtomicBool::new(false));
        Favoured {
            value: value.into(),
            number,
            lock: Mutex::default(),
            given: no(),
            busy: no(),
            wanted: no(),
        }
    }

    /// A turn of anybody.
    pub(crate) fn turn(&self) -> Turn<'_, T> {
        let locked = lock(&self.lock);
        if self.given.load(Ordering::Relaxed) {
            self.keep_out();
        }
        Turn { of: self, locked: Some(locked) }
    }

    /// Takes a turn of a worker that may be favoured, or become so.
    #[inline(always)]
    pub(crate) fn turn_of<'a>(&'a self, favour: &'a mut Favour) -> Turn<'a, T> {
        if self.is_his(favour) {
            return Turn { of: self, locked: None };
        }
        self.turn_of_other(favour)
    }

    /// Calls `act` in a turn, as above. Handing a turn around takes longer than most calls.
    /// `act` is called at one place, so that it is inlined into the caller.
    #[inline(always)]
    pub(crate) fn with<R>(&self, favour: &mut Favour, act: impl FnOnce(&mut T) -> R) -> R {
        let (busy, mut other);
        let value = if self.is_his(favour) {
            busy = Some(Busy(&self.busy));
            // SAFETY: no turn is alive: this one is the favoured one's.
            unsafe { &mut *self.value.get() }
        } else {
            busy = None;
            other = self.turn_of_other(favour);
            &mut *other
        };
        let done = act(value);
        drop(busy);
        done
    }

    /// Begins the turn of the worker that has the bias, if no other waits, and returns whether it has begun.
    #[inline(always)]
    fn is_his(&self, favour: &Favour) -> bool {
        if favour.of != Some(self.number) {
            return false;
        }
        self.busy.store(true, Ordering::Relaxed);
        // The processor may still exchange the two: `keep_out` ensures that no worker misses it.
        compiler_fence(Ordering::SeqCst);
        let his = !self.wanted.load(Ordering::Acquire);
        if !his {
            self.busy.store(false, Ordering::Release);
        }
        his
    }

    #[inline(never)]
    fn turn_of_other(&self, favour: &mut Favour) -> Turn<'_, T> {
        // The lock is enough: the worker that had it when it was waited for is through.
        let turn = if favour.of == Some(self.number) {
            Turn { of: self, locked: Some(lock(&self.lock)) }
        } else {
            self.turn()
        };
        favour.turns = favour.turns.saturating_add(1);
        if favour.turns >= OFTEN
            && favour.of.is_none()
            && !self.given.load(Ordering::Relaxed)
            && fences::can()
        {
            self.given.store(true, Ordering::Relaxed);
            favour.of = Some(self.number);
            // This turn is with the lock, and so no worker waits.
        }
        turn
    }

    /// The worker will not come again soon: others need not look for it.
    #[inline]
    pub(crate) fn leave(&self, favour: &mut Favour) {
        if favour.of == Some(self.number) {
            let locked = lock(&self.lock);
            self.given.store(false, Ordering::Relaxed);
            drop(locked);
            favour.of = None;
        }
        favour.turns = 0;
    }

    /// Keeps the favoured one out, for the worker with the lock.
    #[cold]
    fn keep_out(&self) {
        self.wanted.store(true, Ordering::Relaxed);
        // Whatever the favoured one's processor did before it now, this thread sees; what it does behind sees `wanted`.
        fences::everywhere();
        let mut turns = 0u32;
        while self.busy.load(Ordering::Acquire) {
            turns = turns.saturating_add(1);
            if turns < 100 { spin_loop() } else { std::thread::yield_now() }
        }
    }
}

/// Ends the favoured one's turn.
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
        // The lock, if there is one, is released behind this.
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
        // SAFETY: as above.
        unsafe { &mut *self.of.value.get() }
    }
}

/// Fences for all threads of the process.
mod fences {
    use std::sync::OnceLock;

    const QUERY: libc::c_int = 0;
    const EVERYBODY: libc::c_int = 1;
    const PROCESS: libc::c_int = 1 << 3;
    const REGISTER: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> libc::c_long {
        // SAFETY: it takes no memory.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    /// Returns whether this system can give a bias.
    pub(super) fn can() -> bool {
        static CAN: OnceLock<bool> = OnceLock::new();
        let all = libc::c_long::from(EVERYBODY | PROCESS | REGISTER);
        *CAN.get_or_init(|| membarrier(QUERY).max(0) & all == all)
    }

    /// Has every thread of the process pass a fence, between two of its instructions.
    pub(super) fn everywhere() {
        // A process has to say first that it wants them. There is no other reason to fail, and one way that needs none.
        let done = |command| membarrier(command) == 0;
        while !(done(PROCESS) || done(REGISTER) && done(PROCESS) || done(EVERYBODY)) {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither a favoured worker nor the others lose what they add, whoever of them is favoured in between.
    #[test]
    fn turns_are_taken_one_at_a_time() {
        const EACH: u64 = 200_000;
        let (value, favoured) = (Favoured::new([0u64; 2]), AtomicBool::new(false));
        let add = |mut turn: Turn<'_, [u64; 2]>| {
            let before = *turn;
            assert_eq!(before[0], before[1]);
            *turn = before.map(|n| n + 1);
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut favour = Favour::default();
                (0..EACH / 2).for_each(|_| add(value.turn_of(&mut favour)));
                (0..EACH / 2).for_each(|_| value.with(&mut favour, |value| *value = value.map(|n| n + 1)));
                favoured.fetch_or(favour.of.is_some(), Ordering::Relaxed);
            });
            scope.spawn(|| {
                let mut favour = Favour::default();
                for _ in 0..EACH / 2000 {
                    (0..10 + u64::from(OFTEN)).for_each(|_| add(value.turn_of(&mut favour)));
                    favoured.fetch_or(favour.of.is_some(), Ordering::Relaxed);
                    value.leave(&mut favour);
                    std::thread::yield_now();
                }
            });
            scope.spawn(|| (0..EACH / 100).for_each(|_| add(value.turn())));
        });
        let all = EACH + EACH / 2000 * (10 + u64::from(OFTEN)) + EACH / 100;
        assert_eq!(*value.turn(), [all; 2]);
        assert!(favoured.into_inner() || !fences::can());
    }

    /// The favour for one value is none for another one.
    #[test]
    fn favour_is_for_one_value() {
        let (one, other) = (Favoured::new(0), Favoured::new(0));
        let mut favour = Favour::default();
        for _ in 0..2 * OFTEN {
            *one.turn_of(&mut favour) += 1;
        }
        *other.turn_of(&mut favour) += 1;
        assert!(other.turn_of(&mut favour).locked.is_some());
        assert!(one.turn_of(&mut favour).locked.is_none() || !fences::can());
        one.leave(&mut favour);
        assert!(one.turn_of(&mut favour).locked.is_some());
        assert_eq!((*one.turn(), *other.turn()), (2 * OFTEN, 1));
    }
}
