//! Compares the versions of the inner loops.

use super::*;

/// Checks each version of the inner loops that this processor supports, on random factors of all supported
/// magnitudes and zeros.
#[test]
fn all_widths_add_the_same() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32
    };
    for turn in 0..400 {
        let spread = [4, 30, 100][turn % 3];
        let mut number = |scratch: &mut Factors, i: usize| {
            let exponent = (random() % spread) as i32 - (spread as i32 / 2).min(49);
            let fraction = random() & 0x7fe000;
            let bits = random() << 31 | ((exponent + 127) as u32) << 23 | fraction;
            let zero = random().is_multiple_of(7);
            scratch.values[i] = if zero { 0.0 } else { f32::from_bits(bits) };
            scratch.exponents[i] = if zero { NOWHERE } else { exponent };
        };
        let (mut a, mut b) = (Factors::NONE, Factors::NONE);
        (0..MOST).for_each(|i| number(&mut a, i));
        (0..MOST).for_each(|i| number(&mut b, i));
        let accumulators: [u32; MOST] = std::array::from_fn(|i| a.values[(i * 7 + turn) % MOST].to_bits());
        let sizes = [(16, 16, 8), (8, 16, 32), (16, 8, 8)][turn % 3];
        let step = ([16, 8, 4][turn / 3 % 3], [KEPT, KEPT_OF_EIGHT][turn / 9 % 2]);
        let mut plain = accumulators;
        let done = by_rows::<false>(sizes, step, &a, &b, &mut plain);
        let mut agrees = |name: &str, other: bool, sums: [u32; MOST]| {
            assert_eq!(other, done, "{name} {turn}");
            assert!(!done || sums == plain, "{name} {turn}");
        };
        #[cfg(target_arch = "x86_64")]
        {
            let mut sums = accumulators;
            if crate::num::has_avx2() {
                agrees("8", by_rows::<true>(sizes, step, &a, &b, &mut sums), sums);
            }
            let mut sums = accumulators;
            if crate::num::has_avx512() {
                // SAFETY: the processor supports the function's target features.
                let done = unsafe { wide::sums(sizes, step, &a, &b, &mut sums) };
                agrees("16", done, sums);
            }
        }
        let _ = &mut agrees;
    }
}
