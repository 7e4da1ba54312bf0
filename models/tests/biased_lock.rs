//! The biased lock of the shadow: turns exclude each other, each sees what earlier ones wrote, and none is lost.
//!
//! The value is loom's cell, which fails a model in which two threads reach it without happens-before.

#![allow(unexpected_cfgs, reason = "`cargo xtask deep-test models` sets `loom`")]
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use models::{Bias, BiasedLock};

type Counter = BiasedLock<UnsafeCell<u32>>;

fn add(value: &UnsafeCell<u32>) {
    // SAFETY: loom checks that no other thread reaches the cell.
    value.with_mut(|n| unsafe { *n += 1 });
}

/// Checks that the counter ends at `all`, after all threads have ended.
fn ends_at(lock: &Counter, all: u32) {
    lock.turn(|value| value.with(|n| assert_eq!(unsafe { *n }, all)));
}

/// An owner by its first turn, and a worker that cannot become one.
#[test]
fn an_owner_and_another_worker_take_turns() {
    loom::model(|| {
        let lock = Arc::new(Counter::new(UnsafeCell::new(0)));
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.turn(add))
        };
        let mut bias = Bias::default();
        lock.turn_of(&mut bias, add);
        lock.turn_of(&mut bias, add);
        lock.with(&mut bias, add);
        other.join().unwrap();
        ends_at(&lock, 4);
    });
}

/// The owner gives up its bias while another worker comes, which may become the owner after it.
#[test]
fn the_bias_passes_from_worker_to_worker() {
    loom::model(|| {
        let lock = Arc::new(Counter::new(UnsafeCell::new(0)));
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let mut bias = Bias::default();
                lock.turn_of(&mut bias, add);
                lock.with(&mut bias, add);
            })
        };
        let mut bias = Bias::default();
        lock.turn_of(&mut bias, add);
        lock.with(&mut bias, add);
        lock.leave(&mut bias);
        other.join().unwrap();
        ends_at(&lock, 4);
    });
}

/// Two workers beside the owner: the turn of one ends while the other waits for the mutex.
#[test]
fn two_other_workers_keep_the_owner_out_one_after_the_other() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let lock = Arc::new(Counter::new(UnsafeCell::new(0)));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || lock.turn(add))
            })
            .collect();
        let mut bias = Bias::default();
        lock.turn_of(&mut bias, add);
        lock.turn_of(&mut bias, add);
        others.into_iter().for_each(|other| other.join().unwrap());
        ends_at(&lock, 4);
    });
}
