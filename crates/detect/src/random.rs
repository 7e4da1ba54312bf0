//! Numbers at random for tests, in each run the same.

/// The next one, of 31 bits.
pub(crate) fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}

/// One below the number that is asked for, again and again.
pub(crate) fn below(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |of| next(&mut seed) % of
}
