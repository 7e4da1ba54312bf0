use super::*;
use crate::ptx::access::class::AccessClass;
use crate::ptx::history::words::packing::{Kind, Packing, Stand};
use crate::ptx::order::knowledge::WarpState;
use clocks::compressed::WarpIndex;
use events::{AccessKind, SiteId, Strength};
use std::sync::Arc;

/// Warps that read one word, or have a lane write it: by stamps, and in a copy lane by lane.
#[test]
fn two_lanes_leave_what_all_lanes_leave() {
    let mut short = 0;
    for seed in 0..2000u64 {
        let mut random = crate::random::below(seed);
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        let [mut words, mut all] = [(); 2].map(|()| Words::of_a_page(&packing));
        for turn in 0..40 {
            let kind = if random(12) == 0 { AccessKind::Write } else { AccessKind::Read };
            let class = AccessClass::with(kind, Strength::Weak);
            let (site, tick) = (SiteId(random(3) as u32), 1 + turn / 10);
            let number = packing.number(Kind::new(site, class, 2)).unwrap();
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (tick, tick - 1);
            let at = WarpIndex { block: random(4) as u32, warp: random(2) as u16 };
            let by = Accessor::new(&packing, (at, tick), (number, class), &state, Stand::All).unwrap();
            let mask = match random(3) {
                0 => 1 << random(32),
                1 => (random(1 << 31) as u32) << 1 | 1,
                _ => u32::MAX,
            };
            let lanes = if class.writes() { 1 << random(32) } else { mask };
            let stamp = Stamp::new(at, tick, site, class).of_same(lanes, 8, 12);
            short += u32::from(lanes.count_ones() > 2 && words.two_stand_for_all(1, &stamp, &by));
            let added = words.stamp(1, &stamp, &by, &mut 0);
            let mut each = (0..32).filter(|lane| lanes >> lane & 1 != 0);
            let slowly = |lane| all.single(LINE + 2, by.of_lane(lane), &by, &mut 0);
            assert_eq!(each.all(slowly), added, "{seed}");
            if !added {
                break;
            }
            let entries = |words: &Words| {
                let mut out = Vec::new();
                words.entries(0..32, |cell, entry| out.push(format!("{cell} {entry:?}")));
                out
            };
            assert_eq!(entries(&words), entries(&all), "{seed}");
        }
    }
    assert!(short > 1000, "{short}");
}
