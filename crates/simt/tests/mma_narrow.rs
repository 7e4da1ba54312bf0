//! `mma` of floats of at most eight bits, against sums over whole matrices, whose elements are where the formulas and figures
//! of PTX §9.7.15.3, §9.7.15.5.10, §9.7.15.5.11, §9.7.15.6.2.6 and §9.7.15.6.2.8 place them.

use crate::support::Machine;
use simt::Progress;
use std::fmt::Write;

/// A type: its bits of exponent and of fraction.
#[derive(Clone, Copy)]
struct Float {
    name: &'static str,
    exponent: u32,
    fraction: u32,
}

const fn float(name: &'static str, exponent: u32, fraction: u32) -> Float {
    Float { name, exponent, fraction }
}

const E4M3: Float = float("e4m3", 4, 3);
const E5M2: Float = float("e5m2", 5, 2);
const E3M2: Float = float("e3m2", 3, 2);
const E2M3: Float = float("e2m3", 2, 3);
const E2M1: Float = float("e2m1", 2, 1);

impl Float {
    fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    fn value(self, bits: u32) -> f64 {
        let (field, fraction) =
            (bits >> self.fraction & ((1 << self.exponent) - 1), bits & ((1 << self.fraction) - 1));
        let bias = (1 << (self.exponent - 1)) - 1;
        let ulp = 2f64.powi(field.max(1) as i32 - bias - self.fraction as i32);
        let significand = if field == 0 { fraction } else { fraction | 1 << self.fraction };
        let sign = if bits >> (self.bits() - 1) & 1 == 0 { 1.0 } else { -1.0 };
        sign * f64::from(significand) * ulp
    }
}

/// A form of the instruction.
struct Form {
    kind: &'static str,
    a: Float,
    b: Float,
    half: bool,
    sparse: bool,
    /// The number of scale factors of a row, and their type.
    scale: Option<(u32, &'static str)>,
}

/// The random operands of a product, as whole matrices.
struct Operands {
    /// Rows of A with their zeros, and columns of B, by their bits.
    a: Vec<Vec<u32>>,
    b: Vec<Vec<u32>>,
    /// For each row of A, the columns of what is stored.
    kept: Vec<Vec<usize>>,
    c: Vec<Vec<f64>>,
    scale_a: Vec<Vec<u32>>,
    scale_b: Vec<Vec<u32>>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % n
    }

    /// Returns a finite number.
    fn number(&mut self, ty: Float) -> u32 {
        let others = if ty.bits() == 8 { 1 << ty.fraction } else { 0 };
        self.below(2) << (ty.bits() - 1) | self.below((1 << (ty.bits() - 1)) - others)
    }
}

impl Form {
    fn packed(&self) -> bool {
        self.kind.starts_with("mxf4")
    }

    /// Returns the number of columns of A.
    fn depth(&self) -> usize {
        let dense = if self.packed() { 64 } else { 32 };
        if self.sparse { 2 * dense } else { dense }
    }

    fn operands(&self, random: &mut Random) -> Operands {
        let depth = self.depth();
        // The elements that are zero or not together, and the pairs of them that each four have.
        let unit = if self.packed() { 2 } else { 1 };
        let kept: Vec<Vec<usize>> = (0..16)
            .map(|_| match self.sparse {
                false => (0..depth).collect(),
                true => (0..depth / unit / 4)
                    .flat_map(|four| {
                        let pairs = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
                        let pair = pairs[random.below(6) as usize];
                        pair.into_iter().flat_map(move |i| (0..unit).map(move |j| (4 * four + i) * unit + j))
                    })
                    .collect(),
            })
            .collect();
        let a = kept
            .iter()
            .map(|kept| {
                let mut row = vec![0; depth];
                kept.iter().for_each(|&k| row[k] = random.number(self.a));
                row
            })
            .collect();
        let b = (0..8).map(|_| (0..depth).map(|_| random.number(self.b)).collect()).collect();
        let blocks = self.scale.map_or(0, |(blocks, _)| blocks);
        let mut scales = |rows: usize| -> Vec<Vec<u32>> {
            let mut one = || match self.scale {
                Some((_, "ue4m3")) => random.below(0x7f),
                _ => 120 + random.below(14),
            };
            (0..rows).map(|_| (0..blocks).map(|_| one()).collect()).collect()
        };
        let (scale_a, scale_b) = (scales(16), scales(8));
        let c = (0..16).map(|_| (0..8).map(|_| f64::from(random.below(64)) / 8.0 - 4.0).collect()).collect();
        Operands { a, b, kept, c, scale_a, scale_b }
    }

    fn scale(&self, bits: u32) -> f64 {
        match self.scale {
            Some((_, "ue4m3")) => E4M3.value(bits),
            _ => 2f64.powi(bits as i32 - 127),
        }
    }

    /// Returns D, row by row.
    fn expected(&self, operands: &Operands) -> Vec<f64> {
        let depth = self.depth();
        let scale_of = |scales: &[u32], k: usize| match self.scale {
            Some((blocks, _)) => self.scale(scales[k * blocks as usize / depth]),
            None => 1.0,
        };
        let mut all = Vec::new();
        for row in 0..16 {
            for column in 0..8 {
                let mut sum = operands.c[row][column];
                for k in 0..depth {
                    let a = self.a.value(operands.a[row][k]) * scale_of(&operands.scale_a[row], k);
                    let b = self.b.value(operands.b[column][k]) * scale_of(&operands.scale_b[column], k);
                    sum += a * b;
                }
                all.push(sum);
            }
        }
        all
    }

    /// Returns a number as it is in a register, and the bits that it takes there.
    fn placed(&self, ty: Float, bits: u32) -> (u32, u32) {
        match (self.packed(), ty.bits()) {
            (true, _) => (bits, 4),
            (false, 4) => (bits << 2, 8),
            _ => (bits, 8),
        }
    }

    /// Returns the registers of a thread: A, B, C, the metadata and the scale factors of A and B.
    fn registers(
        &self,
        lane: usize,
        operands: &Operands,
        [byte_a, thread_a, byte_b, thread_b]: [u32; 4],
    ) -> Vec<u32> {
        let (group, place) = (lane >> 2, lane % 4);
        let each = if self.packed() { 8 } else { 4 };
        let word = |ty: Float, numbers: &[u32]| {
            numbers.iter().rev().fold(0, |all, &bits| {
                let (bits, width) = self.placed(ty, bits);
                all << width | bits
            })
        };
        let mut words = Vec::new();
        for i in 0..4 {
            let row = if i % 2 == 0 { group } else { group + 8 };
            let first = place * each + if i >= 2 { 4 * each } else { 0 };
            let stored: Vec<u32> =
                operands.kept[row][first..first + each].iter().map(|&k| operands.a[row][k]).collect();
            words.push(word(self.a, &stored));
        }
        for i in 0..if self.sparse { 4 } else { 2 } {
            let first = place * each + 4 * each * i;
            words.push(word(self.b, &operands.b[group][first..first + each]));
        }
        for i in 0..2 {
            let c = &operands.c[group + 8 * i][2 * place..][..2];
            match self.half {
                true => words.push(half(c[0]) | half(c[1]) << 16),
                false => words.extend([c[0], c[1]].map(|c| (c as f32).to_bits())),
            }
        }
        if self.sparse {
            // Threads 0 and 1 have the first half of the columns of rows g and g + 8, threads 2 and 3 the second.
            let unit = if self.packed() { 2 } else { 1 };
            let row = &operands.kept[group + 8 * (place % 2)];
            let half = &row[row.len() / 2 * (place / 2)..][..row.len() / 2];
            let metadata =
                half.chunks(unit).rev().fold(0, |all, unit_of| all << 2 | (unit_of[0] / unit % 4) as u32);
            words.push(metadata);
        }
        if let Some((blocks, _)) = self.scale {
            // Threads that are not selected have other bytes, and so have bytes that are not.
            let data = |scales: &[u32], byte: u32, selected: bool| {
                let mut bytes = [0x5a; 4];
                if selected {
                    (0..blocks as usize).for_each(|i| bytes[byte as usize + i] = scales[i] as u8);
                }
                u32::from_le_bytes(bytes)
            };
            let lower = place / 2 == thread_a as usize;
            words.push(data(&operands.scale_a[group + 8 * (place % 2)], byte_a, lower));
            words.push(data(&operands.scale_b[group], byte_b, place == thread_b as usize));
        }
        words
    }

    fn text(&self, [byte_a, thread_a, byte_b, thread_b]: [u32; 4], in_registers: bool) -> String {
        let accumulators = if self.half { 2 } else { 4 };
        let list = |from: usize, count: usize| {
            let names: Vec<String> = (from..from + count).map(|i| format!("%r{i}")).collect();
            format!("{{{}}}", names.join(", "))
        };
        let of_b = if self.sparse { 4 } else { 2 };
        let mut count = 4 + of_b + accumulators;
        let ty = if self.half { "f16" } else { "f32" };
        let scaled =
            self.scale.map_or(String::new(), |(blocks, _)| format!(".block_scale.scale_vec::{blocks}X"));
        let of_scale = self.scale.map_or(String::new(), |(_, ty)| format!(".{ty}"));
        let variant = if self.sparse { ".sp::ordered_metadata" } else { "" };
        let mut instruction = format!(
            "mma{variant}.sync.aligned.m16n8k{}.row.col.kind::{}{scaled}.{ty}.{}.{}.{ty}{of_scale} {}, {}, {}, {}",
            self.depth(),
            self.kind,
            self.a.name,
            self.b.name,
            list(4 + of_b, accumulators),
            list(0, 4),
            list(4, of_b),
            list(4 + of_b, accumulators),
        );
        if self.sparse {
            let _ = write!(instruction, ", %r{count}, 0");
            count += 1;
        }
        if self.scale.is_some() {
            let [a, b] = match in_registers {
                true => ["{%h0, %h1}", "{%h2, %h3}"].map(str::to_owned),
                false => [format!("{{{byte_a}, {thread_a}}}"), format!("{{{byte_b}, {thread_b}}}")],
            };
            let _ = write!(instruction, ", %r{count}, {a}, %r{}, {b}", count + 1);
            count += 2;
        }
        let mut loads = String::new();
        for i in 0..count {
            let _ = writeln!(loads, "ld.global.b32 %r{i}, [%at + {}];", 4 * i);
        }
        let mut stores = String::new();
        for i in 0..accumulators {
            let _ = writeln!(stores, "st.global.b32 [%out + {}], %r{};", 4 * i, 4 + of_b + i);
        }
        format!(
            ".version 9.1\n.target sm_120a\n.address_size 64
.visible .entry form(.param .u64 in, .param .u64 out) {{
.reg .b64 %at, %out, %step; .reg .b32 %t, %r<20>; .reg .u16 %h<4>;
ld.param.u64 %at, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
mul.wide.u32 %step, %t, 80; add.u64 %at, %at, %step; mul.wide.u32 %step, %t, 16; add.u64 %out, %out, %step;
mov.u16 %h0, {byte_a}; mov.u16 %h1, {thread_a}; mov.u16 %h2, {byte_b}; mov.u16 %h3, {thread_b};
{loads}
{instruction};
{stores} ret;
}}
"
        )
    }

    /// Compares the results for one choice of selectors.
    fn check(&self, random: &mut Random, selectors: [u32; 4], in_registers: bool) {
        let text = self.text(selectors, in_registers);
        let machine = Machine::new(&text);
        let operands = self.operands(random);
        let mut words = Vec::new();
        for lane in 0..32 {
            let mut registers = self.registers(lane, &operands, selectors);
            registers.resize(20, 0);
            words.extend(registers);
        }
        let (sources, out) = (machine.upload(&words), machine.alloc(16 * 32));
        machine.finish("form", 1, 32, args![sources, out]);
        let results = machine.words(out, 4 * 32);
        for (i, expected) in self.expected(&operands).into_iter().enumerate() {
            let (row, column) = (i / 8, i % 8);
            let (lane, second) = (row % 8 * 4 + column / 2, row / 8);
            let (result, expected) = match self.half {
                true => (results[4 * lane + second] >> (16 * (column % 2)) & 0xffff, half(expected)),
                false => (results[4 * lane + 2 * second + column % 2], (expected as f32).to_bits()),
            };
            assert_eq!(result, expected, "row {row}, column {column} of\n{text}");
        }
    }
}

/// Returns the bits of the nearest number of type `.f16`; of ties, the even one.
fn half(value: f64) -> u32 {
    let sign = if value < 0.0 { 0x8000 } else { 0 };
    let magnitude = value.abs();
    let exponent = if magnitude == 0.0 { -14 } else { (magnitude.log2().floor() as i32).max(-14) };
    let ulps = magnitude / 2f64.powi(exponent - 10);
    let whole = ulps.round_ties_even() as u32;
    // A significand that rounds up to the next power of two carries into the exponent.
    sign | (whole + ((exponent + 14) as u32) * 1024).min(0x7c00)
}

fn dense(kind: &'static str, a: Float, b: Float, scale: Option<(u32, &'static str)>) -> Form {
    Form { kind, a, b, half: false, sparse: false, scale }
}

/// The forms write what PTX calls the instructions.
#[test]
fn instructions_are_those_of_ptx() {
    let spelled = |form: Form, instruction: &str| assert!(form.text([0; 4], false).contains(instruction));
    spelled(
        dense("f8f6f4", E4M3, E4M3, None),
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%r6,",
    );
    spelled(
        dense("mxf8f6f4", E4M3, E2M1, Some((1, "ue8m0"))),
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 {%r6,",
    );
}

#[test]
fn products_of_bytes() {
    let mut random = Random(1);
    let types = [E4M3, E5M2, E3M2, E2M3, E2M1];
    for (i, a) in types.into_iter().enumerate() {
        for (j, b) in types.into_iter().enumerate() {
            let (half, sparse) = ((i + j) % 2 == 1, (i + 2 * j) % 3 == 1);
            Form { half, sparse, ..dense("f8f6f4", a, b, None) }.check(&mut random, [0; 4], false);
            let selectors = [random.below(4), random.below(2), random.below(4), random.below(4)];
            let scaled = dense("mxf8f6f4", a, b, Some((1, "ue8m0")));
            Form { sparse: !sparse, ..scaled }.check(&mut random, selectors, half);
        }
    }
}

#[test]
fn products_of_four_bits() {
    let mut random = Random(2);
    for (kind, blocks, ty) in
        [("mxf4", 2, "ue8m0"), ("mxf4nvf4", 2, "ue8m0"), ("mxf4nvf4", 4, "ue8m0"), ("mxf4nvf4", 4, "ue4m3")]
    {
        for sparse in [false, true] {
            for thread in 0..4 {
                let mut byte = || if blocks == 2 { 2 * random.below(2) } else { 0 };
                let selectors = [byte(), thread % 2, byte(), thread];
                let form = Form { sparse, ..dense(kind, E2M1, E2M1, Some((blocks, ty))) };
                form.check(&mut random, selectors, thread == 3);
            }
        }
    }
}

/// Bytes and threads of scale factors that PTX does not define fail by name.
#[test]
fn undefined_selectors_are_refused() {
    for selectors in [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]] {
        let form = dense("mxf4", E2M1, E2M1, Some((2, "ue8m0")));
        let machine = Machine::new(&form.text(selectors, true));
        let (sources, out) = (machine.upload(&[0; 640]), machine.alloc(512));
        let (progress, _) = machine.run("form", 1, 32, args![sources, out]);
        let Progress::Failed(failure) = progress else { panic!("{selectors:?}: {progress:?}") };
        assert!(format!("{failure:?}").contains("scale factors that PTX does not define"), "{failure:?}");
    }
}
