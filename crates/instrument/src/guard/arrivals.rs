//! The clock up to which a wait for an `mbarrier`, or for a barrier of the cluster, acquires: that of the last arrival.
//!
//! An arrival raises an entry of the table, at [`ARRIVED`], to the clock behind its release. A wait acquires up to that
//! clock rather than up to the present one: what other threads released elsewhere in the meantime is not ordered before it.
//! Everything that is ordered before an arrival has an older clock than the arrival's entry.
//!
//! * The entry of an `mbarrier` is found by the object's place in shared memory and its block, or its cluster in modules
//!   whose blocks may reach each other. Phases are not told apart: a wait also acquires from arrivals of later ones.
//! * A barrier of the cluster has two entries, for even and odd phases: a thread counts its arrivals.
//! * A relaxed arrival, which releases nothing itself, raises the entry to the clock that it finds, behind that of an
//!   earlier fence. So does a thread that exits, which counts as arrived from then on.
//! * An entry has a second clock, of the arrivals that reach other blocks: a wait acquires from other blocks up to that one.
//! * Asynchronous operations that signal an object arrive when they start.
//!
//! Kernels that call functions, or arrive at objects of unknown places, have no entries: their waits acquire up to the
//! present clock.

use super::called::is_silent_call;
use super::clocks::{noted_at, tick};
use super::properties::Properties;
use super::runtime::{ARRIVED, ARRIVED_KEPT, TICKET_HASH};
use super::table_address::{header, place, scope};
use super::thread::{Guard, REGISTERS, WHO, unless};
use super::tickets::{self, NUMBERS};
use super::transactions::Barrier;
use super::{Options, register};
use crate::sample::GOLDEN;
use ptx::ast::FunctionKind;
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::{MbarrierOp, Op};

/// The register with the parity of the thread's arrivals at the barrier of its cluster.
const TURN: &str = "turn";

/// The object at which threads arrive, and for which they wait.
#[derive(Clone, Copy)]
pub(super) enum Venue<'t> {
    /// An `mbarrier`, in a module whose blocks reach each other if `clusters`.
    Object { barrier: Barrier<'t>, clusters: bool },
    /// The barrier of the cluster.
    Cluster,
}

/// Returns whether an operation arrives at an `mbarrier`.
fn arrives(op: &Op) -> bool {
    match op {
        Op::Mbarrier { op, .. } => matches!(op, MbarrierOp::Arrive { .. } | MbarrierOp::CompleteTx),
        Op::StAsync { .. } | Op::RedAsync { .. } | Op::CpAsyncMbarrierArrive { .. } => true,
        op => Barrier::has(op),
    }
}

/// Returns whether threads of a kernel wait for the barrier of their cluster, at which those that exit arrive.
fn waits_for_cluster(flat: &Flat<'_>) -> bool {
    flat.instructions.iter().any(|inst| matches!(inst.op, Ok(Op::ClusterWait { .. })))
}

/// Returns whether a kernel's waits acquire up to the last arrival: it has no other arrivals than those at known places.
pub(super) fn are_followed(flat: &Flat<'_>) -> bool {
    flat.function.kind == FunctionKind::Entry
        && flat.instructions.iter().all(|inst| match &inst.op {
            Ok(Op::Call) => is_silent_call(inst),
            Ok(Op::Unknown) | Err(_) => false,
            Ok(op) => !arrives(op) || Barrier::of(flat, inst, "").is_some(),
        })
}

/// Returns the text for the beginning of a kernel.
pub(super) fn beginning() -> String {
    let turn = register(TURN);
    format!("\n\t.reg .b32 {turn};\n\tmov.u32 {turn}, 0;\n")
}

impl<'t> Venue<'t> {
    /// Returns where an instruction arrives; `None` for other instructions, and in kernels without entries.
    pub(super) fn of_arrival(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
        known: Properties,
    ) -> Option<Venue<'t>> {
        match inst.op.as_ref().ok().filter(|_| known.arrivals)? {
            Op::ClusterArrive { .. } => Some(Venue::Cluster),
            Op::Ret | Op::Exit if waits_for_cluster(flat) => Some(Venue::Cluster),
            op if arrives(op) => Venue::object(flat, inst, text, known),
            _ => None,
        }
    }

    /// Returns for which arrivals an instruction waits.
    pub(super) fn of_wait(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
        known: Properties,
    ) -> Option<Venue<'t>> {
        match inst.op.as_ref().ok().filter(|_| known.arrivals)? {
            Op::ClusterWait { .. } => Some(Venue::Cluster),
            Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. } => Venue::object(flat, inst, text, known),
            _ => None,
        }
    }

    fn object(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
        known: Properties,
    ) -> Option<Venue<'t>> {
        Some(Venue::Object { barrier: Barrier::of(flat, inst, text)?, clusters: known.clusters })
    }

    /// Returns text that sets `%wr_r1` to the number of the entry; `flipped` behind an arrival of the thread at the barrier
    /// of its cluster. Uses `%wr_r2`, `%wr_r3` and `%wr_a0`.
    fn number(self, flipped: bool) -> String {
        let (turn, who) = (register(TURN), register(WHO));
        let (place, far) = match self {
            Venue::Object { barrier, clusters } => {
                (barrier.address("%wr_a0") + &tickets::number("%wr_r1"), clusters)
            }
            Venue::Cluster => {
                let flip = if flipped { "\txor.b32 %wr_r1, %wr_r1, 1;\n" } else { "" };
                (format!("\tadd.u32 %wr_r1, {turn}, {};\n{flip}", 1 << NUMBERS), true)
            }
        };
        let owner = match far {
            true => cluster("%wr_r2", "%wr_r3"),
            false => format!("\tshr.u32 %wr_r2, {who}, 10;\n"),
        };
        format!(
            "{place}{owner}\tmul.lo.u32 %wr_r2, %wr_r2, {GOLDEN};\n\tmul.lo.u32 %wr_r1, %wr_r1, {TICKET_HASH};\n\txor.b32 %wr_r1, %wr_r1, %wr_r2;\n\tshr.u32 %wr_r1, %wr_r1, {};\n",
            32 - ARRIVED_KEPT
        )
    }

    /// Returns text that raises the entry to the clock in a `register` before an arrival, which reaches other blocks if it
    /// is `wide`. Uses `%wr_r1` to `%wr_r3`, `%wr_a0`, `%wr_a1` and `%wr_p0`.
    pub(super) fn raised(self, register: &str, wide: bool, options: &Options) -> String {
        let turn = super::register(TURN);
        let number = self.number(false) + "\tshl.b32 %wr_r1, %wr_r1, 1;\n";
        let abroad = match wide {
            true => {
                noted_at(&(number.clone() + "\tadd.u32 %wr_r1, %wr_r1, 1;\n"), ARRIVED, register, options)
            }
            false => String::new(),
        };
        let flip = match self {
            Venue::Cluster => format!("\txor.b32 {turn}, {turn}, 1;\n"),
            Venue::Object { .. } => String::new(),
        };
        noted_at(&number, ARRIVED, register, options) + &abroad + &flip
    }

    /// Returns the text before an arrival that releases nothing.
    pub(super) fn relaxed(self, guard: &Guard, options: &Options) -> String {
        let (skip, header, scope) = (unless(guard), header(options), scope(options.table));
        let raised = self.raised("%wr_r0", true, options);
        format!(
            "{{\n{REGISTERS}{skip}{header}\tld.relaxed.{scope}.global.u32 %wr_r0, [%wr_a0];\n{raised}$wr_end:\n\t}}\n"
        )
    }

    /// Returns the text before an arrival of products of tensor cores, which releases what the thread did: it advances the
    /// clock.
    pub(super) fn ticked(self, guard: &Guard, options: &Options) -> String {
        let (skip, tick, raised) = (unless(guard), tick(options), self.raised("%wr_r0", true, options));
        format!("{{\n{REGISTERS}{skip}{tick}\tadd.u32 %wr_r0, %wr_r0, 1;\n{raised}$wr_end:\n\t}}\n")
    }

    /// Returns text that loads the entry's clocks into registers behind a wait, that of all arrivals first. Uses `%wr_r1` to
    /// `%wr_r3`, `%wr_a0` and `%wr_a1`.
    pub(super) fn loaded(self, [all, wide]: [&str; 2], options: &Options) -> String {
        let scope = scope(options.table);
        format!(
            "{}\tmul.wide.u32 %wr_a1, %wr_r1, 8;\n{}\tadd.u64 %wr_a0, %wr_a0, %wr_a1;\n\tld.relaxed.{scope}.global.v2.u32 {{{all}, {wide}}}, [%wr_a0];\n",
            self.number(true),
            place(options, ARRIVED, "%wr_a0")
        )
    }
}

/// Returns text that sets a 32-bit `register` to the number of the thread's cluster in the grid; `other` is used, too.
fn cluster(register: &str, other: &str) -> String {
    let axis = |axis: &str| {
        format!(
            "\tmov.u32 {other}, %nclusterid.{axis};\n\tmul.lo.u32 {register}, {register}, {other};\n\tmov.u32 {other}, %clusterid.{axis};\n\tadd.u32 {register}, {register}, {other};\n"
        )
    };
    format!("\tmov.u32 {register}, %clusterid.z;\n{}{}", axis("y"), axis("x"))
}
