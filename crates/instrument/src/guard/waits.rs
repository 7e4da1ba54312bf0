//! Waits for a thread's copies, behind which pending accesses ([`super::copies`]) are checked again.

use super::called::is_silent_call;
use super::copies::{COMMITTED, FIRST, GROUP, NEXT, loaded};
use super::emit::{self, called};
use super::properties::Properties;
use super::{Options, register};
use ptx::ast::FunctionKind;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;

/// Returns whether the copies of a function are tracked until they are waited for.
pub(super) fn followed(flat: &Flat<'_>) -> bool {
    let mut any = false;
    let alone = flat.instructions.iter().all(|inst| match &inst.op {
        Ok(Op::CpAsync { .. }) => {
            any = true;
            true
        }
        Ok(Op::CpAsyncMbarrierArrive { .. }) => false,
        Ok(Op::CpAsyncWait { .. }) => limit(inst).is_some(),
        Ok(Op::Call) => is_silent_call(inst),
        Ok(_) => true,
        Err(_) => false,
    });
    flat.function.kind == FunctionKind::Entry && alone && any
}

/// Returns the number of groups that a wait leaves outstanding; `Some(None)` if it also waits for uncommitted
/// copies.
fn limit(inst: &FlatInstruction<'_>) -> Option<Option<u32>> {
    match (&inst.op, &inst.args[..]) {
        (Ok(Op::CpAsyncWait { all: true }), _) => Some(None),
        (Ok(Op::CpAsyncWait { all: false }), [Arg::Int(left)]) => u32::try_from(*left).ok().map(Some),
        _ => None,
    }
}

/// Returns the text behind an instruction that commits a group, or waits for some; `None` for other
/// instructions.
pub(super) fn behind(inst: &FlatInstruction<'_>, known: Properties, options: &Options) -> Option<String> {
    let [first, next, group] = [FIRST, NEXT, GROUP].map(register);
    let skip = super::thread::unless(&crate::collide::access::guard(inst));
    if matches!(inst.op, Ok(Op::CpAsyncCommit)) {
        return Some(format!("\n\t{{\n{skip}\tadd.u32 {group}, {group}, 1;\n$wr_end:\n\t}}\n"));
    }
    // Groups before this one have completed.
    let before = match limit(inst)? {
        None => format!("\tadd.u32 %wr_before, {group}, 1;\n"),
        Some(left) => format!("\tsub.u32 %wr_before, {group}, {left};\n"),
    };
    let [who, when, seen, observed, begun] = emit::KNOWS.map(register);
    let look = called(&["%wr_a0", "%wr_w", "%wr_c", &who, &when, &seen, &observed, &begun], known, options);
    Some(format!(
        "
\t{{
\t.reg .pred %wr_p0;
\t.reg .b32 %wr_r0, %wr_before, %wr_w, %wr_c;
\t.reg .b64 %wr_a<2>, %wr_b;
{skip}{before}\
$wr_more:
\tsetp.eq.u32 %wr_p0, {first}, {next};
\t@%wr_p0 bra $wr_end;
{}\
\tshr.u64 %wr_a1, %wr_b, {COMMITTED};
\tcvt.u32.u64 %wr_r0, %wr_a1;
\tsub.u32 %wr_r0, %wr_r0, %wr_before;
\tsetp.ge.s32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_end;
\tadd.u32 {first}, {first}, 1;
{look}\
\tbra $wr_more;
$wr_end:
\t}}
",
        loaded(&first),
    ))
}
