//! Copies of a thread that it has not waited for.
//!
//! A `cp.async` is made at some time between the instruction and the wait that ends it (PTX §9.7.9.25.3). It is looked at twice: where it
//! starts, as if it were made there, and behind the wait, as if it were made then. In between the table has it as *pending*: no barrier that its thread
//! passes orders it, so whoever finds it there races with it, that thread, too.
//!
//! Each thread remembers what it has to look at again, [`MOST`] accesses; more are taken as made at once. Only kernels are looked at so
//! whose copies nobody else waits for: no `mbarrier` hears of them, and no function is called that might.

use super::called::is_silent_call;
use super::emit::{self, called};
use super::{Options, register, runtime};
use ptx::ast::FunctionKind;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;

/// Accesses of copies that a thread remembers, and bytes of each: its address; what it is, its check and its group.
const MOST: u32 = 16;
const BYTES: u32 = 16;

/// The first that is pending, one behind the last, and how many groups were committed.
const FIRST: &str = "copy";
const NEXT: &str = "copies";
const GROUP: &str = "group";

/// Bits of an entry's second half.
const CHECK: u32 = 18;
const COMMITTED: u32 = 34;
const _: () = assert!(runtime::SPACE + 2 == CHECK && runtime::CHECKS.trailing_zeros() == COMMITTED - CHECK);

/// Are the copies of a function followed until they are waited for?
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

/// How many groups a wait leaves; `Some(None)` if it also waits for what is in none.
fn limit(inst: &FlatInstruction<'_>) -> Option<Option<u32>> {
    match (&inst.op, &inst.args[..]) {
        (Ok(Op::CpAsyncWait { all: true }), _) => Some(None),
        (Ok(Op::CpAsyncWait { all: false }), [Arg::Int(left)]) => u32::try_from(*left).ok().map(Some),
        _ => None,
    }
}

fn place() -> String {
    format!("{}copies", crate::PREFIX)
}

/// At the beginning of a kernel.
pub(super) fn beginning() -> String {
    let [first, next, group] = [FIRST, NEXT, GROUP].map(register);
    format!(
        "\n\t.reg .b32 {first}, {next}, {group};\n\t.local .align 8 .b8 {}[{}];\n\tmov.u32 {first}, 0;\n\tmov.u32 {next}, 0;\n\tmov.u32 {group}, 0;\n",
        place(),
        MOST * BYTES
    )
}

/// Where the entry is whose number is in a register: sets `%wr_a1`, uses `%wr_r0`.
fn entry(number: &str) -> String {
    format!(
        "\tand.b32 %wr_r0, {number}, {};\n\tmul.wide.u32 %wr_a1, %wr_r0, {BYTES};\n\tmov.u64 %wr_b, {};\n\tadd.u64 %wr_a1, %wr_a1, %wr_b;\n",
        MOST - 1,
        place()
    )
}

/// Before the check of a copy's access: sets `%wr_w` to what it is, pending if there is room, which `%wr_q` says.
pub(super) fn started(what: u32) -> String {
    let [first, next] = [FIRST, NEXT].map(register);
    format!(
        "\
\t.reg .pred %wr_q;
\t.reg .b32 %wr_w;
\tsub.u32 %wr_w, {next}, {first};
\tsetp.lt.u32 %wr_q, %wr_w, {MOST};
\tselp.u32 %wr_w, {pending}, {what}, %wr_q;
",
        what = what | 1 << runtime::COPY,
        pending = what | 1 << runtime::COPY | 1 << runtime::WIDE,
    )
}

/// Behind it: remembers it. The address is in `%wr_a0`.
pub(super) fn remembered(what: u32, check: u32) -> String {
    let [next, group] = [NEXT, GROUP].map(register);
    let what = u64::from(what | 1 << runtime::COPY) | u64::from(check) << CHECK;
    format!(
        "\
\t@!%wr_q bra $wr_left;
\t.reg .b64 %wr_b;
{}\
\tst.local.b64 [%wr_a1], %wr_a0;
\tcvt.u64.u32 %wr_b, {group};
\tshl.b64 %wr_b, %wr_b, {COMMITTED};
\tor.b64 %wr_b, %wr_b, {what};
\tst.local.b64 [%wr_a1+8], %wr_b;
\tadd.u32 {next}, {next}, 1;
",
        entry(&next)
    )
}

/// Behind what commits a group, or waits for some; `None` for everything else.
pub(super) fn behind(inst: &FlatInstruction<'_>, options: &Options) -> Option<String> {
    let [first, next, group] = [FIRST, NEXT, GROUP].map(register);
    let skip = emit::unless(&crate::collide::access::guard(inst));
    if matches!(inst.op, Ok(Op::CpAsyncCommit)) {
        return Some(format!("\n\t{{\n{skip}\tadd.u32 {group}, {group}, 1;\n$wr_end:\n\t}}\n"));
    }
    // Groups before this one are done.
    let before = match limit(inst)? {
        None => format!("\tadd.u32 %wr_before, {group}, 1;\n"),
        Some(left) => format!("\tsub.u32 %wr_before, {group}, {left};\n"),
    };
    let [who, when, seen, observed, begun] = emit::KNOWS.map(register);
    let look = called(&["%wr_a0", "%wr_w", "%wr_c", &who, &when, &seen, &observed, &begun], options);
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
\tld.local.b64 %wr_a0, [%wr_a1];
\tld.local.b64 %wr_b, [%wr_a1+8];
\tcvt.u32.u64 %wr_w, %wr_b;
\tand.b32 %wr_w, %wr_w, {what};
\tshr.u64 %wr_a1, %wr_b, {CHECK};
\tcvt.u32.u64 %wr_c, %wr_a1;
\tand.b32 %wr_c, %wr_c, {check};
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
        entry(&first),
        what = (1 << CHECK) - 1,
        check = (1 << (COMMITTED - CHECK)) - 1,
    ))
}
