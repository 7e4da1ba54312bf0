//! The sparse products of warpgroups that were recorded: instructions of 32 columns in a kernel with `record.c`'s parameters.
//!
//! Operands have random bytes, in each of the four layouts. Run 1 has a wide range of exponents, run 2 does not accumulate,
//! run 3 has any bits for metadata, run 4 has numbers that are not finite.

use super::factors::Random;
use std::fmt::Write;

/// The threads of a launch, and the slots of 8 bytes that each has for sources and results.
pub(crate) const THREADS: usize = 128;
pub(crate) const SOURCES: usize = 48;
pub(crate) const RESULTS: usize = 8;

/// The bytes of shared memory, and the place of B.
const BYTES: usize = 32768;
const B: u64 = 16384;

/// The places of accumulators, metadata and descriptors in the sources.
const SUMS: usize = BYTES;
const METADATA: usize = SUMS + 64 * THREADS;
const DESCRIPTORS: usize = METADATA + 4 * THREADS;

/// An instruction.
pub(crate) struct SparseForm {
    pub(crate) name: String,
    types: [&'static str; 3],
    /// The sparsity selector.
    selector: u8,
    /// The operands behind the predicate.
    rest: String,
}

/// One input of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// The layout: of no swizzle, 128, 64 or 32 bytes.
    pub(crate) mode: u64,
    pub(crate) run: u64,
}

/// Returns all forms.
pub(crate) fn forms() -> Vec<SparseForm> {
    let mut all = Vec::new();
    let mut add = |name: &str, types, selector, rest: &str| {
        all.push(SparseForm { name: name.to_owned(), types, selector, rest: rest.to_owned() });
    };
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        add(&format!("f32.f16.f16.t{a}{b}"), ["f32", "f16", "f16"], 0, &format!(", 1, 1, {a}, {b}"));
    }
    add("f32.f16.f16.sel1", ["f32", "f16", "f16"], 1, ", 1, 1, 0, 0");
    add("f16.f16.f16", ["f16", "f16", "f16"], 0, ", 1, 1, 0, 0");
    add("f32.bf16.bf16.t01", ["f32", "bf16", "bf16"], 1, ", 1, 1, 0, 1");
    add("f32.f16.f16.neg", ["f32", "f16", "f16"], 0, ", -1, 1, 0, 0");
    add("f32.tf32.tf32", ["f32", "tf32", "tf32"], 0, ", 1, 1");
    add("f32.tf32.sel1.neg", ["f32", "tf32", "tf32"], 1, ", 1, -1");
    for a in ["e4m3", "e5m2"] {
        for b in ["e4m3", "e5m2"] {
            add(&format!("f32.{a}.{b}"), ["f32", a, b], 0, ", 1, 1");
            add(&format!("f16.{a}.{b}"), ["f16", a, b], 0, ", 1, 1");
        }
    }
    for (a, b) in [("s8", "s8"), ("s8", "u8"), ("u8", "s8"), ("u8", "u8")] {
        add(&format!("s32.{a}.{b}"), ["s32", a, b], 0, "");
    }
    add("s32.s8.u8.sat", ["s32", "s8", "u8"], 0, "");
    add("reg.f32.f16", ["f32", "f16", "f16"], 1, ", 1, 1, 0");
    add("reg.f32.bf16.t1", ["f32", "bf16", "bf16"], 0, ", 1, 1, 1");
    add("reg.f32.tf32", ["f32", "tf32", "tf32"], 0, ", 1, 1");
    add("reg.f32.e4m3", ["f32", "e4m3", "e4m3"], 0, ", 1, 1");
    add("reg.s32.u8", ["s32", "u8", "u8"], 0, "");
    all
}

/// Returns the inputs of a form that were recorded.
pub(crate) fn cases() -> Vec<Case> {
    let all = (0..4).flat_map(|mode| (0..5).map(move |run| Case { mode, run }));
    all.filter(|case| case.run < 3 || case.mode == 0 || (case.run == 3 && case.mode == 1)).collect()
}

impl SparseForm {
    /// Returns the number of registers of the accumulator.
    fn registers(&self) -> usize {
        if self.types[0] == "f16" { 8 } else { 16 }
    }

    fn instruction(&self) -> String {
        let [d, a, b] = self.types;
        let depth = match a {
            "f16" | "bf16" => 32,
            "tf32" => 16,
            _ => 64,
        };
        let saturates = if self.name.ends_with(".sat") { ".satfinite" } else { "" };
        let list =
            |class: &str, count| (0..count).map(|i| format!("%{class}{i}")).collect::<Vec<_>>().join(", ");
        let of_a = match self.name.starts_with("reg.") {
            true => format!("{{{}}}", list("a", 4)),
            false => "%a".to_owned(),
        };
        format!(
            "wgmma.mma_async.sp.sync.aligned.m64n32k{depth}{saturates}.{d}.{a}.{b} {{{}}}, {of_a}, %b, %m, {}, %p{};",
            list("d", self.registers()),
            self.selector,
            self.rest
        )
    }

    /// Returns the kernel.
    pub(crate) fn text(&self) -> String {
        let count = self.registers();
        let mut body = String::new();
        for i in 0..BYTES / 512 {
            let _ = write!(body, "ld.global.b32 %w, [%in + {0}]; st.shared.b32 [%s + {0}], %w;", 512 * i);
        }
        for i in 0..count {
            let _ = write!(body, "ld.global.b32 %d{i}, [%c + {}];", SUMS + 4 * i);
        }
        for i in 0..4 {
            let _ = write!(body, "ld.global.b32 %a{i}, [%own + {}];", 4 * i);
        }
        let mut stores = String::new();
        for i in 0..count {
            let _ = write!(stores, "st.global.b32 [%out + {}], %d{i};", 4 * i);
        }
        format!(
            ".version 8.4\n.target sm_90a\n.address_size 64
.visible .entry form(.param .u64 in, .param .u64 out, .param .u64 scratch) {{
.reg .b64 %all, %in, %c, %out, %own, %a, %b, %x; .reg .b32 %s, %w, %t, %m, %a<4>, %d<16>; .reg .pred %p;
.shared .align 1024 .b8 tiles[{BYTES}];
ld.param.u64 %all, [in]; ld.param.u64 %out, [out];
mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 16; add.u64 %own, %all, %x;
mul.wide.u32 %x, %t, 4; add.u64 %in, %all, %x; ld.global.b32 %m, [%in + {METADATA}];
mul.wide.u32 %x, %t, {each}; add.u64 %c, %all, %x; add.u64 %out, %out, %x;
mov.u32 %s, tiles; shr.u32 %w, %s, 4; cvt.u64.u32 %x, %w; mad.lo.u32 %s, %t, 4, %s;
ld.global.b64 %a, [%all + {DESCRIPTORS}]; add.u64 %a, %a, %x;
ld.global.b64 %b, [%all + {DESCRIPTORS} + 8]; add.u64 %b, %b, %x;
ld.global.b32 %w, [%all + {DESCRIPTORS} + 16]; setp.ne.u32 %p, %w, 0;
{body}
fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;
{}
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
{stores} ret;
}}
",
            self.instruction(),
            each = count * 4,
        )
    }

    /// Returns the metadata of a thread.
    fn metadata(&self, random: &mut Random, run: u64) -> u32 {
        let any = random.draw() << 16 ^ random.draw();
        let choices: &[u32] = match (self.types[1], run) {
            (_, 3) => return any,
            ("tf32", _) => &[0b0100, 0b1110],
            // Any order of two different indices.
            (_, 2) => &[1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14],
            _ => &[0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110],
        };
        (0..8).map(|i| choices[random.draw() as usize % choices.len()] << (4 * i)).sum()
    }

    /// Returns the sources: shared memory, accumulators, metadata, two descriptors and whether to accumulate.
    pub(crate) fn inputs(&self, index: usize, case: Case) -> Vec<u64> {
        let mut random = Random::new(54321 + case.mode * 1000 + case.run * 77 + index as u64 * 99991);
        let (wide, size) = (matches!(case.run, 1 | 3), self.size());
        let mut bytes = Vec::with_capacity(8 * SOURCES * THREADS);
        while bytes.len() < BYTES {
            let mut value = random.value(self.types[1], wide);
            if case.run == 4 && random.draw().is_multiple_of(100) {
                value = self.special(&mut random);
            }
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        for _ in 0..16 * THREADS {
            bytes.extend_from_slice(&random.accumulator(self.types[0], wide).to_le_bytes());
        }
        for _ in 0..THREADS {
            bytes.extend_from_slice(&self.metadata(&mut random, case.run).to_le_bytes());
        }
        let line = [16, 128, 64, 32][case.mode as usize];
        let (leading, stride) = if case.mode == 0 { (256, 512) } else { (2 * line * 8, line * 8) };
        let layout = case.mode << 62 | (stride / 16) << 32 | (leading / 16) << 16;
        for word in [layout, layout | (B / 16), u64::from(case.run != 2)] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.resize(8 * SOURCES * THREADS, 0);
        bytes.as_chunks::<8>().0.iter().map(|slot| u64::from_le_bytes(*slot)).collect()
    }

    /// Returns the number of bytes of a factor.
    fn size(&self) -> usize {
        match self.types[1] {
            "f16" | "bf16" => 2,
            "tf32" => 4,
            _ => 1,
        }
    }

    /// Returns a zero, a subnormal number, an infinity or a NaN.
    fn special(&self, random: &mut Random) -> u32 {
        let (infinity, bits) = match self.types[1] {
            "f16" => (0x7c00, 16),
            "bf16" => (0x7f80, 16),
            "tf32" => (0x7f80_0000, 32),
            "e4m3" => (0x78, 8),
            "e5m2" => (0x7c, 8),
            _ => (0x80, 8),
        };
        let sign = (random.draw() & 1) << (bits - 1);
        sign | [0, infinity, infinity, infinity >> 3, infinity | infinity >> 1][random.draw() as usize % 5]
    }
}

/// Returns the line of `tests/ptx/results/wgmma-sparse.txt` for the results of a case.
pub(crate) fn line(form: &SparseForm, case: Case, results: &[u64]) -> String {
    let words =
        results.iter().flat_map(|slot| [*slot as u32, (slot >> 32) as u32]).take(128 * form.registers());
    let hash = words.fold(2_166_136_261, |hash: u32, word| (hash ^ word).wrapping_mul(16_777_619));
    format!("{} {} {} {hash:08x}", form.name, case.mode, case.run)
}
