use super::*;
use crate::ptx::access::class::AccessClass;
use crate::ptx::history::spread::easily;
use crate::ptx::history::words::packing::{Accessor, Packing, Stand};
use crate::ptx::order::knowledge::WarpState;
use crate::random::next as random;
use clocks::compressed::WarpIndex;
use events::{AccessKind, AtomicOp, Scope, Sem, SiteId, Strength};
use std::sync::Arc;

/// Random accesses of a few words, one copy by the short way and one by the long one.
fn filled(seed: u64) -> [Words; 2] {
    let mut seed = seed;
    let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
    let mut both = [(); 2].map(|()| Words::of_a_page(&packing));
    let strong = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
    let atomic = AccessKind::Atomic { op: AtomicOp::Add, returns: true };
    let of = if seed.is_multiple_of(2) { 4 } else { 2 };
    // Strong operations are kept only where nothing but barriers orders threads.
    let stand = [Stand::All, [Stand::Earlier, Stand::Each][seed as usize / 4 % 2], Stand::All, Stand::Alike]
        [seed as usize % 4];
    for turn in 0..400 {
        let (kind, strength) = [
            (AccessKind::Read, Strength::Weak),
            (AccessKind::Write, Strength::Weak),
            (AccessKind::Read, strong),
            (atomic, strong),
        ][(random(&mut seed) % of) as usize];
        let class = AccessClass::with(kind, strength);
        let kind = Kind::new(SiteId(random(&mut seed) as u32 % 2), class, 2);
        let (tick, warp) = (1 + turn / 100, random(&mut seed) as u16 % 2);
        let mut state = WarpState::new(u32::MAX);
        (state.tick, state.all) = (tick, tick - 1);
        let by = (WarpIndex { block: random(&mut seed) as u32 % 4, warp }, tick);
        let kind = (packing.number(kind).unwrap(), class);
        let by = Accessor::new(&packing, by, kind, &state, stand).unwrap();
        let (word, lane, n) = match random(&mut seed) % 2 {
            0 => (random(&mut seed) % 40, random(&mut seed) % 4, random(&mut seed) % 4),
            // Rows that are judged together, now and then.
            _ => (random(&mut seed) % 2 * 24, 0, 24),
        };
        let [short, long] = &mut both;
        let (at, new) = (word as usize, by.of_lane(lane as u32));
        let added = match n {
            1 if easily(&mut short.places(u32::MAX), at, new, &by) => 1,
            _ => short.row((at, n as usize), new, &by, &mut 0),
        };
        let slowly = |i: &u64| long.single((word + i) as usize, by.of_lane((lane + i) as u32), &by, &mut 0);
        assert_eq!(added, (0..n).take_while(slowly).count(), "{seed}");
    }
    both
}

fn entries(words: &Words) -> Vec<(usize, u32, u16, SiteId)> {
    let mut out = Vec::new();
    words.entries(0..32, |cell, entry| {
        let thread = entry.warp * 32 + entry.lanes.trailing_zeros() as u16;
        out.push((cell * 4 + entry.bytes.trailing_zeros() as usize / 4, entry.block, thread, entry.site));
    });
    out
}

#[test]
fn the_short_way_and_the_long_one_keep_the_same() {
    for seed in 0..300 {
        let [short, long] = filled(seed);
        assert_eq!(entries(&short), entries(&long), "{seed}");
    }
}

/// Scattered reads, or writes, of many threads: of each word one that was there, the same however it is asked.
#[test]
fn each_tells_of_every_word_somebody_who_was_there() {
    let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
    for (seed, kind) in [(1, AccessKind::Read), (2, AccessKind::Write), (3, AccessKind::Read)] {
        let (mut seed, mut words) = (seed, Words::of_a_page(&packing));
        for _ in 0..700 {
            let class = AccessClass::with(kind, Strength::Weak);
            let kind = Kind::new(SiteId(random(&mut seed) as u32 % 3), class, 2);
            let mut state = WarpState::new(u32::MAX);
            state.tick = 1;
            let by = WarpIndex { block: random(&mut seed) as u32 % 4, warp: random(&mut seed) as u16 % 8 };
            let kind = (packing.number(kind).unwrap(), class);
            let by = Accessor::new(&packing, (by, 1), kind, &state, Stand::All).unwrap();
            let (word, lane) = (random(&mut seed) as usize % 900, random(&mut seed) as u32 % 32);
            words.one((word, 1), by.of_lane(lane), &by, &mut 0);
        }
        let all = entries(&words);
        assert!(words.each(all.len(), &mut Met::default()).is_none(), "few");
        let (each, stretches) = words.each(100, &mut Met::default()).unwrap();
        let mut told = Vec::new();
        for stretch in &stretches {
            for word in stretch.words.0..stretch.words.1 {
                let (block, thread) = each.thread(stretch.layer, word);
                let site = each.site(stretch.layer, word);
                assert!(stretch.site.is_none_or(|known| known == site));
                told.push((word, site, block, thread));
            }
        }
        let mut first: Vec<_> =
            all.iter().map(|&(w, block, thread, site)| (w, site, block, thread)).collect();
        first.sort_unstable();
        first.dedup_by_key(|(word, ..)| *word);
        assert_eq!(told, first);
        assert!(stretches.windows(2).all(|s| s[0].words.1 < s[1].words.0), "as long as can be");
    }
}

/// Whole lines of one instruction, some of several, and some without history.
#[test]
fn stretches_are_the_same_a_line_at_a_time() {
    let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
    let mut whole = 0;
    for mut seed in 0..200 {
        let mut words = [0; WORDS];
        for line in words.chunks_mut(LINE) {
            let (how, same) = (random(&mut seed) % 4, random(&mut seed));
            for word in line.iter_mut().filter(|_| how != 0) {
                let of = if how == 1 { random(&mut seed) } else { same };
                let (kind, site) =
                    ([AccessKind::Read, AccessKind::Write][of as usize % 2], SiteId(of as u32 / 2 % 3));
                let class = AccessClass::with(kind, Strength::Weak);
                let kind = packing.number(Kind::new(site, class, 2)).unwrap();
                let at = WarpIndex { block: of as u32 % 4, warp: 1 };
                let packed = packing.pack(at, 1 + of as u32 % 2, kind).unwrap();
                let nobody = how == 1 && random(&mut seed).is_multiple_of(9);
                *word = if nobody { 0 } else { packed | (random(&mut seed) % 32) };
            }
            whole += u32::from(line.iter().all(|&word| word != 0));
        }
        // Word by word.
        let mut expected = Vec::<(usize, usize, AccessClass, Option<SiteId>)>::new();
        for (word, &packed) in words.iter().enumerate().filter(|(_, packed)| **packed != 0) {
            let Kind { site, class, .. } = packing.kind(packed);
            match expected.last_mut().filter(|last| last.1 == word && last.2 == class) {
                Some(last) => (last.1, last.3) = (word + 1, last.3.filter(|&known| known == site)),
                None => expected.push((word, word + 1, class, Some(site))),
            }
        }
        // Kinds that were met make no difference.
        let (mut stretches, mut met) = (Vec::new(), Met::default());
        for _ in 0..2 {
            stretches.clear();
            stretch(&words, 0, (&mut met, &packing), &mut stretches);
            let told: Vec<_> = stretches.iter().map(|s| (s.words.0, s.words.1, s.class, s.site)).collect();
            assert_eq!(told, expected, "{seed}");
        }
    }
    assert!(whole > 2000, "{whole}");
}

#[test]
fn rows_tell_what_entries_tell() {
    for seed in 0..300 {
        let [words, _] = filled(seed);
        let mut told = Vec::new();
        words.rows(&mut Met::default(), |row| {
            for (i, word) in (row.words.0..row.words.1).enumerate() {
                let thread = row.thread + if row.neighbours { i as u16 } else { 0 };
                told.push((word, row.block, thread, row.kind.site));
            }
        });
        let mut entries = entries(&words);
        if words.has_sets() {
            // One access of each instruction stands for its access set.
            assert!(told.iter().all(|row| entries.contains(row)), "{seed}");
            for list in [&mut told, &mut entries] {
                list.iter_mut().for_each(|(_, block, thread, _)| (*block, *thread) = (0, 0));
                list.sort_unstable();
                list.dedup();
            }
        }
        assert_eq!(told, entries, "{seed}");
    }
}
