//! Products of warpgroups against the results of an H100, by their hashes (`tests/ptx/results/wgmma.txt`).
//!
//! A form is an instruction of 32 columns; its operands have random bytes, in each of the four layouts. Odd runs
//! have a wide range of exponents; the third run does not accumulate.

use crate::recorded_forms::factors::Random;
use crate::support;

use std::fmt::Write;
use support::Machine;

const RECORDED: &str = include_str!("../../../tests/ptx/results/wgmma.txt");

/// The bytes of shared memory, and the place of B.
const BYTES: usize = 49152;
const B: u64 = 16384;

struct Form {
    name: String,
    d: &'static str,
    a: &'static str,
    /// The instruction with its types.
    op: String,
    /// The operands behind the predicate.
    rest: String,
    /// Whether A is in registers.
    registers: bool,
}

fn form(name: String, types: [&'static str; 3], depth: usize, rest: String) -> Form {
    let [d, a, b] = types;
    let (saturates, registers) = (name.ends_with(".sat"), name.starts_with("reg."));
    let popc = if a == "b1" { ".and.popc" } else { "" };
    let sat = if saturates { ".satfinite" } else { "" };
    let op = format!("wgmma.mma_async.sync.aligned.m64n32k{depth}{sat}.{d}.{a}.{b}{popc}");
    Form { name, d, a, op, rest, registers }
}

/// Returns all forms, in the order in which they were recorded.
fn forms() -> Vec<Form> {
    let mut all = Vec::new();
    let mut add =
        |name: &str, types, depth, rest: &str| all.push(form(name.into(), types, depth, rest.into()));
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        add(&format!("f32.f16.f16.t{a}{b}"), ["f32", "f16", "f16"], 16, &format!(", 1, 1, {a}, {b}"));
    }
    add("f16.f16.f16.t00", ["f16", "f16", "f16"], 16, ", 1, 1, 0, 0");
    add("f16.f16.f16.t01", ["f16", "f16", "f16"], 16, ", 1, 1, 0, 1");
    add("f32.bf16.bf16.t00", ["f32", "bf16", "bf16"], 16, ", 1, 1, 0, 0");
    add("f32.bf16.bf16.t11", ["f32", "bf16", "bf16"], 16, ", 1, 1, 1, 1");
    add("f32.f16.f16.neg", ["f32", "f16", "f16"], 16, ", -1, 1, 0, 0");
    add("f32.tf32.tf32", ["f32", "tf32", "tf32"], 8, ", 1, 1");
    add("f32.tf32.neg", ["f32", "tf32", "tf32"], 8, ", 1, -1");
    for a in ["e4m3", "e5m2"] {
        for b in ["e4m3", "e5m2"] {
            add(&format!("f32.{a}.{b}"), ["f32", a, b], 32, ", 1, 1");
            add(&format!("f16.{a}.{b}"), ["f16", a, b], 32, ", 1, 1");
        }
    }
    for a in ["s8", "u8"] {
        for b in ["s8", "u8"] {
            add(&format!("s32.{a}.{b}"), ["s32", a, b], 32, "");
            add(&format!("s32.{a}.{b}.sat"), ["s32", a, b], 32, "");
        }
    }
    add("s32.b1.b1", ["s32", "b1", "b1"], 256, "");
    add("reg.f32.f16", ["f32", "f16", "f16"], 16, ", 1, 1, 0");
    add("reg.f32.bf16.t1", ["f32", "bf16", "bf16"], 16, ", 1, 1, 1");
    add("reg.f32.tf32", ["f32", "tf32", "tf32"], 8, ", 1, 1");
    add("reg.f32.e4m3", ["f32", "e4m3", "e4m3"], 32, ", 1, 1");
    all
}

/// The number of registers of the accumulator.
fn count(form: &Form) -> usize {
    if form.d == "f16" { 8 } else { 16 }
}

fn text(form: &Form) -> String {
    let list = |count| (0..count).map(|i| format!("%d{i}")).collect::<Vec<_>>().join(", ");
    let a = if form.registers { "{%a0, %a1, %a2, %a3}".to_owned() } else { "%a".to_owned() };
    let mut body = String::new();
    for i in 0..BYTES / 512 {
        let _ = write!(body, "ld.global.b32 %w, [%in + {0}]; st.shared.b32 [%s + {0}], %w;", 512 * i);
    }
    for i in 0..count(form) {
        let _ = write!(body, "ld.global.b32 %d{i}, [%c + {}];", 4 * i);
    }
    for i in 0..4 {
        let _ = write!(body, "ld.global.b32 %a{i}, [%own + {}];", 4 * i);
    }
    let mut stores = String::new();
    for i in 0..count(form) {
        let _ = write!(stores, "st.global.b32 [%out + {}], %d{i};", 4 * i);
    }
    format!(
        ".version 8.0\n.target sm_90a\n.address_size 64
         .visible .entry k(.param .u64 in, .param .u64 c, .param .u64 out, .param .u64 a, .param .u64 b, .param .u32 scale) {{
             .reg .b64 %in, %c, %out, %own, %a, %b, %x; .reg .b32 %s, %w, %t, %a<4>, %d<16>; .reg .pred %p;
             .shared .align 1024 .b8 tiles[{BYTES}];
             ld.param.u64 %in, [in]; ld.param.u64 %c, [c]; ld.param.u64 %out, [out];
             ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %w, [scale]; setp.ne.u32 %p, %w, 0;
             mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 16; add.u64 %own, %in, %x;
             mul.wide.u32 %x, %t, 4; add.u64 %in, %in, %x;
             mul.wide.u32 %x, %t, {}; add.u64 %c, %c, %x; add.u64 %out, %out, %x;
             mov.u32 %s, tiles; mad.lo.u32 %s, %t, 4, %s;
             {body}
             fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;
             {} {{{}}}, {a}, %b, %p{};
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
             {stores} ret;
         }}",
        count(form) * 4,
        form.op,
        list(count(form)),
        form.rest,
    )
}

fn hash(form: &Form, index: usize, mode: u64, run: u64, machine: &Machine) -> u32 {
    let mut random = Random::new(12345 + mode * 1000 + run * 77 + index as u64 * 99991);
    let wide = run & 1 != 0;
    let size = match form.a {
        "f16" | "bf16" => 2,
        "tf32" => 4,
        _ => 1,
    };
    let mut bytes = Vec::with_capacity(BYTES);
    while bytes.len() < BYTES {
        bytes.extend_from_slice(&random.value(form.a, wide).to_le_bytes()[..size]);
    }
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let sums: Vec<u32> = (0..2048).map(|_| random.accumulator(form.d, wide)).collect();
    let line = [16, 128, 64, 32][mode as usize];
    let (leading, stride) = if mode == 0 { (256, 512) } else { (2 * line * 8, line * 8) };
    let layout = mode << 62 | (stride / 16) << 32 | (leading / 16) << 16;
    let (input, c, out) = (machine.upload(&words), machine.upload(&sums), machine.alloc(8192));
    let scale = u32::from(run != 2);
    machine.finish("k", 1, 128, args![input, c, out, layout, layout | (B / 16), scale]);
    let got = machine.words(out, 128 * count(form));
    got.iter().fold(2_166_136_261, |hash: u32, word| (hash ^ word).wrapping_mul(16_777_619))
}

#[test]
fn results_are_those_of_a_gpu() {
    let mut recorded = RECORDED.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for (index, form) in forms().iter().enumerate() {
        let machine = Machine::new(&text(form));
        for mode in 0..4 {
            for run in 0..3 {
                let line =
                    format!("{} {mode} {run} {:08x}", form.name, hash(form, index, mode, run, &machine));
                if recorded.next() != Some(line.as_str()) {
                    wrong.push(line);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(recorded.next(), None);
}
