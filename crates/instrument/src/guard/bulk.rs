//! Bulk copies (`cp.async.bulk`, `cp.reduce.async.bulk`, and those of tensors): the thread that starts one checks
//! parts of its source and of its destination.
//!
//! Operations ordered before the instruction are ordered before the copy; the instruction counts as a release
//! to the threads that wait for its `mbarrier`. From then on the copy is *pending*: its accesses are
//! unordered until its own thread has waited for its group (for the source, waiting for its reads suffices), or a
//! thread of its block for its `mbarrier` ([`super::completion`]). Threads' accesses of shared memory require a proxy
//! fence before a copy that conflicts with them (PTX §8.9.5): they race with the copy if no thread of their block has
//! had one since.
//!
//! The size of a tensor copy is in its map. Every copy accesses the first 16 bytes of its side in shared memory if
//! these are at a multiple of 1,024, where all swizzles leave the first chunk in its place: only they are checked.
//! It also reads the map, of which the first 16 bytes are checked: all of a map is written at once
//! (`docs/assumptions.md`, 12a). Threads' writes of a map race with the copy unless a thread of the copy's block has had
//! an acquiring proxy fence for tensor maps since.
//!
//! `clusterlaunchcontrol.try_cancel` writes its response like a copy of 16 bytes (PTX §9.7.13.18).
//!
//! Both checks apply only in kernels that call no function and do not access other blocks of a cluster.

use super::Options;
use super::access::Elements;
use super::called::is_silent_call;
use super::emit::{self, called};
use super::properties::Properties;
use super::runtime::{self, COPY, LONG, MAP, STRONG, UNFENCED, WIDE, WRITES};
use super::tickets;
use super::transactions::Barrier;
use crate::collide::Unchecked;
use crate::collide::access::{Text, address, guard};
use crate::sample::GOLDEN;
use events::Proxy;
use ptx::ast::{FunctionKind, Operand};
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::{MemSpace, Op, TensorCopy, TensorWay};
use std::fmt::Write;

/// The number of places of [`PIECE`] bytes that are checked: the first, where stages begin, and others evenly spaced over
/// the range and shifted by a random distance.
const PLACES: u32 = 8;
const PIECE: u32 = 16;

/// Properties of the bulk copies of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bulks {
    /// Whether copies are pending until a wait.
    pub(super) followed: bool,
    /// Whether accesses of asynchronous operations are told from those of threads: all of them are pending first.
    pub(super) told_apart: bool,
}

/// The alignment at which the first chunk of a box stays in its place.
const PATTERN: u32 = 1024;

/// Returns whether the operation is a bulk copy or reduction, of a tensor or not, or is checked like one.
pub(super) fn is_bulk(op: &Op) -> bool {
    matches!(op, Op::CpAsyncBulk { .. } | Op::CpReduceAsyncBulk { .. } | Op::Tensor(_) | Op::TryCancel { .. })
}

/// Returns whether the copy may write to several blocks.
fn is_multicast(op: &Op) -> bool {
    matches!(
        op,
        Op::CpAsyncBulk { multicast: true, .. }
            | Op::TryCancel { multicast: true, .. }
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
                op if Barrier::has(op) => !is_multicast(op) && Barrier::of(flat, inst, "").is_some(),
                op => !is_multicast(op),
            });
        let any = flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(is_bulk));
        Bulks { followed, told_apart: followed || !any }
    }
}

/// The part of a side that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Places of the copy's range.
    Range,
    /// The first piece of a tensor's box, if it is aligned.
    Box,
    /// One piece.
    Piece,
    /// The first piece of a tensor map.
    Map,
}

/// One side of a copy.
struct Side<'t> {
    base: (Text<'t>, i64),
    part: Part,
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
    /// The `mbarrier` that it signals; `None` for a copy in a bulk group.
    signals: Option<Barrier<'t>>,
    guard: Option<(String, bool)>,
}

impl<'t> Bulk<'t> {
    /// Returns the copy of an instruction; `None` for other instructions.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
    ) -> Result<Option<Bulk<'t>>, Unchecked> {
        let signals = Barrier::of(flat, inst, text);
        let (dst, src, strong) = match inst.op {
            Ok(ref op) if is_multicast(op) => return Err(Unchecked::Asynchronous),
            Ok(Op::Tensor(TensorCopy { way, .. })) => {
                let (operand, space, writes) = match way {
                    TensorWay::Load { dst, .. } => (0, dst, true),
                    TensorWay::Store => (1, MemSpace::SharedCta, false),
                };
                let side = |operand, space, writes, part| -> Result<Side<'t>, Unchecked> {
                    Ok(Side { base: address(flat, inst, text, operand)?, part, space, writes, strong: None })
                };
                let map = side(1 - operand, MemSpace::Generic, false, Part::Map)?;
                let sides = vec![map, side(operand, space, writes, Part::Box)?];
                return Ok(Some(Bulk { sides, bytes: None, signals, guard: guard(inst) }));
            }
            Ok(Op::TryCancel { space, .. }) => {
                let base = address(flat, inst, text, 0)?;
                let sides = vec![Side { base, part: Part::Piece, space, writes: true, strong: None }];
                return Ok(Some(Bulk { sides, bytes: None, signals, guard: guard(inst) }));
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
            Ok(Side { base: address(flat, inst, text, operand)?, part: Part::Range, space, writes, strong })
        };
        let sides = vec![side(1, src, false, None)?, side(0, dst, true, strong)?];
        Ok(Some(Bulk { sides, bytes: Some(bytes), signals, guard: guard(inst) }))
    }

    /// Returns whether each side is written, and through which proxy, in the order of their checks.
    pub(super) fn sides(&self) -> impl Iterator<Item = (bool, Proxy)> {
        let proxy = |part| if part == Part::Map { Proxy::Tensormap } else { Proxy::Async };
        self.sides.iter().map(move |side| (side.writes, proxy(side.part)))
    }

    /// Returns whether a side is where only a tensor map says.
    pub(super) fn has_unchecked_side(&self) -> bool {
        self.sides.iter().any(|side| side.part == Part::Map)
    }

    /// Returns the text to insert before the instruction: a check of each side, numbered from `first` on.
    pub(super) fn check(&self, first: u32, known: Properties, bulks: Bulks, options: &Options) -> String {
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<2>;\n\t.reg .b32 %wr_r<1>, %wr_n, %wr_i, %wr_x, %wr_t;\n\t.reg .b64 %wr_a<2>, %wr_f;\n",
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
            out += &self.ticket(side.writes, number, bulks);
            out += &side.check((known, bulks), options);
        }
        out += "$wr_end:\n\t}\n";
        out
    }

    /// Returns text that sets `%wr_t` to the number of a side's check, with the ticket of a copy that is followed.
    fn ticket(&self, writes: bool, number: u32, bulks: Bulks) -> String {
        let ticket = match self.signals {
            _ if !bulks.followed => return format!("\tmov.u32 %wr_t, {number};\n"),
            Some(barrier) => barrier.address("%wr_a0") + &tickets::of_barrier("%wr_t"),
            None => tickets::of_group("%wr_t", writes),
        };
        format!("{ticket}\tor.b32 %wr_t, %wr_t, {number};\n")
    }
}

impl Side<'_> {
    /// Returns the check of the side, whose number is in `%wr_t`.
    fn check(&self, (known, bulks): (Properties, Bulks), options: &Options) -> String {
        let shared = matches!(self.space, MemSpace::SharedCta | MemSpace::SharedCluster);
        let space = match self.space {
            MemSpace::Generic => runtime::GENERIC,
            _ if shared => runtime::SHARED,
            _ => runtime::GLOBAL,
        };
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
            | bit(shared && bulks.followed, UNFENCED)
            | bit(self.part == Part::Map && bulks.followed, MAP)
            | space << runtime::SPACE;
        let (base, offset) = self.base;
        let most = if options.prune { PLACES } else { u32::MAX };
        let left_out = match options.prune {
            true => emit::sampled(self.space).replace("$wr_left", "$wr_skip"),
            false => String::new(),
        };
        let aligned = match self.part == Part::Box {
            true => format!(
                "\tcvt.u32.u64 %wr_r0, %wr_f;\n\tand.b32 %wr_r0, %wr_r0, {};\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_done;\n",
                PATTERN - 1
            ),
            false => String::new(),
        };
        let [who, when, seen, observed, begun] = emit::KNOWS.map(super::register);
        let look = called(
            &["%wr_a0", &what.to_string(), "%wr_t", &who, &when, &seen, &observed, &begun],
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
\tsetp.eq.u32 %wr_p0, %wr_i, 0;
\tselp.u32 %wr_r0, 0, %wr_r0, %wr_p0;
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
