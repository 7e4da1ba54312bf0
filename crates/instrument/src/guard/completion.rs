//! The completion of asynchronous operations: of which wait an operation is complete.
//!
//! An access of an operation is pending in the table with a *ticket* in place of barrier counts, which names what
//! completes it: an `mbarrier` of its block, the groups of its thread, or the waits or commits for products. A wait
//! records the clock up to which the operations of a ticket are complete at [`WAITED`], by block and ticket; for an
//! `mbarrier` by the block's cluster in modules whose blocks may reach each other, since a copy may signal objects of several
//! blocks. Tickets that share an entry count as one.
//!
//! * A wait for an `mbarrier` completes what signals it, as far as transactions are counted ([`super::transactions`]).
//! * A wait for bulk groups completes the groups of its thread but for those that it leaves outstanding, whose
//!   beginning is the clock at an earlier commit (PTX §9.7.9.25.4.3); with `.read` only their reads.
//! * A wait for products of warpgroups completes those of its block.
//!
//! A proxy fence for shared memory (PTX §9.7.13.4) is recorded likewise at [`PROXIED`], by block: accesses of the block's
//! threads until then are visible to asynchronous operations. An acquiring one for tensor maps is recorded at [`MAPPED`]:
//! its block's copies read what maps were before.

use super::clocks::noted_at;
use super::properties::Properties;
use super::runtime::{BLOCKS_KEPT, MAPPED, PROXIED, TICKET_HASH, WAITED, WAITS_KEPT};
use super::table_address::{header, scope};
use super::thread::{Guard, REGISTERS, WHO, unless};
use super::tickets::{GROUPS, READS, WARPGROUP};
use super::transactions::{self, Barrier};
use super::{Options, register};
use crate::sample::GOLDEN;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Fence, MbarrierOp, MemSpace, Op, ProxyFence, Sem};
use std::fmt::Write;

/// The largest number of groups that a wait may leave outstanding and that are followed; beyond it all count as
/// complete.
const MOST_LEFT: u32 = 7;

/// An instruction that waits for asynchronous operations.
pub(super) enum Wait<'t> {
    /// A wait for all that signals the object.
    Barrier(Barrier<'t>),
    /// A wait for the thread's bulk groups but so many, or for their reads.
    Groups { read: bool, left: u32 },
    /// A wait for products of warpgroups.
    Warpgroup,
}

impl<'t> Wait<'t> {
    /// Returns the wait of an instruction; `None` for other instructions.
    pub(super) fn of(flat: &Flat<'_>, inst: &FlatInstruction<'_>, text: &'t str) -> Option<Wait<'t>> {
        match inst.op.as_ref().ok()? {
            Op::CpAsyncBulkWait { read } => Some(Wait::Groups { read: *read, left: left(inst).unwrap_or(0) }),
            Op::WgmmaWait => Some(Wait::Warpgroup),
            Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. } => {
                Some(Wait::Barrier(Barrier::of(flat, inst, text)?))
            }
            _ => None,
        }
    }

    /// Returns text behind the wait that records what is complete at the clock in a `register`. Uses `%wr_r1`,
    /// `%wr_r2`, `%wr_a0`, `%wr_a1` and `%wr_p0`.
    pub(super) fn recorded(&self, register: &str, known: Properties, options: &Options) -> String {
        match self {
            Wait::Barrier(barrier) => barrier.waited(register, options),
            Wait::Warpgroup => recorded(&format!("\tmov.u32 %wr_r1, {WARPGROUP};\n"), register, options),
            Wait::Groups { read, left } => {
                let done = match *left {
                    left if (1..=known.left).contains(&left) => committed(left),
                    _ => register.to_owned(),
                };
                let who = self::register(WHO);
                let thread = format!("\tand.b32 %wr_r1, {who}, 1023;\n");
                let one =
                    |base| recorded(&format!("{thread}\tor.b32 %wr_r1, %wr_r1, {base};\n"), &done, options);
                one(READS) + &if *read { String::new() } else { one(GROUPS) }
            }
        }
    }
}

/// Returns the number of groups that a wait for bulk groups leaves outstanding.
fn left(inst: &FlatInstruction<'_>) -> Option<u32> {
    match inst.args.first() {
        Some(Arg::Int(left)) => u32::try_from(*left).ok(),
        _ => None,
    }
}

/// Returns the largest number of bulk groups that some wait of a kernel leaves outstanding, as far as it is followed.
pub(super) fn most_left(flat: &Flat<'_>) -> u32 {
    let waits = flat.instructions.iter().filter(|inst| matches!(inst.op, Ok(Op::CpAsyncBulkWait { .. })));
    waits.filter_map(left).filter(|left| *left <= MOST_LEFT).max().unwrap_or(0)
}

/// Returns the register with the clock at the commit that precedes the last one by so many.
fn committed(before: u32) -> String {
    register(&format!("commit{before}"))
}

/// Returns the text for the beginning of a kernel: no group has been committed.
pub(super) fn beginning(left: u32) -> String {
    let mut out = String::new();
    for before in 0..=left {
        let _ = write!(out, "\n\t.reg .b32 {0};\n\tmov.u32 {0}, 0;", committed(before));
    }
    out + "\n"
}

/// Returns the text before a commit of bulk groups: the thread remembers the clock.
pub(super) fn commit(guard: &Guard, left: u32, options: &Options) -> String {
    let (skip, header, scope) = (unless(guard), header(options), scope(options.table));
    let mut out = format!("{{\n{REGISTERS}{skip}{header}\tld.relaxed.{scope}.global.u32 %wr_r0, [%wr_a0];\n");
    for before in (1..=left).rev() {
        let _ = writeln!(out, "\tmov.u32 {}, {};", committed(before), committed(before - 1));
    }
    let _ = writeln!(out, "\tmov.u32 {}, %wr_r0;", committed(0));
    out + "$wr_end:\n\t}\n"
}

/// Returns text that records the clock in a `register` for the ticket that `ticket` sets in `%wr_r1`.
fn recorded(ticket: &str, register: &str, options: &Options) -> String {
    let who = self::register(WHO);
    let entry = format!(
        "{ticket}\tshr.u32 %wr_r2, {who}, 10;\n\tmul.lo.u32 %wr_r2, %wr_r2, {GOLDEN};\n\tmul.lo.u32 %wr_r1, %wr_r1, {TICKET_HASH};\n\txor.b32 %wr_r1, %wr_r1, %wr_r2;\n\tshr.u32 %wr_r1, %wr_r1, {};\n",
        32 - WAITS_KEPT
    );
    noted_at(&entry, WAITED, register, options)
}

/// Returns text before a proxy fence that records it at an offset in the table.
fn fenced(guard: &Guard, at: u64, options: &Options) -> String {
    let (skip, header, scope, who) = (unless(guard), header(options), scope(options.table), register(WHO));
    let block = format!("\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};\n");
    let noted = noted_at(&block, at, "%wr_r0", options);
    format!(
        "{{\n{REGISTERS}{skip}{header}\tld.relaxed.{scope}.global.u32 %wr_r0, [%wr_a0];\n{noted}$wr_end:\n\t}}\n"
    )
}

/// Returns where a proxy fence is recorded; `None` for those that concern neither shared memory nor uses of maps.
fn place_of(fence: ProxyFence) -> Option<u64> {
    match fence {
        ProxyFence::Async { space } => (space != Some(MemSpace::Global)).then_some(PROXIED),
        ProxyFence::AsyncGenericRestricted { .. } => Some(PROXIED),
        ProxyFence::TensormapGeneric { sem, .. } => {
            matches!(sem, Sem::Acquire | Sem::AcqRel).then_some(MAPPED)
        }
        ProxyFence::Alias => None,
    }
}

/// Returns the text before an instruction that changes what waits complete, or that is a proxy fence. It comes behind
/// the text of a release, whose clock it uses.
pub(super) fn before(
    (flat, inst, text): (&Flat<'_>, &FlatInstruction<'_>, &str),
    guard: &Guard,
    known: Properties,
    options: &Options,
) -> Option<String> {
    match inst.op.as_ref().ok()? {
        Op::Fence(Fence::Proxy(fence)) => Some(fenced(guard, place_of(*fence)?, options)),
        Op::CpAsyncBulkCommit if known.left > 0 => Some(commit(guard, known.left, options)),
        _ if known.bulk => transactions::before((flat, inst, text), guard, known, options),
        _ => None,
    }
}
