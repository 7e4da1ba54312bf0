//! Inputs, regenerated from a form's name.
//!
//! A class is a type, or a type and a distribution after a colon (`f32:cvt`). The first items are
//! combinations of the class's special values, the rest random with emphasis on values where rounding,
//! flushing and cancellation happen.

use super::form::Form;

/// splitmix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Returns the FNV-1a hash of names, inputs and results.
pub(crate) fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Returns the sources of all items, one `u64` slot each, item after item.
pub(crate) fn inputs(form: &Form) -> Vec<u64> {
    let mut random = Random::new(fnv(form.name.bytes()));
    let specials: Vec<Vec<u64>> = form.sources.iter().map(|c| specials(c)).collect();
    let combinations = specials.iter().fold(1usize, |n, list| n.saturating_mul(list.len()));
    let systematic = combinations.min(form.items / 4);
    let mut slots = Vec::with_capacity(form.items * form.sources.len());
    for item in 0..form.items {
        let start = slots.len();
        if item < systematic {
            // All combinations if they fit, else a random choice of them.
            let mut index = if systematic == combinations { item } else { random.next() as usize >> 1 };
            for list in &specials {
                slots.push(list[index % list.len()]);
                index /= list.len();
            }
        } else {
            for (class, list) in form.sources.iter().zip(&specials) {
                let v = if random.below(16) == 0 { random.pick(list) } else { draw(class, &mut random) };
                slots.push(v);
            }
            cancel(&form.sources, &mut slots[start..], &mut random);
        }
    }
    slots
}

/// Occasionally makes the addend nearly cancel the rest of the sum.
fn cancel(classes: &[String], slots: &mut [u64], random: &mut Random) {
    if classes.is_empty() || random.below(6) != 0 || classes.iter().any(|c| c != &classes[0]) {
        return;
    }
    let nudge = random.below(5).wrapping_sub(2);
    match (classes[0].as_str(), classes.len()) {
        ("f32", 2) => slots[1] = u64::from((slots[0] as u32 ^ 1 << 31).wrapping_add(nudge as u32)),
        ("f64", 2) => slots[1] = (slots[0] ^ 1 << 63).wrapping_add(nudge),
        ("f32", 3) => {
            let p = f32::from_bits(slots[0] as u32) * f32::from_bits(slots[1] as u32);
            slots[2] = u64::from((-p).to_bits().wrapping_add(nudge as u32));
        }
        ("f64", 3) => {
            let p = f64::from_bits(slots[0]) * f64::from_bits(slots[1]);
            slots[2] = (-p).to_bits().wrapping_add(nudge);
        }
        _ => {}
    }
}

/// Generates a float from sign, exponent field and mantissa, truncated to the format.
fn float(random: &mut Random, exp_bits: u32, man_bits: u32, exps: &[u64]) -> u64 {
    let man_mask = (1u64 << man_bits) - 1;
    let r = random.next();
    let man = match r % 4 {
        // Few bits set from the top or the bottom: exact sums, ties.
        0 => (random.next() << (random.below(u64::from(man_bits)))) & man_mask,
        1 => man_mask - (random.next() & man_mask & 3),
        _ => random.next() & man_mask,
    };
    let bias = (1u64 << (exp_bits - 1)) - 1;
    let exp = match r >> 8 & 7 {
        0 => random.next(),
        1 => random.pick(exps),
        2 => bias / 2 + random.below(4),
        3 => bias + bias / 2 + random.below(4),
        4 => random.below(3),
        _ => bias - 3 + random.below(8),
    } & ((1 << exp_bits) - 1);
    (r >> 63) << (exp_bits + man_bits) | exp << man_bits | man
}

fn draw(class: &str, random: &mut Random) -> u64 {
    let (ty, how) = class.split_once(':').unwrap_or((class, ""));
    match (ty, how) {
        ("f32", "cvt") => {
            let exp = 120 + random.below(75);
            near_integer(random, 23) | exp << 23 | (random.next() & 1) << 31
        }
        ("f64", "cvt") => {
            let exp = 1016 + random.below(75);
            near_integer(random, 52) | exp << 52 | (random.next() & 1) << 63
        }
        ("f32", "half") => {
            // Around the 16-bit formats' ranges, with ties at their last bits.
            let exp = 98 + random.below(50);
            let man = random.next() & random.pick(&[0x7f_ffff, 0x7f_f000, 0x7f_8000, 0x7f_f001, 0x7f_8001]);
            man | exp << 23 | (random.next() & 1) << 31
        }
        ("f32", "mod") => {
            // Moderate magnitudes, 2^-8 to 2^8, for `ex2`, `sin`, …
            let exp = 119 + random.below(16);
            random.next() & 0x7f_ffff | exp << 23 | (random.next() & 1) << 31
        }
        ("f32", "unit") => {
            // Sums of a few of these neither overflow nor flush.
            let exp = 124 + random.below(6);
            random.next() & 0x7f_ffff | exp << 23 | (random.next() & 1) << 31
        }
        ("f64", "unit") => {
            let exp = 1020 + random.below(6);
            random.next() & 0xf_ffff_ffff_ffff | exp << 52 | (random.next() & 1) << 63
        }
        ("f16x2", "unit") => pair(random, 16, |r| (r.next() & 0x83ff) | (12 + r.below(6)) << 10),
        ("bf16x2", "unit") => pair(random, 16, |r| (r.next() & 0x807f) | (124 + r.below(6)) << 7),
        ("tf32", "unit") => {
            let exp = 124 + random.below(6);
            random.next() & 0x7f_e000 | exp << 23 | (random.next() & 1) << 31
        }
        ("b32", "fp8") => {
            // Four bytes near one in either 8-bit format.
            let byte = |r: &mut Random| r.next() & 0x87 | (0x30 + (r.below(3) << 3));
            pair(random, 16, |r| pair(r, 8, byte))
        }
        ("b32", "metadata") => metadata(random, &ORDERED),
        ("b32", "metadata-pairs") => metadata(random, &[1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14]),
        ("b32", "metadata-halves") => metadata(random, &[4, 14]),
        ("f32" | "tf32", _) => float(random, 8, 23, &[1, 2, 103, 104, 150, 151, 253, 254]),
        ("f64", _) => float(random, 11, 52, &[1, 2, 970, 971, 1075, 1076, 2045, 2046]),
        ("f16", _) => float(random, 5, 10, &[1, 2, 28, 29, 30]),
        ("bf16", _) => float(random, 8, 7, &[1, 2, 119, 120, 253, 254]),
        ("f16x2", _) => pair(random, 16, |r| float(r, 5, 10, &[1, 2, 28, 29, 30])),
        ("bf16x2", _) => pair(random, 16, |r| float(r, 8, 7, &[1, 2, 119, 120, 253, 254])),
        ("pred", _) => random.next() & 1,
        (_, "shift") => match random.below(8) {
            0 => random.next() & 0xffff_ffff,
            1 => random.below(300),
            _ => random.below(70),
        },
        (_, "lane") => random.below(32),
        // Zero in one of a hundred: a condition that occasionally holds for all lanes of a warp.
        (_, "rare") => {
            if random.below(100) == 0 {
                0
            } else {
                1 + random.below(99)
            }
        }
        (_, "dense") => {
            !(random.next() & random.next() & random.next() & random.next() & random.next()) & 0xffff_ffff
        }
        // Elements at the edges of their ranges, and equal ones.
        (_, "bytes") => pair(random, 16, |r| pair(r, 8, |r| edge(r, 8))),
        (_, "halves") => pair(random, 16, |r| edge(r, 16)),
        (_, "mask") => random.next() & random.next() & 0xffff_ffff,
        (_, "few") => random.below(4),
        (_, "offset") => (random.below(21) as i64 - 10) as u64 & 0xffff_ffff,
        _ => {
            let bits = integer_bits(ty);
            let mask = u64::MAX >> (64 - bits);
            let v = match random.below(4) {
                // Small magnitudes of both signs.
                0 => (random.next() as i64 >> (32 + random.below(31))) as u64,
                // A power of two and its neighbours.
                1 => (1u64 << random.below(u64::from(bits))).wrapping_add(random.below(3)).wrapping_sub(1),
                _ => random.next(),
            };
            v & mask
        }
    }
}

/// The pairs of indices that sparse products take in any case: different ones in ascending order.
const ORDERED: [u64; 6] = [0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110];

/// Returns eight pairs of indices.
fn metadata(random: &mut Random, pairs: &[u64]) -> u64 {
    (0..8).fold(0, |all, _| all << 4 | random.pick(pairs))
}

fn edge(random: &mut Random, bits: u32) -> u64 {
    let (top, mask) = (1 << (bits - 1), (1 << bits) - 1);
    match random.below(3) {
        0 => random.pick(&[0, 1, top - 1, top, mask]),
        _ => random.next() & mask,
    }
}

fn near_integer(random: &mut Random, man_bits: u32) -> u64 {
    let mask = (1u64 << man_bits) - 1;
    match random.below(3) {
        0 => random.next() & mask,
        _ => (random.next() << random.below(u64::from(man_bits))) & mask,
    }
}

fn pair(random: &mut Random, bits: u32, mut f: impl FnMut(&mut Random) -> u64) -> u64 {
    f(random) << bits | f(random)
}

fn integer_bits(ty: &str) -> u32 {
    match ty {
        "u64" | "s64" | "b64" => 64,
        "u16" | "s16" | "b16" | "e4m3x2" | "e5m2x2" => 16,
        // The upper bits of 8-bit sources' registers are ignored, so they are filled with random bits.
        _ => 32,
    }
}

fn specials(class: &str) -> Vec<u64> {
    let (ty, how) = class.split_once(':').unwrap_or((class, ""));
    let both_signs =
        |list: &[u64], sign: u32| -> Vec<u64> { list.iter().flat_map(|&v| [v, v | 1 << sign]).collect() };
    let f16: &[u64] = &[0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00];
    let bf16: &[u64] = &[0, 1, 0x7f, 0x80, 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0];
    match (ty, how) {
        (_, "unit") => match ty {
            "f32" | "tf32" => vec![0, 0x3f80_0000, 0xbf80_0000],
            "f64" => vec![0, 1f64.to_bits(), (-1f64).to_bits()],
            "f16x2" => vec![0, 0x3c00_3c00, 0xbc00_3c00],
            _ => vec![0, 0x3f80_3f80, 0xbf80_3f80],
        },
        ("f32", "cvt") => {
            let values = [0.0f32, 0.5, 1.5, 2.5, 0.25, 127.5, 128.5, 255.5, 32767.5, 65535.5, 2147483648.0];
            let more = [1e-40f32, 4294967296.0, 9.223372e18, 1.8446744e19, 1e30, f32::INFINITY, f32::NAN];
            let list: Vec<u64> = values.iter().chain(&more).map(|v| v.to_bits().into()).collect();
            both_signs(&list, 31)
        }
        ("f64", "cvt") => {
            let values = [0.0f64, 0.5, 1.5, 2.5, 127.5, 255.5, 65535.5, 2147483647.5, 4294967295.5, 1e-310];
            let more = [9.223372036854776e18, 1.8446744073709552e19, 1e300, 1e-46, 1e-40, 3.4028236e38];
            let list: Vec<u64> = values.iter().chain(&more).map(|v| v.to_bits()).collect();
            let mut list = both_signs(&list, 63);
            list.extend([0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_1234]);
            list.extend([0xfff8_0000_0000_0000, 0x7ff4_0000_2000_0001]);
            list
        }
        ("b32", "fp8") => vec![0, 0x3838_3838, 0xb8b8_b838],
        ("b32", "metadata" | "metadata-pairs" | "metadata-halves") => vec![0x4444_4444, 0xeeee_eeee],
        ("f32" | "tf32", _) => both_signs(
            &[
                0,
                1,
                0x7f_ffff,
                0x80_0000,
                0x3380_0000,
                0x3f7f_ffff,
                0x3f80_0000,
                0x3f80_0001,
                0x4049_0fdb,
                0x7f7f_ffff,
                0x7f80_0000,
                0x7f80_0001,
                0x7fc1_2345,
            ],
            31,
        ),
        ("f64", _) => both_signs(
            &[
                0,
                1,
                0xf_ffff_ffff_ffff,
                0x10_0000_0000_0000,
                0x3ff0_0000_0000_0000,
                0x3ff0_0000_0000_0001,
                0x4009_21fb_5444_2d18,
                0x7fef_ffff_ffff_ffff,
                0x7ff0_0000_0000_0000,
                0x7ff0_0000_0000_0001,
                0x7ff8_0000_0001_2345,
            ],
            63,
        ),
        ("f16", _) => both_signs(f16, 15),
        ("bf16", _) => both_signs(bf16, 15),
        ("f16x2" | "bf16x2", _) => {
            let list = both_signs(if ty == "f16x2" { f16 } else { bf16 }, 15);
            // Each value once in either half.
            let n = list.len();
            (0..n).map(|i| list[i] << 16 | list[(i * 7 + 3) % n]).collect()
        }
        ("pred", _) => vec![0, 1],
        (_, "shift") => vec![0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 256, 0xffff_ffff],
        (_, "lane") => vec![0, 1, 15, 31],
        (_, "mask") => vec![0, 1, 0x8000_0000, 0xffff_ffff, 0x5555_5555],
        (_, "few") => vec![0, 1, 2, 3],
        (_, "rare") => vec![0, 1],
        (_, "dense") => vec![0xffff_ffff],
        (_, "offset") => vec![0, 1, 2, 0xffff_ffff, 0xffff_fffe, 32, 33],
        ("e4m3x2" | "e5m2x2", _) => vec![0, 0x7f7e, 0x7c7b, 0xfffe, 0x807d, 0x0104],
        _ => {
            let bits = integer_bits(ty);
            let mask = u64::MAX >> (64 - bits);
            let half = 1u64 << (bits - 1);
            [0, 1, 2, 7, 0x80, 0xff, half - 1, half, half + 1, mask - 1, mask, 0x5555_5555_5555_5555]
                .iter()
                .map(|v| v & mask)
                .collect()
        }
    }
}
