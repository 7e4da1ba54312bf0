//! Generates launches that may show a race, plausible ones first.

use crate::facts::Facts;
use crate::facts::assume::{Name, Test};
use crate::replay::bench::{Argument, Contents, Value, Witness};
use crate::replay::images::{Image, images};
use kernels::{Kernel, Linked};
use ptx::ast::{ScalarType, VarAttribute};
use ptx::flat::{Arg, Base, Flat, VarRole};
use ptx::op::{MemSpace, Op};
use ptx::sreg::SpecialReg;
use std::collections::BTreeMap;

/// The largest number of launches that are tried for one kernel.
const MOST: usize = 160;

/// The number of launches that are tried in other orders of threads, and the number of orders.
const ORDERED: usize = 4;
const ORDERS: u64 = 9;

/// Choices of arguments in one geometry.
const CHOICES: u64 = 9;

/// Constants of a kernel that are tried as arguments.
const MOST_CONSTANTS: usize = 12;

/// The dynamic shared memory of a launch, in bytes: pipelines of tiles take most of what a block may have (sm_80 and later).
const DYNAMIC_SHARED: u32 = 96 << 10;

/// Lengths of rows that are tried.
const MOST_ROWS: usize = 2;

/// A scalar or pointer among the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    index: u32,
    offset: u32,
    bytes: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Pointer,
    Image(Image),
    Integer,
    Float,
}

/// Returns the launches to try, in order; `pointers` are the parameters that accesses start from.
pub fn candidate_launches(
    linked: &Linked<'_>,
    kernel: &Kernel,
    facts: &Facts,
    pointers: &[(u32, u32)],
) -> Vec<Witness> {
    let inlined = crate::kernel::inline::inlined(linked, kernel);
    let flat = inlined.as_ref().map_or(&linked.functions[kernel.function].flat, |i| &i.flat);
    let pieces = pieces(flat, pointers);
    let dynamic = kernel.shared_variables.iter().any(|v| v.bytes.is_none());
    let shared = facts.dynamic_shared.unwrap_or(if dynamic { DYNAMIC_SHARED } else { 0 });
    let constants = constants(flat);
    let mut found: Vec<Witness> = Vec::new();
    let mut shapes = geometries(flat, kernel, facts);
    // Warp-wide instructions require whole warps.
    if flat.instructions.iter().any(|i| i.op.as_ref().is_ok_and(of_whole_warps)) {
        shapes.retain(|(block, _)| block.iter().product::<u32>().is_multiple_of(32));
    }
    for (n, (block, grid)) in shapes.iter().enumerate() {
        for choice in 0..CHOICES {
            for contents in [Contents::Zeros, Contents::Small(1), Contents::Ascending, Contents::Ones] {
                let seed = (n as u64) << 8 | choice;
                let arguments = arguments(&pieces, facts, (*block, *grid), &constants, (choice, seed));
                let witness = Witness {
                    grid: *grid,
                    block: *block,
                    dynamic_shared: shared,
                    arguments,
                    contents,
                    order: 0,
                };
                if allowed(flat, facts, &witness) && !found.contains(&witness) {
                    found.push(witness);
                }
            }
        }
    }
    // Plausible arguments in every geometry come first.
    found.truncate(400);
    let rank = |w: &Witness| (w.contents == Contents::Zeros) as u8;
    let (mut plain, rest): (Vec<Witness>, Vec<Witness>) = found.into_iter().partition(|w| rank(w) == 1);
    plain.truncate(MOST / 2);
    let left = MOST - plain.len();
    let few: Vec<Witness> = plain.iter().take(ORDERED).cloned().collect();
    plain.extend(rest.into_iter().take(left));
    // A kernel that communicates by strong operations may take other paths in another order.
    if kernel.uses.fences_or_strong || kernel.uses.relaxed {
        for order in 1..=ORDERS {
            plain.extend(few.iter().map(|w| Witness { order, ..w.clone() }));
        }
    }
    plain
}

/// Returns the numbers that a kernel compares with or divides by, and their neighbours.
fn constants(flat: &Flat<'_>) -> Vec<i128> {
    let mut found: Vec<i128> = Vec::new();
    let decide = |op: &Op| matches!(op, Op::Setp { .. } | Op::Rem { .. } | Op::Div { .. } | Op::Min { .. });
    for inst in flat.instructions.iter().filter(|i| i.op.as_ref().is_ok_and(decide)) {
        let numbers = inst.args.iter().filter_map(|a| match a {
            Arg::Int(n) if (2..1 << 24).contains(n) => Some(*n),
            _ => None,
        });
        for n in numbers.flat_map(|n| [n, n + 1, n - 1]) {
            if !found.contains(&n) && found.len() < MOST_CONSTANTS {
                found.push(n);
            }
        }
    }
    found
}

fn of_whole_warps(op: &Op) -> bool {
    matches!(
        op,
        Op::WmmaLoad { .. }
            | Op::WmmaStore { .. }
            | Op::WmmaMma { .. }
            | Op::Mma { .. }
            | Op::Ldmatrix { .. }
            | Op::Stmatrix { .. }
            | Op::Movmatrix { .. }
    )
}

fn reads(flat: &Flat<'_>, r: SpecialReg) -> bool {
    flat.instructions.iter().any(|i| i.args.contains(&Arg::Special(r)))
}

fn geometries(flat: &Flat<'_>, kernel: &Kernel, facts: &Facts) -> Vec<([u32; 3], [u32; 3])> {
    use SpecialReg as S;
    let tid = [S::TidX, S::TidY, S::TidZ].map(|r| reads(flat, r));
    let ctaid = [S::CtaidX, S::CtaidY, S::CtaidZ].map(|r| reads(flat, r));
    let lanes = reads(flat, S::Laneid);
    let nothing = !tid.iter().chain(&ctaid).any(|&r| r) && !lanes;
    let talks = crate::kernel::instructions::talks_to_other_blocks(flat);
    let many = tid.iter().filter(|&&r| r).count();
    let sizes: &[[u32; 3]] = match many {
        0 | 1 => &[
            [64, 64, 64],
            [256, 256, 256],
            [32, 32, 32],
            [128, 128, 128],
            [96, 96, 96],
            [2, 2, 2],
            [1024; 3],
        ],
        2 => &[
            [16, 16, 16],
            [8, 8, 8],
            [32, 8, 8],
            [32, 32, 32],
            [32, 4, 4],
            [64, 4, 4],
            [2, 2, 2],
            [4, 32, 32],
        ],
        _ => &[[4, 4, 4], [8, 8, 8], [16, 4, 2], [2, 2, 2]],
    };
    let grids: &[[u32; 3]] = &[[2, 2, 2], [4, 3, 2], [1, 1, 1], [8, 1, 1]];
    let mut found = Vec::new();
    let required = kernel.required_threads.map(|d| [d.x, d.y, d.z]);
    // A grid barrier reads all coordinates, whatever the kernel itself uses.
    if kernel.uses_workspace {
        for (threads, blocks) in [(64, 2), (32, 4), (256, 2), (96, 8), (1, 3)] {
            let b = facts.block.or(required).unwrap_or([threads, 1, 1]);
            let g = facts.grid.unwrap_or_else(|| of_clusters([blocks, 1, 1], kernel));
            found.push((b, g));
        }
        found.retain(|(b, _)| b.iter().product::<u32>() <= kernel.max_threads);
        found.dedup();
    }
    let mut add = |size: &[u32; 3], grid: [u32; 3]| {
        let mut b = [1; 3];
        let mut g = [1; 3];
        for i in 0..3 {
            if tid[i] || (nothing || lanes) && i == 0 {
                b[i] = size[i].min([1024, 1024, 64][i]);
            }
            if ctaid[i] || (nothing || talks) && i == 0 {
                g[i] = grid[i];
            }
        }
        let b = facts.block.or(required).unwrap_or(b);
        let g = facts.grid.unwrap_or_else(|| of_clusters(g, kernel));
        let threads: u64 = b.iter().map(|&n| u64::from(n)).product();
        let all = threads * g.iter().map(|&n| u64::from(n)).product::<u64>();
        let fits = threads > 0 && threads <= u64::from(kernel.max_threads) && all > 0 && all <= 1 << 18;
        if fits && !found.contains(&(b, g)) {
            found.push((b, g));
        }
    };
    // Plausible blocks; rows that are longer than the numbers that a row's number is multiplied by; other blocks.
    let (two, more) = (grids[0], &grids[1..]);
    sizes.iter().take(2).for_each(|size| add(size, two));
    for row in row_lengths(flat) {
        add(&sizes[0], [row / sizes[0][0] + 2, 2, 2]);
    }
    sizes.iter().skip(2).for_each(|size| add(size, two));
    for size in sizes {
        more.iter().for_each(|grid| add(size, *grid));
    }
    found
}

/// Returns the greatest numbers that a kernel multiplies by.
fn row_lengths(flat: &Flat<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    for inst in &flat.instructions {
        let number = |n: usize| match inst.args.get(n) {
            Some(Arg::Int(n)) => u32::try_from(*n).ok(),
            _ => None,
        };
        let row = match inst.op {
            Ok(Op::Mul { .. } | Op::Mad { .. }) => number(2),
            Ok(Op::Shl { .. }) => number(2).and_then(|by| 1u32.checked_shl(by)),
            _ => None,
        };
        found.extend(row.filter(|n| (128..=1 << 15).contains(n)));
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    found.truncate(MOST_ROWS);
    found
}

/// Rounds the number of blocks up to whole clusters.
fn of_clusters(grid: [u32; 3], kernel: &Kernel) -> [u32; 3] {
    let cluster = kernel.cluster.map_or([1; 3], |d| [d.x, d.y, d.z]);
    std::array::from_fn(|i| grid[i].next_multiple_of(cluster[i].max(1)))
}

/// Splits the parameters into scalars and pointers.
fn pieces(flat: &Flat<'_>, pointers: &[(u32, u32)]) -> Vec<Piece> {
    let mut found: BTreeMap<(u32, u32), Piece> = BTreeMap::new();
    let images = images(flat);
    let mut add = |index: u32, offset: u32, ty: ScalarType, pointer: bool| {
        let what = match images.get(&(index, offset)) {
            Some(image) => What::Image(*image),
            None if pointer || pointers.contains(&(index, offset)) => What::Pointer,
            None if ty.is_float() => What::Float,
            None => What::Integer,
        };
        let piece = Piece { index, offset, bytes: ty.bytes(), what };
        found
            .entry((index, offset))
            .and_modify(|old| {
                if old.bytes < piece.bytes || piece.what == What::Float {
                    *old = piece;
                }
            })
            .or_insert(piece);
    };
    for (i, p) in flat.function.params.iter().enumerate() {
        let pointer = p.attributes.iter().any(|a| matches!(a, VarAttribute::Ptr { .. }));
        if p.dims.is_empty() {
            add(i as u32, 0, p.ty, pointer);
        }
    }
    for inst in &flat.instructions {
        if let Ok(Op::Ld(mem)) = &inst.op
            && matches!(mem.space, MemSpace::Param)
            && let Some(Arg::Address { base: Base::Variable(id), offset, .. }) = inst.args.get(1)
            && let VarRole::Param(n) = flat.variables[id.0 as usize].role
            && let Ok(offset) = u32::try_from(*offset)
        {
            for e in 0..u32::from(mem.vector) {
                add(n, offset + e * mem.ty.bytes(), mem.ty, false);
            }
        }
    }
    found.into_values().collect()
}

fn arguments(
    pieces: &[Piece],
    facts: &Facts,
    (block, grid): ([u32; 3], [u32; 3]),
    constants: &[i128],
    (choice, seed): (u64, u64),
) -> Vec<Argument> {
    let extent = |i: usize| i128::from(block[i]) * i128::from(grid[i]);
    let all: i128 = (0..3).map(extent).product();
    let threads: i128 = block.iter().map(|&n| i128::from(n)).product();
    let numbers = pieces.iter().filter(|p| p.what == What::Integer).count();
    let mut integers = 0usize;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut list = Vec::new();
    for piece in pieces {
        let value = match piece.what {
            What::Pointer => Value::Array,
            What::Image(image) => Value::Image(image),
            What::Float if piece.bytes == 8 => Value::Bits(1f64.to_bits()),
            What::Float if piece.bytes == 4 => Value::Bits(u64::from(1f32.to_bits())),
            What::Float => Value::Bits(0x3c00),
            What::Integer => {
                integers += 1;
                let given = facts.scalars.get(&(piece.index, piece.offset)).copied();
                let axis = (integers - 1).min(2);
                let several = grid[1] > 1 || block[1] > 1;
                let sensible = match choice {
                    // Extents give all threads something to do, each dimension its own.
                    0 if several => extent(axis),
                    0 => all,
                    1 => threads,
                    2 => [64, 16, 4, 2][(integers - 1).min(3)],
                    // Sizes in front of strides that are zero.
                    3 if integers * 2 > numbers => 0,
                    3 => extent(axis),
                    4 if !constants.is_empty() => constants[random(constants.len())],
                    5 => [0, 1, threads, all][random(4)],
                    // Rows first, as matrices are indexed.
                    8 if several => extent([1, 0, 2][axis]),
                    _ => {
                        let options =
                            [1, 2, 3, 4, 5, 8, 16, 32, 100, threads, all, all - 1, 2 * all, extent(0), 1000];
                        options[random(options.len())]
                    }
                };
                Value::Scalar(given.unwrap_or(sensible))
            }
        };
        list.push(Argument { index: piece.index, offset: piece.offset, bytes: piece.bytes, value });
    }
    list
}

/// Returns whether a launch satisfies the user's assumptions. Assumptions that cannot be evaluated count as
/// violated.
fn allowed(flat: &Flat<'_>, facts: &Facts, witness: &Witness) -> bool {
    let value = |name: &Name| match name {
        Name::Block(a) => Some(i128::from(witness.block[*a as usize])),
        Name::Grid(a) => Some(i128::from(witness.grid[*a as usize])),
        Name::Host(_) | Name::Part(_) | Name::Offset(_) => None,
        Name::Param(name) => {
            let index = crate::exec::param_index(flat, name)? as u32;
            witness.arguments.iter().find(|a| (a.index, a.offset) == (index, 0)).and_then(|a| match a.value {
                Value::Scalar(v) => Some(v),
                _ => None,
            })
        }
    };
    facts.relations.iter().all(|r| match r.elements() {
        // These contents are ascending, so all elements differ; how large they are depends on the array.
        Some(_) => {
            let has_bounds = matches!(r.test, Test::ElementsAtLeast | Test::ElementsAtMost);
            witness.contents == Contents::Ascending && !has_bounds
        }
        None => r.holds(&value) == Some(true),
    })
}

impl std::fmt::Display for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dim = |d: [u32; 3]| match d {
            [x, 1, 1] => x.to_string(),
            [x, y, 1] => format!("({x}, {y})"),
            [x, y, z] => format!("({x}, {y}, {z})"),
        };
        write!(f, "<<<{}, {}>>>", dim(self.grid), dim(self.block))?;
        for a in &self.arguments {
            let place = if a.offset == 0 { String::new() } else { format!("+{}", a.offset) };
            match a.value {
                Value::Scalar(v) => write!(f, ", arg{}{place} = {v}", a.index)?,
                Value::Image(Image::Texture) => write!(f, ", arg{}{place} is a texture", a.index)?,
                Value::Image(Image::Surface) => write!(f, ", arg{}{place} is a surface", a.index)?,
                Value::Array | Value::Bits(_) => {}
            }
        }
        write!(f, "; {}", self.contents)?;
        match self.schedule() {
            (simt::Schedule::ConvergedFirst, _) => Ok(()),
            (schedule, seed) => write!(f, "; schedule {schedule}:seed={seed}"),
        }
    }
}
