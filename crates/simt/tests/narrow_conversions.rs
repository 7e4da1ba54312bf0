//! `cvt` from and to numbers of eight, six and four bits, exponents and fixed-point numbers (PTX §9.7.9.22), against searches
//! through all numbers of a type.

use crate::support::Machine;
use std::fmt::Write;

/// A type of floats: its bits of exponent and of fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Float {
    name: &'static str,
    exponent: u32,
    fraction: u32,
    /// The bits of the largest number.
    most: u32,
}

const E4M3: Float = Float { name: "e4m3", exponent: 4, fraction: 3, most: 0x7e };
const E5M2: Float = Float { name: "e5m2", exponent: 5, fraction: 2, most: 0x7b };
const E2M3: Float = Float { name: "e2m3", exponent: 2, fraction: 3, most: 0x1f };
const E3M2: Float = Float { name: "e3m2", exponent: 3, fraction: 2, most: 0x1f };
const E2M1: Float = Float { name: "e2m1", exponent: 2, fraction: 1, most: 7 };
const BF16: Float = Float { name: "bf16", exponent: 8, fraction: 7, most: 0x7f7f };
const F16: Float = Float { name: "f16", exponent: 5, fraction: 10, most: 0x7bff };

const SMALL: [Float; 3] = [E2M3, E3M2, E2M1];

impl Float {
    fn sign(self) -> u32 {
        1 << (self.exponent + self.fraction)
    }

    /// Returns the value of a finite number.
    fn value(self, bits: u32) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let field = magnitude >> self.fraction;
        let fraction = magnitude & ((1 << self.fraction) - 1);
        let bias = (1 << (self.exponent - 1)) - 1;
        let significand = if field == 0 { fraction } else { fraction | 1 << self.fraction };
        let value = f64::from(significand) * 2f64.powi(field.max(1) as i32 - bias - self.fraction as i32);
        if bits & self.sign() == 0 { value } else { -value }
    }

    fn magnitudes(self) -> impl Iterator<Item = u32> {
        0..=self.most
    }

    /// Returns the nearest number, of two the even one; the largest for larger ones and NaN.
    fn nearest(self, value: f64) -> u32 {
        if value.is_nan() {
            return self.most;
        }
        let magnitude = value.abs().min(self.value(self.most));
        let distance = |bits: u32| (self.value(bits) - magnitude).abs();
        let best = self.magnitudes().reduce(|best, bits| match distance(bits).total_cmp(&distance(best)) {
            std::cmp::Ordering::Less => bits,
            std::cmp::Ordering::Equal if bits % 2 == 0 => bits,
            _ => best,
        });
        best.unwrap_or(0) | if value.is_sign_negative() { self.sign() } else { 0 }
    }

    /// Returns the bits of an element in a packed result.
    fn width(self) -> u32 {
        if self == E2M1 { 4 } else { 8 }
    }
}

/// Singles with ties, the edges of ranges, and random ones.
fn singles() -> Vec<u32> {
    let mut all = Vec::new();
    for ty in SMALL {
        for bits in ty.magnitudes() {
            let (low, high) = (ty.value(bits), ty.value((bits + 1).min(ty.most)));
            for value in [low, (low + high) / 2.0, (low * 3.0 + high) / 4.0, (low + high * 3.0) / 4.0] {
                all.extend([value as f32, -value as f32].map(f32::to_bits));
            }
        }
    }
    all.extend(
        [1e-30, 1e30, -1e30, f32::INFINITY, f32::NEG_INFINITY, 7.99, 28.1, -7.6, 5.5].map(f32::to_bits),
    );
    all.extend([
        0x7fc0_0000,
        0xffc0_0001,
        1,
        0x8000_0000,
        0x0040_0000,
        0x0040_0001,
        0x007f_ffff,
        0x0080_0000,
    ]);
    let mut state = 7u64;
    for _ in 0..300 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let near = (state >> 33) as u32;
        all.extend([near, near & 0x83ff_ffff | 0x3c00_0000]);
    }
    all
}

/// Runs an instruction on words, `sources` for each thread, and returns its results.
///
/// Operands are `%s0`, …, the words; `%h0`, …, their lower halves; `%b0`, …, their lowest bytes; the result is `%d` or, of 16
/// bits, `%h`, or of eight, `%b`.
fn run(instruction: &str, sources: usize, words: &[u32]) -> Vec<u32> {
    let mut loads = String::new();
    for i in 0..sources {
        let _ = write!(
            loads,
            "ld.global.b32 %s{i}, [%at + {}]; cvt.u16.u32 %h{i}, %s{i}; mov.b16 {{%b{i}, %rest}}, %h{i};",
            4 * i
        );
    }
    let result = match instruction.split_once(' ').map(|(_, operands)| operands) {
        Some(operands) if operands.starts_with("%h,") => "cvt.u32.u16 %d, %h;",
        Some(operands) if operands.starts_with("%b,") => "mov.b16 %h, {%b, 0}; cvt.u32.u16 %d, %h;",
        _ => "",
    };
    let text = format!(
        ".version 9.1\n.target sm_100a\n.address_size 64
.visible .entry form(.param .u64 in, .param .u64 out) {{
.reg .b64 %at, %out, %step; .reg .b32 %t, %d, %s<5>; .reg .b16 %h, %h<5>; .reg .b8 %b, %rest, %b<5>;
ld.param.u64 %at, [in]; ld.param.u64 %out, [out];
mov.u32 %t, %ctaid.x; mul.wide.u32 %step, %t, {}; add.u64 %at, %at, %step;
mul.wide.u32 %step, %t, 4; add.u64 %out, %out, %step;
{loads} {instruction}; {result}
st.global.b32 [%out], %d; ret;
}}
",
        4 * sources
    );
    let machine = Machine::new(&text);
    let count = words.len() / sources;
    let (from, to) = (machine.upload(words), machine.alloc(4 * count as u64));
    machine.finish("form", count as u32, 1, args![from, to]);
    machine.words(to, count)
}

/// Returns pairs of numbers, each once in either half.
fn paired(numbers: &[u32]) -> Vec<u32> {
    let shifted = numbers.iter().cycle().skip(5);
    numbers.iter().zip(shifted).flat_map(|(a, b)| [*a, *b]).collect()
}

fn single(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

#[test]
fn the_first_number_is_uppermost() {
    let words = [1.5f32.to_bits(), (-6f32).to_bits()];
    assert_eq!(run("cvt.rn.satfinite.e2m1x2.f32 %b, %s0, %s1", 2, &words), [0x3f]);
    assert_eq!(run("cvt.rn.satfinite.e2m3x2.f32 %h, %s0, %s1", 2, &words), [0x0c3c]);
}

#[test]
fn to_six_and_four_bits() {
    let words = paired(&singles());
    for ty in SMALL {
        let d = if ty == E2M1 { "%b" } else { "%h" };
        for relu in ["", ".relu"] {
            let clamp = |bits: u32| if !relu.is_empty() && bits & ty.sign() != 0 { 0 } else { bits };
            let results = run(&format!("cvt.rn.satfinite{relu}.{}x2.f32 {d}, %s0, %s1", ty.name), 2, &words);
            for (pair, result) in words.chunks(2).zip(results) {
                let [high, low] = [pair[0], pair[1]].map(|bits| clamp(ty.nearest(single(bits))));
                assert_eq!(result, high << ty.width() | low, "{} of {pair:x?}", ty.name);
            }
            for (from, shift) in [("bf16x2", 16), ("f16x2", 0)] {
                let halves: Vec<u32> = match shift {
                    16 => words.chunks(2).map(|pair| pair[0] & 0xffff_0000 | pair[1] >> 16).collect(),
                    _ => words.iter().map(|word| word & 0xfbff_fbff).collect(),
                };
                let value = |half: u32| match shift {
                    16 => single(half << 16),
                    _ => F16.value(half),
                };
                let results =
                    run(&format!("cvt.rn.satfinite{relu}.{}x2.{from} {d}, %s0", ty.name), 1, &halves);
                for (pair, result) in halves.iter().zip(results) {
                    let [high, low] = [pair >> 16, pair & 0xffff].map(|half| clamp(ty.nearest(value(half))));
                    assert_eq!(result, high << ty.width() | low, "{} of {from} {pair:x}", ty.name);
                }
            }
        }
    }
}

#[test]
fn from_six_and_four_bits() {
    for ty in SMALL {
        let numbers: Vec<u32> = (0..2 * ty.sign()).collect();
        // What is above six bits is not read.
        let words: Vec<u32> = paired(&numbers)
            .chunks(2)
            .map(|pair| if ty == E2M1 { pair[0] << 4 | pair[1] } else { pair[0] << 8 | pair[1] | 0xc0c0 })
            .collect();
        let a = if ty == E2M1 { "%b0" } else { "%h0" };
        for to in [F16, BF16] {
            let results = run(&format!("cvt.rn.{}x2.{}x2 %d, {a}", to.name, ty.name), 1, &words);
            for (pair, result) in words.iter().zip(results) {
                for i in 0..2 {
                    let bits = pair >> (i * ty.width()) & (2 * ty.sign() - 1);
                    let half = result >> (16 * i) & 0xffff;
                    assert_eq!(to.value(half), ty.value(bits), "{} of {pair:x}", ty.name);
                    assert_eq!(half >> 15, bits / ty.sign());
                }
            }
        }
    }
}

/// Scale factors multiply what they belong to; 0xff is NaN.
#[test]
fn from_scaled_numbers() {
    for ty in [E4M3, E5M2, E2M3, E3M2, E2M1] {
        let a = if ty == E2M1 { "%b0" } else { "%h0" };
        let number = |bits: u32| if ty == E2M1 { bits << 4 | 1 } else { bits << 8 | 1 };
        let scales = [0x7f7fu32, 0x807e, 0x0080, 0xfe01, 0xff7f];
        let words: Vec<u32> =
            (0..=ty.most).flat_map(|bits| scales.map(|scale| [number(bits), scale])).flatten().collect();
        let name = ty.name;
        let results = run(&format!("cvt.rn.scaled::n2::ue8m0.bf16x2.{name}x2 %d, {a}, %h1"), 2, &words);
        for (pair, result) in words.chunks(2).zip(results) {
            for (i, bits) in [1, pair[0] >> ty.width()].into_iter().enumerate() {
                let (scale, half) = (pair[1] >> (8 * i) & 0xff, result >> (16 * i) & 0xffff);
                let value = ty.value(bits) * 2f64.powi(scale as i32 - 127);
                match scale {
                    0xff => assert_eq!(half, 0x7fff),
                    _ if value > BF16.value(BF16.most) => assert_eq!(half, 0x7f80),
                    _ => assert_eq!(half, BF16.nearest(value), "{name} of {pair:x?}"),
                }
            }
        }
    }
}

#[test]
fn exponents_of_two() {
    let words = paired(&singles());
    let least = |bits: u32, up: bool, finite: bool| -> u32 {
        let magnitude = single(bits & 0x7fff_ffff);
        if magnitude.is_nan() {
            return 0xff;
        }
        let powers = (0..=0xfe).map(|e| 2f64.powi(e - 127));
        let below = powers.clone().filter(|power| *power <= magnitude).count() as u32;
        let exact = powers.clone().any(|power| power == magnitude) || magnitude < 2f64.powi(-127);
        let e = match (magnitude.is_infinite(), up && !exact) {
            (true, _) => 0xff,
            (_, true) => below,
            _ => below.saturating_sub(1),
        };
        if finite { e.min(0xfe) } else { e }
    };
    for (round, up) in [("rz", false), ("rp", true)] {
        for (sat, finite) in [("", false), (".satfinite", true)] {
            let results = run(&format!("cvt.{round}{sat}.ue8m0x2.f32 %h, %s0, %s1"), 2, &words);
            for (pair, result) in words.chunks(2).zip(results) {
                let [high, low] = [pair[0], pair[1]].map(|bits| least(bits, up, finite));
                assert_eq!(result, high << 8 | low, "{round}{sat} of {pair:x?}");
            }
            let results = run(&format!("cvt.{round}{sat}.ue8m0x2.bf16x2 %h, %s0"), 1, &words);
            for (pair, result) in words.iter().zip(results) {
                let [high, low] = [pair & 0xffff_0000, pair << 16].map(|bits| least(bits, up, finite));
                assert_eq!(result, high << 8 | low, "{round}{sat} of {pair:x}");
            }
        }
    }
    let words: Vec<u32> = (0..256).map(|e| e << 8 | (255 - e)).collect();
    let results = run("cvt.rn.bf16x2.ue8m0x2 %d, %h0", 1, &words);
    for (pair, result) in words.iter().zip(results) {
        for (e, half) in [(pair >> 8, result >> 16), (pair & 0xff, result & 0xffff)] {
            match e {
                0xff => assert_eq!(half, 0x7fff),
                _ => assert_eq!(BF16.value(half), 2f64.powi(e as i32 - 127)),
            }
        }
    }
}

#[test]
fn fixed_point() {
    let fixed = |value: f64| -> u32 {
        if value.is_nan() {
            return 127;
        }
        let ulps = (value * 64.0).round_ties_even().clamp(-128.0, 127.0);
        u32::from(ulps as i8 as u8)
    };
    let relu = |value: f64| if value < 0.0 { 0.0 } else { value };
    let words: Vec<u32> = paired(&singles()).chunks(2).flat_map(|pair| [pair[0], pair[1], 0x807e]).collect();
    let plain = run("cvt.rn.satfinite.s2f6x2.f32 %h, %s0, %s1", 3, &words);
    let scaled = run("cvt.rn.satfinite.relu.scaled::n2::ue8m0.s2f6x2.f32 %h, %s0, %s1, %h2", 3, &words);
    for ((sources, plain), scaled) in words.chunks(3).zip(plain).zip(scaled) {
        let [a, b] = [sources[0], sources[1]].map(single);
        assert_eq!(plain, fixed(a) << 8 | fixed(b), "{sources:x?}");
        // Divided by 2 and by a half.
        assert_eq!(scaled, fixed(relu(a / 2.0)) << 8 | fixed(relu(b * 2.0)), "{sources:x?}");
    }
    let words: Vec<u32> = (0..256).flat_map(|bits| [bits << 8 | (255 - bits), 0x8180]).collect();
    let results = run("cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %d, %h0, %h1", 2, &words);
    for (sources, result) in words.chunks(2).zip(results) {
        let value = |byte: u32| f64::from(byte as u8 as i8) / 64.0;
        assert_eq!(BF16.value(result >> 16), 4.0 * value(sources[0] >> 8));
        assert_eq!(BF16.value(result & 0xffff), 2.0 * value(sources[0]));
    }
}

/// A number is rounded away from zero by as many of all random numbers as its distance from the lower neighbour says.
#[test]
fn random_rounding_is_away_from_zero_by_the_carry() {
    // An eighth, three eighths and seven eighths between neighbours, and a number that is exact.
    for (eighths, value) in [(1u32, 1.0625f32), (3, -1.1875), (7, 5.75), (0, 3.0)] {
        let words: Vec<u32> =
            (0..64u32).flat_map(|i| [value.to_bits(), 0, i << 26 | i << 10 | (i << 2 & 0xff)]).collect();
        let instruction = "cvt.rs.satfinite.e2m1x4.f32 %h, {%s0, %s1, %s1, %s1}, %s2";
        let away = run(instruction, 3, &words).into_iter().filter(|result| {
            let element = result >> 12;
            assert_eq!(result & 0xfff, 0);
            let (low, high) = (E2M1.value(element), f64::from(value));
            assert!((low - high).abs() < 2.0);
            low.abs() > high.abs()
        });
        let ulp = if value.abs() >= 4.0 {
            2.0
        } else if value.abs() >= 2.0 {
            1.0
        } else {
            0.5
        };
        let part = f64::from(value.abs()) / ulp % 1.0;
        assert_eq!(part * 8.0, f64::from(eighths));
        assert_eq!(away.count(), 8 * eighths as usize, "{value}");
    }
    // The carry of 13 and of 16 bits.
    let words = [0x3f80_0001, 0x3f80_8000, 0x1fff_0000, 0x3f80_0001, 0x3f80_8000, 0x1ffe_1000];
    assert_eq!(run("cvt.rs.f16x2.f32 %d, %s0, %s1, %s2", 3, &words), [0x3c01_3c04, 0x3c00_3c04]);
    let words = [0x3f80_0001, 0x3f80_8000, 0xffff_8000, 0x3f80_0001, 0x3f80_8000, 0xfffe_7fff];
    assert_eq!(run("cvt.rs.bf16x2.f32 %d, %s0, %s1, %s2", 3, &words), [0x3f81_3f81, 0x3f80_3f80]);
    // Beyond the range: infinite, or the largest number.
    let words = [0x477f_ffff, 0xff80_0000, 0x1fff_1fff];
    assert_eq!(run("cvt.rs.f16x2.f32 %d, %s0, %s1, %s2", 3, &words), [0x7c00_fc00]);
    assert_eq!(run("cvt.rs.satfinite.f16x2.f32 %d, %s0, %s1, %s2", 3, &words), [0x7bff_fbff]);
    // Four results: the first source's is uppermost; the first two take the upper half of the random bits.
    let words = [0x3f80_ffff, 0xbf80_ffff, 0x3f80_ffff, 0x4000_0000, 0xffff_0000];
    let four =
        |name| run(&format!("cvt.rs.satfinite.{name}x4.f32 %d, {{%s0, %s1, %s2, %s3}}, %s4"), 5, &words);
    assert_eq!(four("e4m3"), [0x39b9_3840]);
    assert_eq!(four("e5m2"), [0x3dbd_3c40]);
    assert_eq!(four("e2m3"), [0x0929_0810]);
    assert_eq!(four("e3m2"), [0x0d2d_0c10]);
}
