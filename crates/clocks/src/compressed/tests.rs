use super::*;

const SHAPE: Shape = Shape { blocks: 300, threads_per_block: 80 };

fn at(block: u32, warp: u16) -> WarpIndex {
    WarpIndex { block, warp }
}

/// Applies each operation to both kinds of clock and compares the results of all queries.
#[derive(Clone, Default)]
struct Both(Compressed, Plain);

impl Both {
    fn raise(&mut self, w: WarpIndex, lanes: u32, time: u32) {
        self.0.raise(&SHAPE, w, lanes, time);
        self.1.raise(&SHAPE, w, lanes, time);
    }

    fn check(&self) {
        for block in 0..SHAPE.blocks {
            for thread in 0..SHAPE.threads_per_block {
                let (w, lane) = (at(block, (thread / 32) as u16), thread % 32);
                assert_eq!(self.0.get(w, lane), self.1.get(w, lane), "{w:?} {lane}");
            }
        }
    }
}

fn random(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as u32
}

#[test]
#[cfg_attr(miri, ignore = "a step takes Miri a minute and more")]
fn compressed_and_plain_agree_on_random_histories() {
    let mut seed = 7;
    for _ in 0..60 {
        let mut clocks = vec![Both::default(); 4];
        for _ in 0..60 {
            let (who, other) = (random(&mut seed) as usize % 4, random(&mut seed) as usize % 4);
            let w = at(random(&mut seed) % SHAPE.blocks, (random(&mut seed) % 3) as u16);
            let time = random(&mut seed) % 6;
            match random(&mut seed) % 4 {
                0 => {
                    let theirs = clocks[other].clone();
                    clocks[who].0.join(&SHAPE, &theirs.0);
                    clocks[who].1.join(&SHAPE, &theirs.1);
                }
                1 => clocks[who].raise(w, random(&mut seed), time),
                2 => clocks[who].raise(w, u32::MAX, time),
                _ => {
                    clocks[who].0.raise_block(&SHAPE, w.block, time);
                    clocks[who].1.raise_block(&SHAPE, w.block, time);
                }
            }
            clocks[who].check();
            let (a, b) = (&clocks[who], &clocks[other]);
            assert_eq!(a.0.le(&b.0), a.1.le(&b.1));
            let lanes = random(&mut seed);
            assert_eq!(
                a.0.behind(&SHAPE, w, lanes, time) & SHAPE.lanes(w.warp),
                a.1.behind(&SHAPE, w, lanes, time)
            );
        }
    }
}

#[test]
fn equal_lanes_and_equal_warps_are_one_number() {
    let mut clock = Compressed::default();
    for lane in 0..32 {
        clock.raise(&SHAPE, at(3, 0), 1 << lane, 5);
    }
    assert_eq!(clock.numbers(), 3, "a warp of one number, two of zero");
    clock.raise(&SHAPE, at(3, 1), u32::MAX, 5);
    // The third warp has only sixteen lanes.
    clock.raise(&SHAPE, at(3, 2), 0xffff, 5);
    assert_eq!(clock.numbers(), 1);
    clock.raise(&SHAPE, at(3, 2), 1, 6);
    assert_eq!(clock.numbers(), 34);
}

#[test]
fn a_join_can_compress() {
    let (mut a, mut b) = (Compressed::default(), Compressed::default());
    a.raise(&SHAPE, at(0, 0), 0x0000_ffff, 2);
    b.raise(&SHAPE, at(0, 0), 0xffff_0000, 2);
    a.join(&SHAPE, &b);
    assert_eq!(a.get(at(0, 0), 31), 2);
    assert_eq!(a.numbers(), 3);
}

#[test]
fn a_clock_that_learns_little_shares_the_rest() {
    let mut first = Compressed::default();
    for block in 0..SHAPE.blocks {
        first.raise(&SHAPE, at(block, 0), 1, block + 1);
    }
    let mut second = first.clone();
    second.raise(&SHAPE, at(20, 1), 2, 9);
    let mut seen = Seen::default();
    let (whole, more) = (first.bytes(&mut seen), second.bytes(&mut seen));
    assert!(more * 4 < whole, "{more} of {whole}");
}

#[test]
fn compression_saves_three_quarters_at_4096_blocks() {
    let shape = Shape { blocks: if cfg!(miri) { 64 } else { 4096 }, threads_per_block: 256 };
    // The state after barriers, with one warp of each block that took a lock afterwards (Fig. 6).
    let (mut compressed, mut plain) = (Compressed::default(), Plain::default());
    for block in 0..shape.blocks {
        compressed.raise_block(&shape, block, 3);
        compressed.raise(&shape, at(block, 5), u32::MAX, 4);
        plain.raise(&shape, at(block, 5), 1, 4);
    }
    let (small, large) = (compressed.bytes(&mut Seen::default()), plain.bytes(&mut Seen::default()));
    assert!(small * 4 <= large, "{small} of {large}");
}
