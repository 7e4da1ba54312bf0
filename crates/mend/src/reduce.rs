//! Delta debugging: the smallest set of parts that still shows what is looked for.

/// Returns a 1-minimal subset of `parts`: without any one of them `shows` is false. `shows(parts)` is taken
/// to be true. At most `tries` subsets are asked about; then the best one so far is returned.
pub fn minimal<T: Clone>(parts: &[T], tries: usize, mut shows: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = parts.to_vec();
    let (mut chunks, mut left) = (2, tries);
    while !kept.is_empty() && left > 0 {
        let size = kept.len().div_ceil(chunks);
        let mut smaller = None;
        for at in (0..kept.len()).step_by(size.max(1)) {
            if left == 0 {
                break;
            }
            left -= 1;
            let without: Vec<T> =
                kept[..at].iter().chain(&kept[(at + size).min(kept.len())..]).cloned().collect();
            if shows(&without) {
                smaller = Some(without);
                break;
            }
        }
        match smaller {
            Some(less) => {
                kept = less;
                chunks = chunks.saturating_sub(1).max(2);
            }
            None if size <= 1 => break,
            None => chunks = (2 * chunks).min(kept.len()),
        }
    }
    kept
}

/// Returns a small number from 1 on for which `shows` holds, by taking away halves, quarters and so on;
/// `shows(from)` is taken to be true. `shows` need not be monotone: the result is one that holds.
pub fn smallest(from: u64, mut shows: impl FnMut(u64) -> bool) -> u64 {
    let mut best = from;
    for small in [1, 2, 4, 32, 64] {
        if small < best && shows(small) {
            return small;
        }
    }
    let mut step = best / 2;
    while step > 0 {
        if step < best && shows(best - step) {
            best -= step;
            step = step.min(best / 2);
        } else {
            step /= 2;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_needed_parts_are_left() {
        let parts: Vec<u32> = (0..100).collect();
        let mut asked = 0;
        let left = minimal(&parts, 1000, |some| {
            asked += 1;
            some.contains(&17) && some.contains(&83)
        });
        assert_eq!(left, [17, 83]);
        assert!(asked < 120, "{asked}");
        assert!(minimal(&parts, 1000, |_| true).is_empty());
        assert_eq!(minimal(&parts, 0, |_| true), parts);
    }

    #[test]
    fn the_smallest_number_is_found() {
        assert_eq!(smallest(1000, |n| n >= 64), 64);
        assert_eq!(smallest(1000, |n| n >= 3), 4);
        assert_eq!(smallest(128, |n| n >= 65), 65);
        assert_eq!(smallest(100, |n| n >= 70), 70);
        assert_eq!(smallest(7, |_| true), 1);
    }
}
