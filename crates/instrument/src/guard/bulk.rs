//! Bulk copies (`cp.async.bulk`, `cp.reduce.async.bulk`, and those of tensors): the thread that starts one checks
//! parts of its source and of its destination.
//!
//! Operations ordered before the instruction are ordered before the copy; the instruction counts as a release
//! to the threads that wait for its `mbarrier`. From then on the copy is *pending*: its accesses are
//! unordered until a thread of its block has waited for some `mbarrier`, or for bulk groups (for the source,
//! waiting for their reads suffices). Threads' writes to shared memory require a proxy fence before a copy
//! that accesses them (PTX §8.9.5): they race with the copy if the kernel has no proxy fence for shared
//! memory at all.
//!
//! The size of a tensor copy is in its map. Every copy accesses the first 16 bytes of its side in shared memory if
//! these are at a multiple of 1,024, where all swizzles leave the first chunk in its place: only they are checked.
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
use ptx::op::{Fence, MemSpace, Op, ProxyFence, TensorCopy, TensorWay};
use std::fmt::Write;

/// The number of places of [`PIECE`] bytes that are checked, evenly spaced over the range and shifted by a
/// random distance.
const PLACES: u32 = 8;
const PIECE: u32 = 16;

/// Properties of the bulk copies of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bulks {
    /// Whether copies are pending until a wait.
    pub(super) followed: bool,
    /// Whether, in addition, no proxy fence makes writes to shared memory visible to copies.
    pub(super) unfenced: bool,
}

/// The alignment at which the first chunk of a box stays in its place.
const PATTERN: u32 = 1024;

/// Returns whether the operation is a bulk copy or reduction, of a tensor or not.
pub(super) fn is_bulk(op: &Op) -> bool {
    matches!(op, Op::CpAsyncBulk { .. } | Op::CpReduceAsyncBulk { .. } | Op::Tensor(_))
}

/// Returns whether the copy may write to several blocks.
fn is_multicast(op: &Op) -> bool {
    matches!(
        op,
        Op::CpAsyncBulk { multicast: true, .. }
            | Op::Tensor(TensorCopy { way: TensorWay::Load { multicast: true, .. }, .. })
    )
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
                op => !is_multicast(op),
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
    /// The source, if it is checked, before the destination, if it is.
    sides: Vec<Side<'t>>,
    /// The size: a register or a number; `None` if a tensor map has it.
    bytes: Option<&'t str>,
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
            Ok(ref op) if is_multicast(op) => return Err(Unchecked::Asynchronous),
            Ok(Op::Tensor(TensorCopy { way, .. })) => {
                let (operand, space, writes) = match way {
                    TensorWay::Load { dst, .. } => (0, dst, true),
                    TensorWay::Store => (1, MemSpace::SharedCta, false),
                };
                let base = address(flat, inst, text, operand)?;
                let sides = vec![Side { base, space, writes, strong: None }];
                return Ok(Some(Bulk { sides, bytes: None, guard: guard(inst) }));
            }
            Ok(Op::CpAsyncBulk { dst, src, .. }) => (dst, src, None),
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
        let sides = vec![side(1, src, false, None)?, side(0, dst, true, strong)?];
        Ok(Some(Bulk { sides, bytes: Some(bytes), guard: guard(inst) }))
    }

    /// Returns whether each side is written, in the order of their checks.
    pub(super) fn writes(&self) -> impl Iterator<Item = bool> {
        self.sides.iter().map(|side| side.writes)
    }

    /// Returns whether a side is where only a tensor map says.
    pub(super) fn has_unchecked_side(&self) -> bool {
        self.sides.len() < 2
    }

    /// Returns the text to insert before the instruction: a check of each side, numbered from `first` on.
    pub(super) fn check(&self, first: u32, known: Properties, bulks: Bulks, options: &Options) -> String {
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<2>;\n\t.reg .b32 %wr_r<1>, %wr_n, %wr_i, %wr_x;\n\t.reg .b64 %wr_a<2>, %wr_f;\n",
        );
        out += &super::thread::unless(&self.guard);
        // Sizes are multiples of 16.
        let _ = match self.bytes {
            Some(bytes) => write!(
                out,
                "\tmov.u32 %wr_n, {bytes};\n\tshr.u32 %wr_n, %wr_n, {};\n",
                PIECE.trailing_zeros()
            ),
            None => writeln!(out, "\tmov.u32 %wr_n, 1;"),
        };
        for (side, number) in self.sides.iter().zip(first..) {
            out += &side.check(number, self.bytes.is_none(), (known, bulks), options);
        }
        out += "$wr_end:\n\t}\n";
        out
    }
}

impl Side<'_> {
    /// Returns the check of the side, or `aligned` of its first bytes if they are at a multiple of [`PATTERN`].
    fn check(
        &self,
        number: u32,
        aligned: bool,
        (known, bulks): (Properties, Bulks),
        options: &Options,
    ) -> String {
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
        let aligned = match aligned {
            true => format!(
                "\tcvt.u32.u64 %wr_r0, %wr_f;\n\tand.b32 %wr_r0, %wr_r0, {};\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_done;\n",
                PATTERN - 1
            ),
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
{base}{aligned}\
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
