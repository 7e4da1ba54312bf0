use super::*;
use events::{BlockId, TaskId, WarpId};

fn read(addresses: &[u64; 32], mask: LaneMask, stride: Option<u64>) -> Access<'_> {
    let warp = Warp { task: TaskId(1), block: BlockId(7), warp: WarpId(3) };
    Access {
        warp,
        site: SiteId(5),
        space: Space::Shared(BlockId(7)),
        kind: AccessKind::Read,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        size: 4,
        elements: 2,
        mask,
        addresses,
        stride,
        stored: 0,
        values: None,
        written: Default::default(),
    }
}

/// Deferred accesses come out as they were, as far as it means something, and is gone then.
#[test]
fn reads_are_judged_as_they_were_made() {
    let rows: [u64; 32] = std::array::from_fn(|lane| 256 + 8 * lane as u64);
    let odd: [u64; 32] = std::array::from_fn(|lane| (lane as u64 * 97) % 1000 * 8);
    let falling: [u64; 32] = std::array::from_fn(|lane| 4096u64.wrapping_sub(16 * lane as u64));
    let made = [
        (rows, u32::MAX, Some(8)),
        (odd, u32::MAX, None),
        (odd, 0x00f0_1000, None),
        (falling, 0xffff_ff00, Some(16u64.wrapping_neg())),
    ];
    let mut deferred = Deferred::default();
    for (addresses, mask, stride) in &made {
        assert!(deferred.note(&read(addresses, *mask, *stride), (3, 2), &mut Spare::new()));
    }
    let noted = deferred.stop().unwrap();
    let mut told = 0;
    noted.each(|access, ticks| {
        assert_eq!(ticks, (3, 2));
        let (addresses, mask, stride) = &made[told];
        let lanes = || (0..32).filter(|lane| mask >> lane & 1 != 0);
        assert!(lanes().all(|lane| access.addresses[lane] == addresses[lane]), "{told}");
        assert_eq!((access.mask, access.stride, access.size, access.elements), (*mask, *stride, 4, 2));
        assert_eq!(
            (access.site, access.warp.warp, access.space),
            (SiteId(5), WarpId(3), Space::Shared(BlockId(7)))
        );
        told += 1;
    });
    assert_eq!(told, made.len());
    deferred.reuse(noted);
    let again = deferred.note(&read(&rows, u32::MAX, None), (3, 2), &mut Spare::new());
    assert!(!again, "until a barrier reads are judged at once");
    assert!(deferred.stop().is_none());
    deferred.forget();
    assert!(deferred.note(&read(&rows, u32::MAX, None), (3, 2), &mut Spare::new()));
    deferred.forget();
    assert!(deferred.stop().is_none(), "a barrier orders them before all that follows");
}

/// A read that cannot be noted, or one too many, is judged.
#[test]
fn no_read_is_lost() {
    let far: [u64; 32] = std::array::from_fn(|lane| (lane as u64) << 32);
    let mut deferred = Deferred::default();
    assert!(!deferred.note(&read(&far, u32::MAX, None), (3, 2), &mut Spare::new()));
    // The address of a lane that is not active means nothing.
    assert!(deferred.note(&read(&far, 1, None), (3, 2), &mut Spare::new()));
    let rows: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
    let noted = (0..2 * MOST)
        .filter(|_| deferred.note(&read(&rows, u32::MAX, None), (3, 2), &mut Spare::new()))
        .count();
    assert_eq!(noted, MOST - 1);
}
