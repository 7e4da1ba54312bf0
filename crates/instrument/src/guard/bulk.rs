//! Bulk copies (`cp.async.bulk`, `cp.reduce.async.bulk`): the thread that starts one checks parts of its
//! source and of its destination.
//!
//! Operations ordered before the instruction are ordered before the copy; the instruction counts as a release
//! to the threads that wait for its `mbarrier`. From then on the copy is *pending*: its accesses are
//! unordered until a thread of its block has waited for some `mbarrier`, or for bulk groups (for the source,
//! waiting for their reads suffices). Threads' writes to shared memory require a proxy fence before a copy
//! that accesses them (PTX §8.9.5): they race with the copy if the kernel has no proxy fence for shared
//! memory at all.
//!
//! Both checks apply only in kernels that call no function and do not access other blocks of a cluster.

use super::Options;
use super::access::Elements;
use super::called::is_silent_call;
use super::emit::{self, called};
use super::properties::Properties;
use super::runtime::{self, COPY, LONG, STRONG, UNFENCED, WIDE, WRITES};
use crate::collide::Unchecked;
use crate::collide::access::{Text, address, guard};
use crate::sample::GOLDEN;
use ptx::ast::{FunctionKind, Operand};
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::{Fence, MemSpace, Op, ProxyFence};
use std::fmt::Write;

/// The number of places of [`PIECE`] bytes that are checked, evenly spaced over the range and shifted by a
/// random distance.
const PLACES: u32 = 8;
const PIECE: u32 = 16;

/// Properties of the bulk copies of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bulks {
    /// Whether copies are pending until a wait.
    followed: bool,
    /// Whether, in addition, no proxy fence makes writes to shared memory visible to copies.
    unfenced: bool,
}

/// Returns whether the operation is a bulk copy or reduction.
pub(super) fn is_bulk(op: &Op) -> bool {
    matches!(op, Op::CpAsyncBulk { .. } | Op::CpReduceAsyncBulk { .. })
}

impl Bulks {
    pub(super) fn of(flat: &Flat<'_>) -> Bulks {
        let all = |alone: &dyn Fn(&FlatInstruction<'_>, &Op) -> bool| {
            flat.instructions.iter().all(|inst| inst.op.as_ref().is_ok_and(|op| alone(inst, op)))
        };
        let followed = flat.function.kind == FunctionKind::Entry
            && all(&|inst, op| match op {
                Op::Call => is_silent_call(inst),
                Op::Mapa { .. } | Op::ClusterArrive { .. } | Op::ClusterWait { .. } | Op::Unknown => false,
                Op::CpAsyncBulk { multicast, .. } => !multicast,
                _ => true,
            });
        let global =
            |fence: &ProxyFence| matches!(fence, ProxyFence::Async { space: Some(MemSpace::Global) });
        let unfenced = followed
            && all(&|_, op| match op {
                Op::Fence(Fence::Proxy(fence)) => global(fence),
                _ => true,
            });
        Bulks { followed, unfenced }
    }
}

/// One side of a copy.
struct Side<'t> {
    base: (Text<'t>, i64),
    space: MemSpace,
    writes: bool,
    /// The division into elements, for an atomic reduction.
    strong: Option<Elements>,
}

/// A copy.
pub(super) struct Bulk<'t> {
    sides: [Side<'t>; 2],
    /// The size: a register or a number.
    bytes: &'t str,
    guard: Option<(String, bool)>,
}

impl<'t> Bulk<'t> {
    /// Returns the copy of an instruction; `None` for other instructions.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
    ) -> Result<Option<Bulk<'t>>, Unchecked> {
        let (dst, src, strong) = match inst.op {
            Ok(Op::CpAsyncBulk { dst, src, multicast: false, .. }) => (dst, src, None),
            Ok(Op::CpAsyncBulk { .. }) => return Err(Unchecked::Asynchronous),
            Ok(Op::CpReduceAsyncBulk { dst, src, ty, .. }) => {
                let elements = match ty.bytes() {
                    4 => Elements::Words,
                    8 => Elements::Long,
                    _ => Elements::Parts,
                };
                (dst, src, Some(elements))
            }
            _ => return Ok(None),
        };
        let span = match inst.source.operands.get(2) {
            Some(Operand::Name(name)) => name.span,
            Some(Operand::Int(_, span)) => *span,
            _ => return Err(Unchecked::Asynchronous),
        };
        let bytes = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let side = |operand, space, writes, strong| -> Result<Side<'t>, Unchecked> {
            Ok(Side { base: address(flat, inst, text, operand)?, space, writes, strong })
        };
        let sides = [side(1, src, false, None)?, side(0, dst, true, strong)?];
        Ok(Some(Bulk { sides, bytes, guard: guard(inst) }))
    }

    /// Returns whether each side is written, in the order of their checks.
    pub(super) fn writes(&self) -> [bool; 2] {
        [false, true]
    }

    /// Returns the text to insert before the instruction: a check of the source with number `first`, and one
    /// of the destination with the next number.
    pub(super) fn check(&self, first: u32, known: Properties, bulks: Bulks, options: &Options) -> String {
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<2>;\n\t.reg .b32 %wr_r<1>, %wr_n, %wr_i, %wr_x;\n\t.reg .b64 %wr_a<2>, %wr_f;\n",
        );
        out += &super::thread::unless(&self.guard);
        // Sizes are multiples of 16.
        let _ = write!(
            out,
            "\tmov.u32 %wr_n, {};\n\tshr.u32 %wr_n, %wr_n, {};\n",
            self.bytes,
            PIECE.trailing_zeros()
        );
        for (side, number) in self.sides.iter().zip(first..) {
            out += &side.check(number, known, bulks, options);
        }
        out += "$wr_end:\n\t}\n";
        out
    }
}

impl Side<'_> {
    fn check(&self, number: u32, known: Properties, bulks: Bulks, options: &Options) -> String {
        let shared = matches!(self.space, MemSpace::SharedCta | MemSpace::SharedCluster);
        let space = if shared { runtime::SHARED } else { runtime::GLOBAL };
        let bit = |is: bool, at: u32| u32::from(is) << at;
        let strong = self.strong.is_some();
        let what = PIECE
            | bit(self.writes, WRITES)
            | bit(strong, STRONG)
            | bit(strong || bulks.followed, WIDE)
            | bit(!strong, COPY)
            | bit(known.clock, runtime::CLOCK)
            | bit(known.far, runtime::FAR)
            | bit(known.fine, runtime::FINE)
            | bit(self.strong == Some(Elements::Long), LONG)
            | bit(self.strong == Some(Elements::Parts), runtime::DIVIDED)
            | bit(shared && bulks.unfenced, UNFENCED)
            | space << runtime::SPACE;
        let (base, offset) = self.base;
        let most = if options.prune { PLACES } else { u32::MAX };
        let left_out = match options.prune {
            true => emit::sampled(self.space).replace("$wr_left", "$wr_skip"),
            false => String::new(),
        };
        let [who, when, seen, observed, begun] = emit::KNOWS.map(super::register);
        let look = called(
            &["%wr_a0", &what.to_string(), &number.to_string(), &who, &when, &seen, &observed, &begun],
            known,
            options,
        );
        format!(
            "\
\t{{
{base}\
\tmov.u32 %wr_x, %clock;
\tmul.lo.u32 %wr_x, %wr_x, {GOLDEN};
\tmov.u32 %wr_i, 0;
$wr_more:
\tsetp.ge.u32 %wr_p0, %wr_i, %wr_n;
\tsetp.ge.or.u32 %wr_p0, %wr_i, {most}, %wr_p0;
\t@%wr_p0 bra $wr_done;
\tmul.hi.u32 %wr_r0, %wr_x, %wr_n;
\tsetp.le.u32 %wr_p0, %wr_n, {most};
\tselp.u32 %wr_r0, %wr_i, %wr_r0, %wr_p0;
\tadd.u32 %wr_x, %wr_x, {apart};
\tadd.u32 %wr_i, %wr_i, 1;
\tmul.wide.u32 %wr_a0, %wr_r0, {PIECE};
\tadd.s64 %wr_a0, %wr_f, %wr_a0;
{left_out}{look}\
$wr_skip:
\tbra $wr_more;
$wr_done:
\t}}
",
            base = base.address(offset, "%wr_f"),
            apart = u32::MAX / PLACES + 1,
        )
    }
}
