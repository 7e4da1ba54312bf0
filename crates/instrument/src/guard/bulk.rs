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
//! A copy to several blocks of the cluster (`.multicast::cluster`) is checked at its place in each of them.
//!
//! Both checks apply only in kernels that call no function, and, of those with pairs of blocks (`.cta_group::2`), tensor cores or
//! cancellations for a whole cluster, only in kernels that reach no other block of their cluster.

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
    /// Whether the kernel uses no other block of its cluster.
    pub(super) alone: bool,
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

/// Returns whether the operation may signal objects of several blocks of a cluster whose places are not followed.
fn signals_pairs(op: &Op) -> bool {
    matches!(
        op,
        Op::TryCancel { multicast: true, .. }
            | Op::Tensor(TensorCopy { way: TensorWay::Load { pair: true, .. }, .. })
            | Op::Tcgen05(_)
    )
}

impl Bulks {
    pub(super) fn of(flat: &Flat<'_>) -> Bulks {
        let all = |alone: &dyn Fn(&FlatInstruction<'_>, &Op) -> bool| {
            flat.instructions.iter().all(|inst| inst.op.as_ref().is_ok_and(|op| alone(inst, op)))
        };
        let alone = all(&|_, op| {
            !matches!(op, Op::Mapa { .. } | Op::ClusterArrive { .. } | Op::ClusterWait { .. })
                && !is_multicast(op)
        });
        let followed = flat.function.kind == FunctionKind::Entry
            && (alone || all(&|_, op| !signals_pairs(op)))
            && all(&|inst, op| match op {
                Op::Call => is_silent_call(inst),
                Op::Unknown => false,
                op => !Barrier::has(op) || Barrier::of(flat, inst, "").is_some(),
            });
        let any = flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(is_bulk));
        Bulks { followed, told_apart: followed || !any, alone }
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
    /// The `mbarrier` that the copy signals.
    Object,
}

/// One side of a copy.
struct Side<'t> {
    base: (Text<'t>, i64),
    part: Part,
    space: MemSpace,
    writes: bool,
    /// The division into elements, for an atomic reduction.
    strong: Option<Elements>,
    /// The mask of the blocks of the cluster that are written, if there may be several.
    blocks: Option<&'t str>,
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
        bulks: Bulks,
    ) -> Result<Option<Bulk<'t>>, Unchecked> {
        let signals = Barrier::of(flat, inst, text);
        let blocks = match &inst.op {
            Ok(op) if is_multicast(op) => match mask(inst, text) {
                Some(mask) if bulks.followed => Some(mask),
                _ => return Err(Unchecked::Asynchronous),
            },
            _ => None,
        };
        // A strong write: operations on objects are atomic towards each other.
        let object = |barrier: Barrier<'t>| {
            bulks.followed.then(|| Side {
                base: barrier.place(),
                part: Part::Object,
                space: MemSpace::SharedCluster,
                writes: true,
                strong: Some(Elements::Words),
                blocks,
            })
        };
        let (dst, src, strong) = match inst.op {
            Ok(Op::Tensor(TensorCopy { way, .. })) => {
                let (operand, space, writes) = match way {
                    TensorWay::Load { dst, .. } => (0, dst, true),
                    TensorWay::Store => (1, MemSpace::SharedCta, false),
                };
                let side = |operand, space, writes, part| -> Result<Side<'t>, Unchecked> {
                    let blocks = blocks.filter(|_| writes);
                    Ok(Side {
                        base: address(flat, inst, text, operand)?,
                        part,
                        space,
                        writes,
                        strong: None,
                        blocks,
                    })
                };
                let map = side(1 - operand, MemSpace::Generic, false, Part::Map)?;
                let mut sides = vec![map, side(operand, space, writes, Part::Box)?];
                sides.extend(signals.and_then(object));
                return Ok(Some(Bulk { sides, bytes: None, signals, guard: guard(inst) }));
            }
            Ok(Op::TryCancel { space, .. }) => {
                let base = address(flat, inst, text, 0)?;
                let mut sides =
                    vec![Side { base, part: Part::Piece, space, writes: true, strong: None, blocks: None }];
                sides.extend(signals.and_then(object));
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
            let (base, blocks) = (address(flat, inst, text, operand)?, blocks.filter(|_| writes));
            Ok(Side { base, part: Part::Range, space, writes, strong, blocks })
        };
        let mut sides = vec![side(1, src, false, None)?, side(0, dst, true, strong)?];
        sides.extend(signals.and_then(object));
        Ok(Some(Bulk { sides, bytes: Some(bytes), signals, guard: guard(inst) }))
    }

    /// Returns the bytes of each side, whether they are written, and through which proxy, in the order of their checks. An
    /// object is signalled through none.
    pub(super) fn sides(&self) -> impl Iterator<Item = (u32, bool, Option<Proxy>)> {
        self.sides.iter().map(|side| match side.part {
            Part::Map => (PIECE, side.writes, Some(Proxy::Tensormap)),
            Part::Object => (8, side.writes, None),
            _ => (PIECE, side.writes, Some(Proxy::Async)),
        })
    }

    /// Returns whether a side is where only a tensor map says.
    pub(super) fn has_unchecked_side(&self) -> bool {
        self.sides.iter().any(|side| side.part == Part::Map)
    }

    /// Returns the text to insert before the instruction: a check of each side, numbered from `first` on.
    pub(super) fn check(&self, first: u32, known: Properties, bulks: Bulks, options: &Options) -> String {
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<2>;\n\t.reg .b32 %wr_r<1>, %wr_n, %wr_i, %wr_x, %wr_t, %wr_k, %wr_m;\n\t.reg .b64 %wr_a<2>, %wr_f, %wr_h;\n",
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
            out += &self.ticket(side, number, bulks);
            out += &side.check((known, bulks), options);
        }
        out += "$wr_end:\n\t}\n";
        out
    }

    /// Returns text that sets `%wr_t` to the number of a side's check, with the ticket of a copy that is followed.
    fn ticket(&self, side: &Side<'_>, number: u32, bulks: Bulks) -> String {
        let ticket = match self.signals {
            _ if !bulks.followed || side.part == Part::Object => {
                return format!("\tmov.u32 %wr_t, {number};\n");
            }
            Some(barrier) => barrier.address("%wr_a0") + &tickets::of_barrier("%wr_t"),
            None => tickets::of_group("%wr_t", side.writes),
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
        let object = self.part == Part::Object;
        let what = if object { 4 } else { PIECE }
            | bit(self.writes, WRITES)
            | bit(strong, STRONG)
            | bit(strong || bulks.followed, WIDE)
            | bit(!strong, COPY)
            | bit(known.clock, runtime::CLOCK)
            | bit(known.far, runtime::FAR)
            | bit(known.fine, runtime::FINE)
            | bit(self.strong == Some(Elements::Long), LONG)
            | bit(self.strong == Some(Elements::Parts), runtime::DIVIDED)
            | bit(shared && bulks.followed && !object, UNFENCED)
            | bit(self.part == Part::Map && bulks.followed, MAP)
            | space << runtime::SPACE;
        let (base, offset) = self.base;
        let most = match self.part {
            Part::Object => 1,
            _ if options.prune => PLACES,
            _ => u32::MAX,
        };
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
        let [each, last] = self.blocks.map(in_each).unwrap_or_default();
        format!(
            "\
\t{{
{base}{aligned}\
\tmov.u32 %wr_x, %clock;
\tmul.lo.u32 %wr_x, %wr_x, {GOLDEN};
{each}\
\tmov.u32 %wr_i, 0;
$wr_more:
\tsetp.ge.u32 %wr_p0, %wr_i, %wr_n;
\tsetp.ge.or.u32 %wr_p0, %wr_i, {most}, %wr_p0;
\t@%wr_p0 bra $wr_over;
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
$wr_over:
{last}\
$wr_done:
\t}}
",
            base = base.address(offset, "%wr_f"),
            apart = u32::MAX / PLACES + 1,
        )
    }
}

/// The largest number of blocks that a mask names.
const BLOCKS: u32 = 16;

/// Returns the texts around a loop over the blocks that a mask names, which sets `%wr_f` to its own value's place in each.
fn in_each(mask: &str) -> [String; 2] {
    let before = format!(
        "\
\tmov.u64 %wr_h, %wr_f;
\tcvt.u32.u16 %wr_m, {mask};
\tmov.u32 %wr_k, 0;
$wr_block:
\tsetp.ge.u32 %wr_p0, %wr_k, {BLOCKS};
\t@%wr_p0 bra $wr_done;
\tadd.u32 %wr_k, %wr_k, 1;
\tsub.u32 %wr_i, %wr_k, 1;
\tshr.u32 %wr_r0, %wr_m, %wr_i;
\tand.b32 %wr_r0, %wr_r0, 1;
\tsetp.eq.u32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_none;
\tmapa.shared::cluster.u64 %wr_f, %wr_h, %wr_i;
"
    );
    [before, "$wr_none:\n\tbra $wr_block;\n".to_owned()]
}

/// Returns the mask of the blocks to which an instruction copies: the last operand but for a cache policy.
fn mask<'t>(inst: &FlatInstruction<'_>, text: &'t str) -> Option<&'t str> {
    let hinted = match inst.op.as_ref().ok()? {
        Op::CpAsyncBulk { cache_hint, .. } => *cache_hint,
        Op::Tensor(copy) => copy.cache_hint,
        _ => return None,
    };
    let span = match inst.source.operands.iter().rev().nth(usize::from(hinted))? {
        Operand::Name(name) => name.span,
        Operand::Int(_, span) => *span,
        _ => return None,
    };
    text.get(span.start as usize..span.end as usize)
}
