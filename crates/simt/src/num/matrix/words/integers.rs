//! Products of bytes.

#[cfg(target_arch = "x86_64")]
use super::vectors;
use super::{MOST, Plan, Scratch, WIDTH, Words};

/// Returns sums of products of pairs of 16-bit integers.
#[inline(always)]
fn products<const AVX2: bool>(a: &[u32], b: &[[u32; WIDTH]]) -> [i32; WIDTH] {
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: by the caller's contract, the processor supports AVX2.
        return unsafe { vectors::products(a, b) };
    }
    let mut sums = [0i32; WIDTH];
    for (&a, b) in a.iter().zip(b) {
        for (sum, &b) in sums.iter_mut().zip(b) {
            let low = i32::from(a as i16) * i32::from(b as i16);
            let high = i32::from((a >> 16) as i16) * i32::from((b >> 16) as i16);
            *sum += low + high;
        }
    }
    sums
}

/// Computes products of bytes, four to a word.
#[inline(always)]
pub(super) fn integers<const AVX2: bool>(
    plan: &Plan,
    (a_signed, b_signed): (bool, bool),
    saturate: bool,
    scratch: &mut Scratch,
    a: &[&Words],
    b: &[&Words],
) {
    let Scratch { words, pairs, sums, .. } = scratch;
    let columns = plan.columns;
    // Words of A occupy the first half of the buffer, as pairs of two of their bytes; words of B the second.
    let (of_a, of_b) = pairs.split_at_mut(MOST / 2);
    plan.a.gather::<AVX2>(a, words);
    for (pair, &word) in of_a.chunks_exact_mut(2).zip(&words[..plan.a.words().min(MOST)]) {
        pair.copy_from_slice(&pairs_of(word, a_signed));
    }
    plan.b.gather::<AVX2>(b, words);
    let groups = words.as_chunks::<WIDTH>().0.iter().take(plan.b.words() / WIDTH);
    for (pairs, words) in of_b.as_chunks_mut::<WIDTH>().0.chunks_exact_mut(2).zip(groups) {
        for i in 0..WIDTH {
            [pairs[0][i], pairs[1][i]] = pairs_of(words[i], b_signed);
        }
    }
    let of_b = of_b.as_chunks::<WIDTH>().0;
    for (out, a) in sums.chunks_exact_mut(columns).take(plan.rows).zip(of_a.chunks_exact(2 * plan.depth)) {
        for (block, out) in out.chunks_exact_mut(WIDTH).enumerate() {
            // The sum has at most 32 products of 16 bits.
            let products = products::<AVX2>(a, &of_b[block * 2 * plan.depth..]);
            for (out, product) in out.iter_mut().zip(products) {
                let sum = *out as i32;
                *out = if saturate { sum.saturating_add(product) } else { sum.wrapping_add(product) } as u32;
            }
        }
    }
}

/// Returns the even and the odd bytes of a word, each as two numbers of 16 bits; their order does not affect
/// a sum.
#[inline(always)]
fn pairs_of(word: u32, signed: bool) -> [u32; 2] {
    // Each half separately, like an instruction on 16-bit lanes.
    let even = |half: u16| if signed { ((half as i16) << 8 >> 8) as u16 } else { half & 0xff };
    let odd = |half: u16| if signed { (half as i16 >> 8) as u16 } else { half >> 8 };
    let (low, high) = (word as u16, (word >> 16) as u16);
    [u32::from(even(low)) | u32::from(even(high)) << 16, u32::from(odd(low)) | u32::from(odd(high)) << 16]
}
