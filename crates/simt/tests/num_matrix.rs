//! Checks [`simt::num::matrix`] alone against the recordings of matrix instructions.

use crate::recorded_forms;

use ptx::ast::ScalarType::{self, *};
use ptx::ast::{Item, Operand, Statement};
use ptx::decode;
use ptx::op::Shape;
use ptx::op::{Fragment, Layout, Op};
use recorded_forms::check::{self, Checked};
use recorded_forms::form::Form;
use simt::num::matrix::{Lanes, Map, Mma, lanes, multiply, multiply_each};
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx")
}

/// Returns the result of `pick` for the first instruction of a kernel that it accepts.
fn find<T>(text: &str, pick: impl Fn(&Op, &[Operand]) -> Option<T>) -> Option<T> {
    let parsed = ptx::parse(text);
    let function = parsed.module.items.into_iter().find_map(|item| match item {
        Item::Function(f) => Some(f),
        _ => None,
    })?;
    function.body?.statements.iter().find_map(|s| match s {
        Statement::Instruction(i) => pick(&decode(i).ok()?, &i.operands),
        _ => None,
    })
}

/// Returns slot `slot` of the 32 lanes of warp `warp`.
fn gather(slots: &[u64], per_item: usize, warp: usize, slot: usize) -> Lanes {
    std::array::from_fn(|lane| slots[(warp * 32 + lane) * per_item + slot])
}

fn expect_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} forms differ from the GPU:\n{}", wrong.len(), wrong.join("\n"));
}

fn products(form: &Form, mma: &Mma, inputs: &[u64]) -> Vec<u64> {
    let (s, r) = (form.sources.len(), form.results.len());
    let count = |f| mma.map(f).expect("a known fragment").registers();
    let (na, nb) = (count(Fragment::A), count(Fragment::B));
    let mut outputs = vec![0; form.items * r];
    for warp in 0..form.items / 32 {
        let registers: Vec<Lanes> = (0..s).map(|i| gather(inputs, s, warp, i)).collect();
        let (a, rest) = registers.split_at(na);
        let (b, c) = rest.split_at(nb);
        let d = multiply(mma, a, b, c).unwrap_or_else(|| panic!("{}", form.name));
        for (slot, lanes) in d.iter().enumerate() {
            for (lane, v) in lanes.iter().enumerate() {
                outputs[(warp * 32 + lane) * r + slot] = *v;
            }
        }
    }
    outputs
}

#[test]
fn products_agree_with_the_recordings() {
    let (mut same, mut wrong) = (0, Vec::new());
    check::each_form(&root(), |form, text, inputs, recording| {
        if form.group != "mma" {
            return;
        }
        let mma = find(text, |op, _| Mma::of(op)).unwrap_or_else(|| panic!("{}", form.name));
        match check::check(form, inputs, &products(form, &mma, inputs), recording) {
            Checked::Same => same += 1,
            Checked::Differs(what) => wrong.push(what),
        }
    });
    println!("{same} forms agree");
    expect_none(&wrong);
    assert!(same > 60, "only {same} forms were checked");
}

/// In these kernels an element's value is its index in memory.
#[test]
fn fragments_agree_with_the_recordings() {
    let mut checked = 0;
    check::each_form(&root(), |form, text, _, recording| {
        if form.group != "wmma" {
            return;
        }
        let (fragment, layout, shape, ty, stride) = find(text, |op, operands| match (op, operands.last()) {
            (Op::WmmaLoad { fragment, layout, shape, ty, .. }, Some(Operand::Int(stride, _))) => {
                Some((*fragment, *layout, *shape, *ty, *stride as usize))
            }
            _ => None,
        })
        .unwrap_or_else(|| panic!("{}", form.name));
        let map = Map::wmma(fragment, shape, ty).unwrap_or_else(|| panic!("no map for {}", form.name));
        assert_eq!(map.registers(), form.results.len(), "{}", form.name);
        let bits = map.element_bits() as usize;
        // Halves are numbered in 16 bits each, all other elements in 32.
        let unit = if bits <= 16 { 16 } else { 32 };
        let memory = |bit: usize| -> u64 {
            let word = (bit / unit) as u64;
            word >> (bit % unit) & (u64::MAX >> (64 - bits.min(unit)))
        };
        let width = form.result_bytes() / form.results.len();
        for (i, bytes) in recording.kept.chunks_exact(width).enumerate() {
            let value = bytes.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b));
            let (lane, register) = (i / form.results.len(), i % form.results.len());
            for j in 0..map.per_register() {
                let (row, column) = map.at(lane, register, j);
                let index = if layout == Layout::Row { row * stride + column } else { column * stride + row };
                let mut expected = memory(index * bits);
                if bits == 64 {
                    expected |= memory(index * bits + 32) << 32;
                }
                assert_eq!(
                    map.element(value, j),
                    expected,
                    "{}: lane {lane}, register {register}, element {j} at ({row}, {column})",
                    form.name
                );
            }
        }
        checked += 1;
    });
    assert!(checked > 70, "only {checked} fragments were checked");
}

#[test]
fn matrix_moves_agree_with_the_recordings() {
    let (mut same, mut wrong) = (0, Vec::new());
    check::each_form(&root(), |form, text, inputs, recording| {
        if form.group != "ldmatrix" {
            return;
        }
        let (s, r) = (form.sources.len(), form.results.len());
        let mut outputs = vec![0; form.items * r];
        let warps = form.items / 32;
        let op = find(text, |op, _| match op {
            Op::Ldmatrix { .. } | Op::Stmatrix { .. } | Op::Movmatrix { .. } => Some(op.clone()),
            _ => None,
        })
        .unwrap_or_else(|| panic!("{}", form.name));
        for warp in 0..warps {
            let mut set = |slot: usize, v: [u32; 32]| {
                for (lane, v) in v.into_iter().enumerate() {
                    outputs[(warp * 32 + lane) * r + slot] = v.into();
                }
            };
            let word = |v: &[u64; 32]| v.map(|x| x as u32);
            match op {
                Op::Movmatrix { .. } => {
                    set(0, lanes::transpose(&word(&gather(inputs, s, warp, 0))));
                }
                Op::Ldmatrix { count, trans, .. } => {
                    for matrix in 0..count.into() {
                        // Lane l's address is that of the row that lane 31 - l wrote.
                        let rows = std::array::from_fn(|row| {
                            let item = warp * 32 + 31 - lanes::address_lane(matrix, row);
                            std::array::from_fn(|i| (inputs[item * s + i / 2] >> (16 * (i % 2))) as u16)
                        });
                        set(matrix, lanes::load(&rows, trans));
                    }
                }
                Op::Stmatrix { count, trans, .. } => {
                    for matrix in 0..count.into() {
                        let rows = lanes::store(&word(&gather(inputs, s, warp, matrix)), trans);
                        for (row, values) in rows.iter().enumerate() {
                            let item = warp * 32 + 31 - lanes::address_lane(matrix, row);
                            for (i, v) in values.iter().enumerate() {
                                outputs[item * r + i / 2] |= u64::from(*v) << (16 * (i % 2));
                            }
                        }
                    }
                }
                _ => unreachable!(),
            }
        }
        match check::check(form, inputs, &outputs, recording) {
            Checked::Same => same += 1,
            Checked::Differs(what) => wrong.push(what),
        }
    });
    expect_none(&wrong);
    assert!(same >= 13, "only {same} forms were checked");
}

/// Sums of whole rows equal those of each element by itself.
#[test]
fn whole_products_agree_with_single_elements() {
    let mma = |wmma, (m, n, k), [d, a, b, c]: [ScalarType; 4], satfinite| Mma {
        shape: Shape { m, n, k },
        wmma,
        a_layout: Layout::Row,
        b_layout: Layout::Col,
        d,
        a,
        b,
        c,
        satfinite,
        bit_op: None,
    };
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state ^ state >> 31) & 0xffff_ffff
    };
    for mma in [
        mma(false, (16, 8, 16), [F32, F16, F16, F32], false),
        mma(false, (16, 8, 8), [F32, F16, F16, F32], false),
        mma(false, (16, 8, 16), [F16, F16, F16, F16], false),
        mma(false, (16, 8, 16), [F32, Bf16, Bf16, F32], false),
        mma(false, (16, 8, 8), [F32, Bf16, Bf16, F32], false),
        mma(false, (16, 8, 8), [F32, Tf32, Tf32, F32], false),
        mma(false, (16, 8, 4), [F32, Tf32, Tf32, F32], false),
        mma(false, (16, 8, 32), [S32, S8, S8, S32], false),
        mma(false, (16, 8, 32), [S32, U8, S8, S32], true),
        mma(false, (16, 8, 16), [S32, S8, U8, S32], true),
        mma(true, (16, 16, 16), [F32, F16, F16, F32], false),
        mma(true, (16, 16, 16), [F32, F16, F16, F16], false),
        mma(true, (16, 16, 16), [F16, F16, F16, F32], false),
        mma(true, (32, 8, 16), [F32, F16, F16, F32], false),
        mma(true, (8, 32, 16), [F32, Bf16, Bf16, F32], false),
        mma(true, (16, 16, 8), [F32, Tf32, Tf32, F32], false),
        mma(true, (16, 16, 16), [S32, U8, U8, S32], true),
    ] {
        let count = |f| mma.map(f).unwrap_or_else(|| panic!("{mma:?}")).registers();
        let (na, nb, nc) = (count(Fragment::A), count(Fragment::B), count(Fragment::C));
        for round in 0..40 {
            // Mostly numbers with similar exponents; some of any size, some infinities and NaN.
            let near = |v: u64, ty: ScalarType| match (round % 4, ty) {
                (0, _) => v,
                (1, F16) => v & 0xbbff_bbff,
                (1, Bf16 | Tf32 | F32) => v & 0xbfff_bfff,
                (_, F16) => v & 0x8fff_8fff | 0x3000_3000,
                (_, Bf16) => v & 0x83ff_83ff | 0x3c00_3c00,
                (_, Tf32 | F32) => v & 0x83ff_ffff | 0x3c00_0000,
                (3, _) => {
                    if v & 3 == 0 {
                        0
                    } else {
                        v
                    }
                }
                _ => v,
            };
            let mut registers = |n: usize, ty| -> Vec<Lanes> {
                (0..n)
                    .map(|_| {
                        std::array::from_fn(|_| {
                            if round > 30 && random() % 3 == 0 { 0 } else { near(random(), ty) }
                        })
                    })
                    .collect()
            };
            let (a, b, c) = (registers(na, mma.a), registers(nb, mma.b), registers(nc, mma.c));
            assert_eq!(multiply(&mma, &a, &b, &c), multiply_each(&mma, &a, &b, &c), "{mma:?}, round {round}");
        }
    }
}
