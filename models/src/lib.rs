//! The files of other crates that loom checks, compiled with loom's atomics and mutexes in place of the standard library's.

#![allow(unexpected_cfgs, reason = "`cargo xtask deep-test models` sets `loom`")]
#![cfg(loom)]

#[allow(dead_code, reason = "a model uses a part of the file")]
#[path = "../../crates/detect/src/shadow/biased_lock.rs"]
mod biased_lock;

pub use wrapped::{Bias, BiasedLock};

/// The lock for models, which are other crates.
mod wrapped {
    use super::biased_lock as inner;

    /// A worker's bias.
    #[derive(Default)]
    pub struct Bias(inner::Bias);

    /// A biased lock.
    pub struct BiasedLock<T>(inner::BiasedLock<T>);

    impl<T> BiasedLock<T> {
        /// Returns a lock without an owner.
        pub fn new(value: T) -> Self {
            BiasedLock(inner::BiasedLock::new(value))
        }

        /// Calls `act` in a turn of a worker that cannot become the owner.
        pub fn turn(&self, act: impl FnOnce(&T)) {
            act(&self.0.turn());
        }

        /// Calls `act` in a turn of a worker that may be the owner, or become it.
        pub fn turn_of(&self, bias: &mut Bias, act: impl FnOnce(&T)) {
            act(&self.0.turn_of(&mut bias.0));
        }

        /// Calls `act` in a turn like that of [`BiasedLock::turn_of`], by the other function of the lock.
        pub fn with(&self, bias: &mut Bias, act: impl FnOnce(&T)) {
            self.0.with(&mut bias.0, |value| act(value));
        }

        /// Gives up the bias, if the worker has it.
        pub fn leave(&self, bias: &mut Bias) {
            self.0.leave(&mut bias.0);
        }
    }
}
