use super::*;
use events::{AccessKind, Strength};

/// Which lane has each byte of a line: 0 if none has, and all bits of those that do.
fn bytes(stamp: &Stamp) -> [LaneMask; 128] {
    let mut bytes = [0; 128];
    stamp.entries(|cell, entry| {
        for byte in (0..16).filter(|byte| entry.bytes >> byte & 1 != 0) {
            bytes[cell * 16 + byte] |= entry.lanes;
        }
    });
    bytes
}

/// Draws a stamp of some lanes and bytes.
fn any(stamp: Stamp, strided: bool, random: &mut impl FnMut(u64) -> u64) -> Stamp {
    let (size, first) = (1 + random(2), random(3) as u32);
    if strided {
        let stride = size * (2 + random(3));
        let from = random(4) * size;
        let most = (128 - from - size) / stride;
        let lanes = 1 + random(most.min(28)) as u32;
        return stamp.of_strided(first, first + lanes, size, stride as u8, from as u8);
    }
    let (from, lanes) = (random(90), 1 + random(28));
    match random(3) {
        0 => stamp.of_same(random(100) as u32 + 1, from as u8, from as u8 + size as u8),
        _ => {
            let (last, to) = (first + lanes as u32 - 1, (from + lanes) as u8);
            stamp.of_neighbours(first, last, 1, 0, from as u8, to)
        }
    }
}

/// The relations of two stamps, of which one is strided, are those of their bytes.
#[test]
fn strided_stamps_are_what_their_bytes_are() {
    let mut random = crate::random::below(1);
    let (mut beside, mut within, mut alike) = (0, 0, 0);
    for _ in 0..50_000 {
        let class =
            AccessClass::with([AccessKind::Read, AccessKind::Write][random(2) as usize], Strength::Weak);
        let stamp = Stamp::new(WarpIndex { block: 0, warp: 0 }, 1, SiteId(1), class);
        let [one, strided, plain] = [true, true, false].map(|strided| any(stamp, strided, &mut random));
        let other = if random(2) == 0 { strided } else { plain };
        for (a, b) in [(&one, &other), (&other, &one)] {
            let (mine, theirs) = (bytes(a), bytes(b));
            let both = |i: &usize| mine[*i] != 0 && theirs[*i] != 0;
            let common: Vec<usize> = (0..128).filter(both).collect();
            assert_eq!(a.is_apart(b), common.is_empty(), "{a:?} {b:?}");
            beside += usize::from(a.is_apart(b));
            let inside = (0..128).all(|i| mine[i] == 0 || theirs[i] != 0);
            assert_eq!(a.within(b), inside, "{a:?} {b:?}");
            within += usize::from(inside);
            let overlap = (a.from.max(b.from), a.to.min(b.to));
            if !a.is_apart(b) && a.same_lanes(b, overlap) {
                let (from, to) = (usize::from(overlap.0), usize::from(overlap.1));
                assert!(common.iter().all(|i| (from..to).contains(i)));
                assert!(common.iter().all(|&i| mine[i] == theirs[i]), "{a:?} {b:?}");
                alike += 1;
            }
            let touched = (0..128).filter(|&i| mine[i] != 0).fold(0u128, |bits, i| bits | 1 << i);
            assert_eq!(a.touched(), touched);
        }
        let (from, to) = (random(100) as u8, random(28) as u8);
        let lanes = bytes(&one)[usize::from(from)..usize::from(from + to + 1)].iter().fold(0, |a, b| a | b);
        assert_eq!(one.lanes_of(from, from + to + 1), lanes);
        let mut told = [0; 128];
        one.threads(|(from, to), thread, each| {
            assert_eq!(each, None);
            (from..to).for_each(|byte| told[usize::from(byte)] |= 1 << thread);
        });
        assert_eq!(told, bytes(&one));
    }
    assert!(beside > 5000 && within > 500 && alike > 200, "{beside} {within} {alike}");
}
