//! The instruction budget of a portion of a launch, divided among workers on demand.

use std::sync::atomic::{AtomicU64, Ordering};

/// The fuel of all workers. They take it in slices, so that all exhaust it at about the same time, whatever
/// their speeds.
pub(crate) struct Fuel {
    left: AtomicU64,
    slice: u64,
}

impl Fuel {
    pub(crate) fn new(each: u64, workers: usize) -> Fuel {
        let left = AtomicU64::new(each.saturating_mul(workers as u64));
        Fuel { left, slice: (each / 16).clamp(1, 1 << 14) }
    }

    /// Takes a slice; returns 0 when none is left.
    pub(crate) fn take(&self) -> u64 {
        let rest = |left: u64| left.checked_sub(self.slice).or_else(|| (left > 0).then_some(0));
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest) {
            Ok(before) => before.min(self.slice),
            Err(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fuel_is_handed_out_and_no_more() {
        for (each, workers) in [(1 << 20, 2), (1 << 13, 3), (7, 2), (0, 4)] {
            let fuel = Fuel::new(each, workers);
            let slices: Vec<u64> = std::iter::from_fn(|| Some(fuel.take()).filter(|&s| s > 0)).collect();
            assert_eq!(slices.iter().sum::<u64>(), each * workers as u64);
            assert!(each < 32 || slices.len() > workers, "nobody takes all of it at once");
            assert_eq!(fuel.take(), 0);
        }
    }
}
