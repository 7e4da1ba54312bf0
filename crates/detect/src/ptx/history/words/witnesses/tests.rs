use super::*;
use crate::ptx::access::class::AccessClass;
use crate::ptx::history::words::packing::{Kind, Packing, Stand};
use crate::ptx::history::words::{Words, at};
use crate::ptx::order::knowledge::WarpState;
use clocks::compressed::WarpIndex;
use events::SiteId;
use std::sync::Arc;

/// A word keeps the reads of the first and the last block, in whatever order they came.
#[test]
fn two_reads_are_of_the_first_and_the_last_block() {
    let packing = Packing::new(6, &Arc::default()).unwrap();
    let kind = packing.number(Kind::new(SiteId(1), AccessClass::READ, 2)).unwrap();
    let mut seed = 1u64;
    for round in 0..500 {
        let (mut first, mut other, mut blocks) = (0, 0, Vec::new());
        let mut state = WarpState::new(u32::MAX);
        (state.tick, state.all) = (2, 1);
        for _ in 0..6 {
            let bits = crate::random::next(&mut seed) as u32;
            let (block, lane) = (bits % 6, (bits >> 7) % 3);
            let class = AccessClass::READ;
            let by =
                Accessor::new(&packing, (WarpIndex { block, warp: 0 }, 2), (kind, class), &state, Stand::All)
                    .unwrap();
            blocks.push(u64::from(block));
            let new = by.of_lane(lane);
            (first, other) = match first {
                0 => (new, 0),
                _ if first == new => (first, other),
                _ => two_of(first, other, new, by.behind()),
            };
            let kept = (packing.thread(first).0, packing.thread(other).0);
            let (least, most) = (blocks.iter().min().copied(), blocks.iter().max().copied());
            assert_eq!(Some(u64::from(kept.0)), least, "{round}");
            assert!(least == most || Some(u64::from(kept.1)) == most, "{round}");
        }
    }
}

/// A word keeps two reads of one instruction between two barriers, in small launches, too: an access that races with any
/// of the reads races with one of the two.
#[test]
fn two_alike_stand_for_all_of_one_instruction() {
    let packing = Arc::new(Packing::new(3, &Arc::default()).unwrap());
    let kind = packing.number(Kind::new(SiteId(1), AccessClass::READ, 2)).unwrap();
    let (mut seed, mut dropped) = (1u64, 0);
    for _ in 0..2000 {
        let mut words = Words::of_a_page(&packing);
        let mut read = Vec::new();
        let mut state = WarpState::new(u32::MAX);
        (state.tick, state.all) = (2, 1);
        for _ in 0..6 {
            let bits = crate::random::next(&mut seed) as u32;
            let (block, warp, lane) = (bits % 3, (bits >> 4) as u16 % 2, (bits >> 7) % 2);
            let (by, class) = ((WarpIndex { block, warp }, 2), (kind, AccessClass::READ));
            let by = Accessor::new(&packing, by, class, &state, Stand::Alike).unwrap();
            assert!(words.one((7, 1), by.of_lane(lane), &by, &mut 0));
            read.push(packing.thread(by.of_lane(lane)));
            let kept = [&words.reads, &words.others].map(|reads| at(reads, 7));
            let kept: Vec<_> = kept.into_iter().filter(|&k| k != 0).map(|k| packing.thread(k)).collect();
            dropped += usize::from(read.len() > 2);
            for writer in &[(0, 0), (0, 1), (0, 32), (0, 33), (1, 0), (1, 33), (2, 0), (2, 32)] {
                let races = read.iter().any(|thread| thread != writer);
                assert_eq!(races, kept.iter().any(|thread| thread != writer), "{read:?} {kept:?}");
            }
        }
    }
    assert!(dropped > 1000);
}
