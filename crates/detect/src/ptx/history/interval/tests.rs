use super::*;
use crate::ptx::access::class::AccessClass;
use crate::random::next as random;
use clocks::compressed::WarpIndex;

/// Words that all threads have read are passed over, but not by threads that have not read them, nor after a
/// write.
#[test]
fn reads_that_are_passed_over_still_race_with_writes() {
    let stamp_at = |tick, warp, write: bool, site| {
        let kind = if write { events::AccessKind::Write } else { events::AccessKind::Read };
        let class = AccessClass::with(kind, events::Strength::Weak);
        Stamp::new(WarpIndex { block: 0, warp }, tick, SiteId(site), class).of_neighbours(0, 31, 4, 0, 0, 128)
    };
    let stamp = |warp, write, site| stamp_at(1, warp, write, site);
    let mut interval = Interval::new(&stamp(0, false, 1)).unwrap();
    for _ in 0..3 {
        (0..8).for_each(|warp| assert!(interval.add(&stamp(warp, false, 1 + u32::from(warp % 5)))));
    }
    assert_eq!(interval.full, bits(0, 31));
    let mut sites = Vec::new();
    interval.entries(|_, entry| sites.push(entry.site.0));
    sites.sort_unstable();
    sites.dedup();
    assert_eq!(sites, [1, 2, 3, 4], "as many as there is room for");
    assert!(!interval.add(&stamp(0, true, 9)), "the other warps have read it");
    // In the next interval everything begins anew.
    let later = |warp, write, site| stamp_at(2, warp, write, site);
    assert!(interval.add(&later(3, true, 9)) && interval.full == 0);
    assert!(interval.add(&later(3, false, 1)) && !interval.add(&later(4, false, 1)));
}

#[test]
fn a_word_takes_half_a_cache_line() {
    assert_eq!(size_of::<Word>(), 32);
}

/// Accesses of lanes in a row or of one, of sizes that change from interval to interval.
fn any_stamp(tick: Tick, seed: &mut u64) -> (Stamp, u8) {
    let kind = [events::AccessKind::Read, events::AccessKind::Write][random(seed) as usize % 2];
    let class = AccessClass::with(kind, events::Strength::Weak);
    let shift = [2, 2, 2, 1, 3][random(seed) as usize % 5];
    let size = 1 << shift;
    let lanes = [1, 1, 8][random(seed) as usize % 3];
    let first = random(seed) % (32 - lanes);
    let from = random(seed) % (128 / size - lanes) * size;
    let by = WarpIndex { block: 0, warp: random(seed) as u16 % 3 };
    let stamp = Stamp::new(by, tick, SiteId(random(seed) as u32 % 4), class);
    let (last, to) = ((first + lanes - 1) as u32, (from + lanes * size) as u8);
    (stamp.of_neighbours(first as u32, last, size, 0, from as u8, to), shift)
}

fn entries(interval: &Interval) -> Vec<String> {
    let mut entries = Vec::new();
    interval.entries(|cell, entry| entries.push(format!("{cell} {entry:?}")));
    entries
}

/// One that has had others before it has no more than one that begins, whether lanes come by themselves or as stamps.
#[test]
fn nothing_is_left_of_earlier_intervals() {
    let (mut added, mut alone) = (0, 0);
    for mut seed in 0..300 {
        let (first, _) = any_stamp(1, &mut seed);
        let mut old = Interval::new(&first).unwrap();
        for tick in 2..7 {
            let mut new = None;
            for _ in 0..random(&mut seed) % 30 {
                let (stamp, shift) = any_stamp(tick, &mut seed);
                let new = new.get_or_insert_with(|| Interval::new(&stamp).unwrap());
                let one = stamp.lanes.is_power_of_two()
                    && old.add_one((stamp.from, shift), &stamp, stamp.lanes.trailing_zeros(), true);
                let done = one || old.add(&stamp);
                assert_eq!(done, new.add(&stamp), "{seed}");
                if !done {
                    // The line would be split.
                    break;
                }
                (added, alone) = (added + 1, alone + u32::from(one));
                assert_eq!(entries(&old), entries(new), "{seed}");
                assert_eq!(
                    (old.touched(), old.told, old.full),
                    (new.touched(), new.told, new.full),
                    "{seed}"
                );
            }
        }
    }
    assert!(added > 3000 && alone > 1000, "{added} {alone}");
}

#[test]
fn bits_are_those_of_their_numbers() {
    for from in 0..128u8 {
        assert_eq!(one(from), 1 << from);
        for to in from..128 {
            assert_eq!(bits(from, to), (u128::MAX >> (127 - (to - from))) << from, "{from} {to}");
        }
    }
}
