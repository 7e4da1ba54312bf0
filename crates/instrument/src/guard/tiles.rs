//! The matrices of `wmma.load` and `wmma.store`. The distribution of elements over lanes is not specified
//! (PTX §9.7.15.3), but the bytes of the whole matrix are. Each lane checks a share of these, and lanes of
//! the warp are not compared with each other: the instruction counts as a barrier of the warp on both sides.

use kernels::effects::{Control, Order, effects};
use ptx::ast::Operand;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Fragment, Layout, Op, Shape};
use std::fmt::Write;

/// The largest number of bytes that a lane checks.
const SHARE: u32 = 32;

/// Finds consecutive matrix instructions without checked accesses in between: the barrier behind the first
/// also serves as the one before the second, and loads alone need none in between. Tensor-core kernels have
/// hundreds of these in sequence, and ptxas takes minutes for twice as many barriers.
#[derive(Debug)]
pub(super) struct Still<'f, 'm> {
    flat: &'f Flat<'m>,
    /// The targets of labels, in order.
    labels: Vec<u32>,
    /// The range of instructions for which the last barrier still serves.
    met: Option<(usize, usize)>,
}

impl<'f, 'm> Still<'f, 'm> {
    pub(super) fn of(flat: &'f Flat<'m>) -> Still<'f, 'm> {
        let mut labels: Vec<u32> = flat.labels.iter().map(|label| label.target).collect();
        labels.sort_unstable();
        Still { flat, labels, met: None }
    }

    /// Returns whether the matrix of the `i`th instruction needs a barrier before it (unless nothing was
    /// checked since the last one) and behind it (unless the next matrix instruction is also a load).
    /// `checked` tells which matrices are checked. Called once for each matrix instruction, in order.
    pub(super) fn meets(&mut self, i: usize, checked: impl Fn(usize) -> bool) -> [bool; 2] {
        let before = !self.met.is_some_and(|(from, to)| (from..=to).contains(&i));
        let alone = self.flat.instructions[i].guard.is_some();
        // A guarded instruction is executed by some threads, and so is its barrier.
        let next = self.next(i).filter(|_| !alone);
        self.met = next.map(|next| (i + 1, next));
        let load = |i: usize| matches!(self.flat.instructions[i].op, Ok(Op::WmmaLoad { .. }));
        let follows = next.is_some_and(|next| {
            load(i) && load(next) && checked(next) && self.flat.instructions[next].guard.is_none()
        });
        [before, !follows]
    }

    /// Returns the first instruction behind the `i`th that may have an effect, provided that no label lies in
    /// between.
    fn next(&self, i: usize) -> Option<usize> {
        let label = self.labels.partition_point(|label| *label as usize <= i);
        let end = self.labels.get(label).map_or(self.flat.instructions.len(), |label| *label as usize);
        (i + 1..end).find(|i| !is_quiet(&self.flat.instructions[*i]))
    }
}

fn is_quiet(inst: &FlatInstruction<'_>) -> bool {
    inst.op.as_ref().is_ok_and(|op| {
        let effects = effects(op, &inst.args);
        effects.control == Control::Next
            && effects.touches.is_empty()
            && matches!(effects.order, None | Some(Order::Aligned))
    })
}

/// Rows, or columns, of adjacent elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile<'t> {
    lines: u32,
    /// The bytes of a line.
    bytes: u32,
    /// The bytes of an element.
    element: u32,
    /// The elements from one line to the next: a number, or the register that contains it.
    stride: Result<u32, &'t str>,
}

impl<'t> Tile<'t> {
    /// Returns the matrix that an instruction loads or stores; `None` if it is unknown.
    pub(super) fn of(inst: &FlatInstruction<'_>, text: &'t str) -> Option<Tile<'t>> {
        let (fragment, layout, Shape { m, n, k }, ty, stride) = match inst.op.as_ref().ok()? {
            Op::WmmaLoad { fragment, layout, shape, ty, .. } => (*fragment, *layout, *shape, *ty, 2),
            Op::WmmaStore { layout, shape, ty, .. } => (Fragment::D, *layout, *shape, *ty, 2),
            _ => return None,
        };
        let (rows, columns) = match fragment {
            Fragment::A => (m, k),
            Fragment::B => (k, n),
            Fragment::C | Fragment::D => (m, n),
        };
        let (lines, length) = match layout {
            Layout::Row => (rows, columns),
            Layout::Col => (columns, rows),
        };
        let (lines, length) = (u32::from(lines), u32::from(length));
        let element = ty.bits() / 8;
        let stride = match (inst.args.get(stride), inst.source.operands.get(stride)) {
            (None, _) => Ok(length),
            (Some(Arg::Int(stride)), _) => Ok(u32::try_from(*stride).ok()?),
            (Some(Arg::Reg(_)), Some(Operand::Name(name))) => {
                Err(text.get(name.span.start as usize..name.span.end as usize)?)
            }
            _ => return None,
        };
        let tile = Tile { lines, bytes: length * element, element, stride };
        let whole = tile.bytes.is_multiple_of(tile.share()) && tile.lines * tile.shares() <= 32;
        (element > 0 && whole).then_some(tile)
    }

    /// Returns the number of bytes that a lane checks.
    pub(super) fn share(&self) -> u32 {
        self.bytes.clamp(1, SHARE)
    }

    fn shares(&self) -> u32 {
        self.bytes / self.share()
    }

    /// Returns text that adds the offset of its lane's share to the tile's address in `%wr_a0`; lanes without
    /// a share, and all if `inside` is false, branch to `$wr_left`. Uses `%wr_r0`, `%wr_a1` and `%wr_p0`.
    pub(super) fn place(&self, inside: Option<&str>) -> String {
        let lanes = self.lines * self.shares();
        let mut out = String::from("\t.reg .b32 %wr_t<2>;\n\tmov.u32 %wr_r0, %laneid;\n");
        let _ = match inside {
            Some(inside) => writeln!(out, "\tsetp.lt.and.u32 %wr_p0, %wr_r0, {lanes}, {inside};"),
            None => writeln!(out, "\tsetp.lt.u32 %wr_p0, %wr_r0, {lanes};"),
        };
        out += "\t@!%wr_p0 bra $wr_left;\n";
        let _ = write!(
            out,
            "\tdiv.u32 %wr_t0, %wr_r0, {0};\n\trem.u32 %wr_t1, %wr_r0, {0};\n\tmul.wide.u32 %wr_a1, %wr_t1, {1};\n\tadd.s64 %wr_a0, %wr_a0, %wr_a1;\n",
            self.shares(),
            self.share()
        );
        let _ = match self.stride {
            Ok(elements) => {
                writeln!(out, "\tmul.wide.u32 %wr_a1, %wr_t0, {};", elements.saturating_mul(self.element))
            }
            Err(register) => writeln!(
                out,
                "\tmul.lo.u32 %wr_t0, %wr_t0, {};\n\tmov.b32 %wr_t1, {register};\n\tmul.wide.u32 %wr_a1, %wr_t0, %wr_t1;",
                self.element
            ),
        };
        out + "\tadd.s64 %wr_a0, %wr_a0, %wr_a1;\n"
    }
}
