//! The weights of texels in linear filtering.
//!
//! By the CUDA Programming Guide ("Texture Fetching"), fractions of coordinates have 8 bits. An H200 also
//! rounds products of fractions to 8 bits; this module was fitted to `texture_values.h200.txt` beside the
//! tests of `inject`. In one and two dimensions the weights there are exactly these; in three dimensions a
//! product halfway between two numbers may be rounded otherwise.

use smallvec::SmallVec;

/// The weight of the whole, in whose units fractions and weights are expressed.
pub(crate) const ONE: u32 = 256;

/// Returns the product of two weights, rounded to a weight.
fn product(a: u32, b: u32) -> u32 {
    (a * b + ONE / 2) / ONE
}

/// Returns the weights of the four corners in two dimensions, `[a][b]`: they sum to [`ONE`], and along each
/// axis to its fraction.
pub(crate) fn plane(a: u32, b: u32) -> [[u32; 2]; 2] {
    let ab = product(a, b);
    [[ONE + ab - a - b, b - ab], [a - ab, ab]]
}

/// Returns the weights of the corners around a point with these fractions (in 256ths, one for each
/// dimension). The last dimension varies fastest.
pub(crate) fn shares(fractions: &[u32]) -> SmallVec<[u32; 8]> {
    match *fractions {
        [a] => SmallVec::from_slice(&[ONE - a, a]),
        [a, b] => SmallVec::from_slice(plane(a, b).as_flattened()),
        [a, b, c] => {
            let outer = plane(a, c);
            let mut out = SmallVec::new();
            for row in outer {
                let near = row.map(|share| product(share, ONE - b));
                out.extend(near);
                out.extend([row[0] - near[0], row[1] - near[1]]);
            }
            out
        }
        _ => SmallVec::from_slice(&[ONE]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_follow_their_fractions() {
        for a in (0..=ONE).step_by(7).chain([ONE]) {
            assert_eq!(shares(&[a]).as_slice(), [ONE - a, a]);
            for b in (0..=ONE).step_by(11).chain([ONE]) {
                let two = shares(&[a, b]);
                assert_eq!((two.iter().sum::<u32>(), two[2] + two[3], two[1] + two[3]), (ONE, a, b));
                for c in (0..=ONE).step_by(13).chain([ONE]) {
                    let three = shares(&[a, b, c]);
                    assert_eq!(three.iter().sum::<u32>(), ONE);
                    assert_eq!(three[4..].iter().sum::<u32>(), a);
                    let exact = |i: usize| {
                        let part = |f: u32, upper: usize| f64::from(if upper == 1 { f } else { ONE - f });
                        part(a, i >> 2) * part(b, i >> 1 & 1) * part(c, i & 1) / f64::from(ONE * ONE)
                    };
                    assert!((0..8).all(|i| (f64::from(three[i]) - exact(i)).abs() <= 1.5), "{a} {b} {c}");
                }
            }
        }
    }
}
