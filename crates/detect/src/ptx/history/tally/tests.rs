use super::*;
use events::{AccessKind, AtomicOp, Scope, Sem, Strength};

/// Atomics of several blocks, in any order: by the short way where there is one, and by the long one.
#[test]
fn the_short_way_and_the_long_one_keep_the_same() {
    let strength = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
    let class = AccessClass::with(AccessKind::Atomic { op: AtomicOp::Add, returns: false }, strength);
    let (mut short, mut all) = (0, 0);
    for seed in 0..300u64 {
        let mut random = crate::random::below(seed);
        let [mut one, mut other] = [(); 2].map(|()| Tally::new(Stamps::new(), class, 4));
        let (blocks, sites) = (1 + random(4), 1 + random(3));
        for turn in 0..200 {
            let tick = 1 + turn / 60;
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (tick, tick - 1);
            let by = WarpIndex { block: random(blocks) as u32, warp: random(2) as u16 };
            let site = SiteId(random(sites) as u32);
            let slot = Slot::new(by, random(32) as u32, (tick, site, class)).unwrap();
            let at = random(4) as u8 * 4;
            let taken = one.takes(at, 4, &slot);
            assert!(taken || one.atomic(at, 4, slot, &state));
            assert!(other.atomic(at, 4, slot, &state));
            (short, all) = (short + u32::from(taken), all + 1);
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{seed}");
        }
    }
    assert!(short > all / 4, "{short} of {all}");
}
/// Reads of rows that do not begin where lines do, some of which are passed over: as if each word were counted.
#[test]
fn rows_are_kept_as_their_words_are() {
    let class = AccessClass::READ;
    for seed in 0..300u64 {
        let mut random = crate::random::below(seed);
        let [mut rows, mut words] = [(); 2].map(|()| Tally::new(Stamps::new(), class, 4));
        let (blocks, sites) = (1 + random(4), 1 + random(3));
        for turn in 0..200 {
            let by = WarpIndex { block: random(blocks) as u32, warp: random(2) as u16 };
            let site = SiteId(random(sites) as u32);
            let (from, to) = [(0, 60), (60, 128), (32, 96)][random(3) as usize];
            let stamp = Stamp::new(by, 1 + turn / 60, site, class);
            let stamp = match random(3) {
                0 => stamp.of_same(u32::MAX, from, from + 4),
                _ => stamp.of_neighbours(0, u32::from(to - from) / 4 - 1, 4, 0, from, to),
            };
            assert!(rows.keep(&stamp));
            for index in stamp.from / 4..stamp.to / 4 {
                let (first, second) = two_of(stamp.lanes_of(index * 4, index * 4 + 1));
                let slot = |lane: u16| Slot::new(by, lane.into(), (stamp.tick, site, class)).unwrap();
                let mut both = slot(first);
                both.join(&slot(second));
                words.count(index, both);
            }
            let kept = |tally: &Tally| format!("{:?} {:?}", tally.words, tally.displaced);
            assert_eq!(kept(&rows), kept(&words), "{seed}");
        }
    }
}
