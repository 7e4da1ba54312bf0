use super::*;
use crate::ptx::access::class::AccessClass;
use events::access::{AccessKind, Warp};
use events::{Proxy, SiteId, Space, Strength};

fn access(mask: u32, bytes: u32, kind: AccessKind, addresses: &[u64; 32]) -> Access<'_> {
    Access {
        warp: Warp { task: Default::default(), block: Default::default(), warp: Default::default() },
        site: SiteId(0),
        space: Space::Global,
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        size: bytes,
        elements: 1,
        mask,
        addresses,
        stride: None,
        stored: 0,
        values: None,
        written: Default::default(),
    }
}

fn runs_of(mask: u32, bytes: u32, kind: AccessKind, address: impl Fn(u32) -> u64) -> Option<Runs> {
    let addresses = std::array::from_fn(|lane| address(lane as u32));
    let mut runs = Runs::new();
    let access = access(mask, bytes, kind, &addresses);
    let fits = split(&access, u64::from(bytes), &mut runs);
    let mut one = Runs::new();
    if whole(&access, u64::from(bytes), &mut one) {
        assert!(fits && one == runs, "the same by the short way");
    }
    fits.then_some(runs)
}

/// An engine may tell how lanes' addresses lie, or not: what is made of them is the same.
#[test]
fn a_known_stride_makes_no_difference() {
    for (stride, mask) in
        [0u64, 4, 8, 16, 128].into_iter().flat_map(|s| [u32::MAX, 0xff0, 0x1234_5678, 3].map(|m| (s, m)))
    {
        for (bytes, kind) in
            [1, 4, 8, 16].into_iter().flat_map(|b| [(b, AccessKind::Read), (b, AccessKind::Write)])
        {
            let addresses = std::array::from_fn(|lane| 64 + stride * lane as u64);
            let plain = access(mask, bytes, kind, &addresses);
            let told = Access { stride: Some(stride), ..plain };
            assert!(told.keeps_stride());
            let of = |access: &Access<'_>| {
                let (mut one, mut all) = (Runs::new(), Runs::new());
                let bytes = u64::from(bytes);
                (whole(access, bytes, &mut one), split(access, bytes, &mut all), one, all)
            };
            assert_eq!(of(&plain), of(&told), "{stride} {mask:x} {bytes} {kind:?}");
        }
    }
}

#[test]
fn scattered_shapes() {
    let is = |mask, bytes, kind, address: fn(u64) -> u64| {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        scattered(&access(mask, bytes, kind, &addresses), u64::from(bytes), false)
    };
    let (read, write) = (AccessKind::Read, AccessKind::Write);
    assert!(is(u32::MAX, 4, write, |l| l * 128) && is(u32::MAX, 16, read, |l| l * 4096));
    assert!(!is(u32::MAX, 4, write, |l| l * 4) && !is(u32::MAX, 4, read, |_| 64));
    assert!(!is(u32::MAX, 2, read, |l| l * 128) && !is(0xff, 4, read, |l| l * 128));
    assert!(is(0x5555_5555, 4, write, |l| l * 4), "every other word");
    assert!(!is(u32::MAX, 8, read, |l| l * 128 + 4), "not aligned");
    assert!(is(u32::MAX, 4, read, |l| l % 8 * 128) && !is(u32::MAX, 4, write, |l| l % 31 * 128));
    assert!(is(!(1 << 31), 4, write, |l| l % 31 * 128));
    let table = std::array::from_fn(|lane| lane as u64 % 8 * 128);
    assert!(!scattered(&access(u32::MAX, 4, read, &table), 4, true), "a table that lanes share");
}

#[test]
fn lanes_at_one_place_are_found() {
    let mut all: [u64; 32] = std::array::from_fn(|lane| lane as u64 * 4096 + lane as u64 % 3 * 4);
    assert!(are_apart(&all, 2));
    for (one, other) in (0..32).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let (before, there) = (all[one], all[other]);
        all[one] = there;
        let two = access(1 << one | 1 << other, 4, AccessKind::Write, &all);
        assert!(!are_apart(&all, 2) && !distinct(&two, 4) && !distinct(&Access { mask: u32::MAX, ..two }, 4));
        all[one] = there + (4 << 32);
        assert!(!are_apart(&all, 2) && distinct(&access(u32::MAX, 4, AccessKind::Write, &all), 4));
        all[one] = before;
    }
}

#[test]
fn links_are_the_same_in_vectors() {
    let mut seed = 1u64;
    let mut random = || crate::random::next(&mut seed);
    for bytes in [1, 2, 4, 8, 16].into_iter().cycle().take(200) {
        let mut at = u64::MAX - random() % 100;
        let addresses = std::array::from_fn(|_| {
            at = at.wrapping_add([0, bytes, 128, random()][random() as usize % 4]);
            at
        });
        let (one, other) = (Links::of_addresses(&addresses, bytes), links(&addresses, bytes));
        assert_eq!((one.same, one.on), (other.same, other.on), "{addresses:x?}");
    }
}

#[test]
fn shapes() {
    let coalesced = runs_of(u32::MAX, 4, AccessKind::Write, |l| 64 + 4 * u64::from(l)).unwrap();
    assert_eq!(coalesced.as_slice(), [Run { first: 0, lanes: 32, address: 64, uniform: false, gaps: 0 }]);
    let all = std::array::from_fn(|lane| 64 + 4 * lane as u64);
    assert!(whole(&access(u32::MAX, 4, AccessKind::Write, &all), 4, &mut Runs::new()));
    // Lanes in a row are one run, too, and others are not.
    let mut runs = Runs::new();
    for (mask, first, lanes) in [(u32::MAX >> 1, 0, 31), (0xffff, 0, 16), (0xff0, 4, 8), (0xc000_0000, 30, 2)]
    {
        assert!(whole(&access(mask, 4, AccessKind::Write, &all), 4, &mut runs));
        let address = 64 + 4 * u64::from(first);
        assert_eq!(runs.as_slice(), [Run { first, lanes, address, uniform: false, gaps: 0 }]);
    }
    for mask in [0, 1 << 5, 0xff0f, 0x8000_0001] {
        assert!(!whole(&access(mask, 4, AccessKind::Write, &all), 4, &mut runs), "{mask:x}");
    }
    let pixels = std::array::from_fn(|lane| 64 + 3 * lane as u64);
    assert!(strided(&access(0xfff0, 1, AccessKind::Read, &pixels), 1).is_some());
    assert!(strided(&access(0xf0f0, 1, AccessKind::Read, &pixels), 1).is_none());
    assert!(strided(&access(0xfff0, 4, AccessKind::Read, &pixels), 4).is_none());
    assert!(!whole(&access(u32::MAX, 8, AccessKind::Read, &all), 8, &mut Runs::new()));
    let uniform = runs_of(0xff0, 8, AccessKind::Read, |_| 8).unwrap();
    assert_eq!(uniform.as_slice(), [Run { first: 4, lanes: 8, address: 8, uniform: true, gaps: 0 }]);
    let rows = runs_of(u32::MAX, 4, AccessKind::Write, |l| u64::from(l / 16) * 4096 + u64::from(l % 16) * 4);
    assert_eq!(rows.unwrap().len(), 2);
    assert_eq!(runs_of(u32::MAX, 4, AccessKind::Read, |l| u64::from(l) * 128).unwrap().len(), 32);
    assert!(runs_of(3, 4, AccessKind::Write, |_| 8).is_none(), "lanes of one store");
    assert!(runs_of(5, 4, AccessKind::Write, |l| 8 + u64::from(l)).is_none(), "overlapping lanes");
}

#[test]
fn a_read_of_one_place_is_one_run_whichever_lanes_make_it() {
    for mask in [1 << 31, 0x8000_0001, 0xda5a_0ff0, u32::MAX] {
        // Lanes that are not active are anywhere.
        let addresses = std::array::from_fn(|lane| if mask >> lane & 1 != 0 { 200 } else { 3 * lane as u64 });
        let plain = access(mask, 4, AccessKind::Read, &addresses);
        let run = same_place(&plain, 4).unwrap();
        assert_eq!(same_place(&Access { stride: Some(0), ..plain }, 4), Some(run));
        assert_eq!((run.address, run.end(4)), (200, 204));
        let stamp =
            Stamp::new(crate::ptx::access::thread::index(plain.warp), 1, SiteId(0), AccessClass::READ);
        let (number, stamp) = run.only_line(4, &stamp).unwrap();
        assert_eq!((number, stamp.lanes, stamp.from, stamp.to), (1, mask, 72, 76));
        assert!(same_place(&access(mask, 4, AccessKind::Write, &addresses), 4).is_none());
        let mut other = addresses;
        other[31] = 204;
        assert_eq!(same_place(&access(mask, 4, AccessKind::Read, &other), 4).is_some(), mask == 1 << 31);
    }
}
