//! Transaction counts of `mbarrier`s (PTX §9.7.13.15.5): whether all bytes that copies bring were expected.
//!
//! A phase ends when its arrivals and its expected bytes are there. So a copy is complete behind a wait only if the
//! object was told to expect its bytes. Each object has an entry in the table, by its block and place: the bytes of its
//! copies less those that it was told to expect, and the clock at which these last were not more. In a right program
//! that clock is later than all copies of a phase when the phase ends. A wait completes the copies until that clock, or
//! until now if no bytes are unexpected.
//!
//! Objects share entries. The one that was initialised last has the entry; it is marked by the object and the launch.
//! A wait completes all copies until now of the others, and of those that operations of unknown size signal.
//!
//! The entry also has the clock of the last commit of products of tensor cores (PTX §9.7.17.8.1): a wait completes the
//! products of its block until then.

use super::properties::Properties;
use super::report::parameters;
use super::runtime::{self, BARRIER_OBJECTS, HASH, OBJECTS_KEPT, TICKET_HASH, WAITED, WAITS_KEPT};
use super::table_address::{TOLD, called, in_function, scope};
use super::template::Values;
use super::thread::{BEGUN, Guard, REGISTERS, WHO, unless};
use super::tickets::{BARRIERS, NUMBERS, PRODUCTS};
use super::{Options, register};
use crate::PREFIX;
use crate::collide::access::{Text, address};
use ptx::ast::{FunctionKind, Operand};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{BulkCompletion, MbarrierOp, Op, Tcgen05, TensorCopy, TensorWay};

/// The parameters of the function that counts, and of the one that a wait calls, by name and type.
const COUNT: [(&str, &str); 5] =
    [("object", "b32"), ("who", "b32"), ("begun", "b32"), ("bytes", "b32"), ("how", "b32")];
const PHASE: [(&str, &str); 4] = [("object", "b32"), ("who", "b32"), ("begun", "b32"), ("seen", "b32")];

/// The effect of an operation on an object's entry.
#[derive(Clone, Copy, Debug)]
enum How {
    /// It adds bytes to the count.
    Adds = 0,
    Initialises = 1,
    /// It signals the object with unknown bytes.
    Forgets = 2,
    Commits = 3,
}

/// The number of bits of an object's number: shared memory has so many places of 8 bytes.
const OBJECT_BITS: u32 = 15;
const MARKED: u32 = 1 << 31;

fn count() -> String {
    format!("{PREFIX}count")
}

fn phase() -> String {
    format!("{PREFIX}phase")
}

/// The `mbarrier` of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Barrier<'t>((Text<'t>, i64));

impl<'t> Barrier<'t> {
    /// Returns whether a wait for the operation, or the operation itself, is one for an object.
    pub(super) fn has(op: &Op) -> bool {
        match op {
            Op::CpAsyncBulk { completion, .. } | Op::CpReduceAsyncBulk { completion, .. } => {
                *completion == BulkCompletion::Mbarrier
            }
            Op::Tensor(copy) => matches!(copy.way, TensorWay::Load { .. }),
            Op::Mbarrier { op, .. } => *op != MbarrierOp::PendingCount,
            Op::TryCancel { .. } | Op::Tcgen05(Tcgen05::Commit { .. }) => true,
            _ => false,
        }
    }

    /// Returns the object of an instruction; `None` for instructions without one, or whose address is not known.
    pub(super) fn of(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &'t str) -> Option<Barrier<'t>> {
        let operand = match inst.op.as_ref().ok()? {
            Op::Mbarrier { .. } => first_address(inst)?,
            Op::Tcgen05(Tcgen05::Commit { .. }) => 0,
            Op::CpAsyncBulk { completion: BulkCompletion::Mbarrier, .. }
            | Op::CpReduceAsyncBulk { completion: BulkCompletion::Mbarrier, .. } => 3,
            Op::Tensor(TensorCopy { way: TensorWay::Load { .. }, .. }) => 2,
            Op::TryCancel { .. } => 1,
            Op::StAsync { .. } | Op::RedAsync { .. } => 2,
            Op::CpAsyncMbarrierArrive { .. } => 0,
            _ => return None,
        };
        address(flat, inst, text, operand).ok().map(Barrier)
    }

    /// Returns the object's address.
    pub(super) fn place(self) -> (Text<'t>, i64) {
        self.0
    }

    /// Returns text that sets the 64-bit register `to` to the object's address.
    pub(super) fn address(self, to: &str) -> String {
        let Barrier((base, offset)) = self;
        base.address(offset, to)
    }

    /// Returns a call of [`count`] with the bytes in an operand.
    fn counted(self, bytes: &str, how: How, options: &Options) -> String {
        let [who, begun] = [WHO, BEGUN].map(register);
        let how = (how as u32).to_string();
        let object = format!("{}\tcvt.u32.u64 %wr_r1, %wr_a0;\n", self.address("%wr_a0"));
        object + &called(&count(), &COUNT, &["%wr_r1", &who, &begun, bytes, &how], options)
    }

    /// Returns text behind a wait for the object at the clock in a register.
    pub(super) fn waited(self, seen: &str, options: &Options) -> String {
        let [who, begun] = [WHO, BEGUN].map(register);
        let object = format!("{}\tcvt.u32.u64 %wr_r1, %wr_a0;\n", self.address("%wr_a0"));
        object + &called(&phase(), &PHASE, &["%wr_r1", &who, &begun, seen], options)
    }
}

fn first_address(inst: &FlatInstruction<'_>) -> Option<usize> {
    inst.args.iter().position(|arg| matches!(arg, Arg::Address { .. }))
}

/// Returns whether the transactions of a kernel are counted: it has copies of known sizes that signal objects, and all
/// objects are of its own block.
pub(super) fn are_counted(flat: &Flat<'_>, followed: bool) -> bool {
    let sized = |op: &Op| {
        matches!(
            op,
            Op::CpAsyncBulk { completion: BulkCompletion::Mbarrier, .. }
                | Op::CpReduceAsyncBulk { completion: BulkCompletion::Mbarrier, .. }
        )
    };
    let mut ops = flat.instructions.iter().filter_map(|inst| inst.op.as_ref().ok());
    followed && flat.function.kind == FunctionKind::Entry && ops.any(sized)
}

/// Returns the text before an instruction that changes an object's entry; `None` for other instructions.
pub(super) fn before(
    (flat, inst, text): (&Flat<'_>, &FlatInstruction<'_>, &str),
    guard: &Guard,
    known: Properties,
    options: &Options,
) -> Option<String> {
    let (bytes, how) = match inst.op.as_ref().ok()? {
        Op::Tcgen05(Tcgen05::Commit { .. }) => (None, How::Commits),
        _ if !known.counts => return None,
        Op::Mbarrier { op: MbarrierOp::Init, .. } => (None, How::Initialises),
        Op::Mbarrier { op: MbarrierOp::Arrive { expect_tx: true, .. } | MbarrierOp::ExpectTx, .. } => {
            (Some((first_address(inst)? + 1, "\tsub.u32 %wr_r0, 0, %wr_r0;\n")), How::Adds)
        }
        Op::CpAsyncBulk { .. } | Op::CpReduceAsyncBulk { .. } => (Some((2, "")), How::Adds),
        Op::Mbarrier { op: MbarrierOp::CompleteTx, .. }
        | Op::Tensor(_)
        | Op::TryCancel { .. }
        | Op::StAsync { .. }
        | Op::RedAsync { .. } => (None, How::Forgets),
        _ => return None,
    };
    let barrier = Barrier::of(flat, inst, text)?;
    let (skip, header) = (unless(guard), super::table_address::header(options));
    let bytes = match bytes {
        Some((operand, change)) => format!("\tmov.b32 %wr_r0, {};\n{change}", spelled(inst, text, operand)?),
        None => "\tmov.b32 %wr_r0, 0;\n".to_owned(),
    };
    let counted = barrier.counted("%wr_r0", how, options);
    Some(format!("{{\n{REGISTERS}{skip}{header}{bytes}{counted}$wr_end:\n\t}}\n"))
}

/// Returns the spelling of a register or a number.
fn spelled<'t>(inst: &FlatInstruction<'_>, text: &'t str, operand: usize) -> Option<&'t str> {
    let span = match inst.source.operands.get(operand)? {
        Operand::Name(name) => name.span,
        Operand::Int(_, span) => *span,
        _ => return None,
    };
    text.get(span.start as usize..span.end as usize)
}

/// Returns both functions, of modules with bulk copies or products.
pub(super) fn functions(sink: u64, base: Option<u64>, clusters: bool) -> String {
    let (count, phase) = (count(), phase());
    let with_table = |name: &str, all: &[(&'static str, &'static str)]| {
        parameters(name, &all.iter().copied().chain(base.is_none().then_some(TOLD)).collect::<Vec<_>>())
    };
    Values::default()
        .constants(&[
            ("ADDS", How::Adds as i64),
            ("FORGETS", How::Forgets as i64),
            ("COMMITS", How::Commits as i64),
            ("HASH", HASH),
            ("TICKET_HASH", TICKET_HASH.into()),
            ("OBJECT_BITS", OBJECT_BITS.into()),
            ("OBJECTS_TURNED", (32 - OBJECTS_KEPT).into()),
            ("WAITS_TURNED", (32 - WAITS_KEPT).into()),
            ("BLOCK_AT", 10),
            ("BLOCKS_ABOVE", (32 - OBJECT_BITS).into()),
            ("MARKED", MARKED as i32 as i64),
            ("NUMBERS", NUMBERS.into()),
            ("BARRIERS", BARRIERS.into()),
            ("PRODUCTS", PRODUCTS.into()),
            ("END", runtime::END.into()),
            ("ENDED", (sink + super::ENDED) as i64),
        ])
        .set("count_parameters", with_table(&count, &COUNT))
        .set("phase_parameters", with_table(&phase, &PHASE))
        .set("at_count_objects", in_function(&count, base, BARRIER_OBJECTS, "%rd1"))
        .set("at_count_header", in_function(&count, base, 0, "%rd5"))
        .set("at_phase_objects", in_function(&phase, base, BARRIER_OBJECTS, "%rd1"))
        .set("at_phase_waited", in_function(&phase, base, WAITED, "%rd5"))
        .set("scope", scope(base))
        .when("clusters", clusters)
        .set("count", count)
        .set("phase", phase)
        .fill(include_str!("runtime/transactions.ptx"))
}
