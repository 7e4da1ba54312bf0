//! Lanes of one instruction that store equal bytes to one location are a hazard, and different bytes a race, whichever way the
//! access goes through the detector.

use crate::script;

use detect::ptx::PtxOptions;
use events::task::SyncUse;
use events::{
    Access, AccessKind, Class, Finding, LaneMask, Level, Observer, Proxy, SiteId, Space, Strength, Written,
};
use script::{Script, T, launch};

/// How the lanes of a store lie.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Point,
    /// At random among so many words that are so many bytes apart.
    Among(u64, u64),
}

fn store(s: &mut Script<'_>, site: u32, t: T, space: Space, addresses: &[u64; 32], words: &[u32; 32]) {
    let warp = s.warp(t);
    let point = addresses.iter().all(|address| *address == addresses[0]);
    s.ear.observer.access(&Access {
        warp,
        site: SiteId(site),
        space,
        kind: AccessKind::Write,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        size: 4,
        elements: 1,
        mask: LaneMask::MAX,
        addresses,
        stride: point.then_some(0),
        stored: LaneMask::MAX,
        values: None,
        written: Written::Bytes(words),
    });
}

/// Stores of warps at memory of their own: by sites 1, 2 and 3 with equal words at each address, with random words, and with
/// random words of which all but a few stores have equal ones.
fn stores(
    blocks: u32,
    shared: bool,
    shape: Shape,
    options: PtxOptions,
    seed: u64,
) -> (Vec<Finding>, [bool; 3]) {
    let mut s = Script::with(launch(1, blocks, 64, 1, SyncUse::default()), options);
    let mut seed = seed;
    let mut random = |of: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % of
    };
    let mut differs = [false; 3];
    for round in 0..60 {
        for block in 0..blocks.min(4) {
            for warp in 0..2u16 {
                let home =
                    if shared { u64::from(warp) << 14 } else { u64::from(block * 2 + u32::from(warp)) << 21 };
                let place = |random: &mut dyn FnMut(u64) -> u64| match shape {
                    Shape::Point => home,
                    Shape::Among(words, apart) => home + random(words) * apart,
                };
                let addresses: [u64; 32] = std::array::from_fn(|_| place(&mut random));
                let site = random(3) as usize;
                let mixed = site == 1 || site == 2 && round % 20 == 19;
                let equal = |address: u64| (address >> 2) as u32;
                let words: [u32; 32] = addresses.map(|a| if mixed { random(2) as u32 } else { equal(a) });
                let meet = |i: usize| (0..i).any(|j| addresses[j] == addresses[i] && words[j] != words[i]);
                differs[site] |= (0..32).any(meet);
                let space = if shared { Space::Shared(events::BlockId(block)) } else { Space::Global };
                store(&mut s, 1 + site as u32, T(block, warp * 32), space, &addresses, &words);
                // The next store is no second one of the same interval.
                s.barrier(block);
            }
        }
    }
    (s.findings(), differs)
}

#[test]
fn equal_bytes_are_a_hazard_and_others_a_race_on_every_way() {
    let shapes = [
        Shape::Point,
        Shape::Among(24, 4),
        Shape::Among(40, 64),
        Shape::Among(64, 4096),
        Shape::Among(500, 4096),
    ];
    let (mut hazards, mut races) = (0, 0);
    for seed in 0..6 {
        for (blocks, shared) in [(1, false), (4, false), (256, false), (1, true), (64, true)] {
            for shape in shapes {
                let shape = match shape {
                    Shape::Among(words, 64..) if shared => Shape::Among(words.min(60), 128),
                    shape => shape,
                };
                let (found, differs) = stores(blocks, shared, shape, PtxOptions::default(), seed);
                for finding in found {
                    let sites = finding.sides.each_ref().map(|side| side.site.map_or(0, |site| site.0));
                    assert_eq!((finding.class, sites[0]), (Class::SameInstruction, sites[1]), "{finding:?}");
                    let race = differs[sites[0] as usize - 1];
                    let level = if race { Level::Race } else { Level::Hazard };
                    assert_eq!(finding.level, level, "{blocks} {shared} {shape:?}: {finding:?}");
                    *(if race { &mut races } else { &mut hazards }) += 1;
                }
            }
        }
    }
    assert!(hazards > 40 && races > 40, "{hazards} {races}");
}

#[test]
fn by_the_letter_equal_bytes_are_a_race() {
    let letter = PtxOptions { equal_values_hazard: false, ..PtxOptions::default() };
    let (found, _) = stores(1, false, Shape::Point, letter, 1);
    assert!(found.len() == 3 && found.iter().all(|f| f.level == Level::Race), "{found:?}");
}

/// What is shown of a race are two lanes that stored different bytes.
#[test]
fn the_lanes_shown_are_lanes_that_differ() {
    let mut s = Script::with(launch(1, 1, 32, 1, SyncUse::default()), PtxOptions::default());
    let mut words = [1; 32];
    words[9] = 2;
    store(&mut s, 1, T(0, 0), Space::Global, &[64; 32], &words);
    let found = s.findings();
    let lanes = found[0].sides.each_ref().map(|side| match side.who {
        events::finding::Actor::Thread { thread, .. } => thread.0,
        _ => u16::MAX,
    });
    assert_eq!((found.len(), lanes), (1, [0, 9]));
}
