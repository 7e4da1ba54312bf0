//! Outstanding copies of a thread.
//!
//! A `cp.async` is performed at some time between the instruction and the wait that completes it (PTX
//! §9.7.9.25.3). Its accesses are checked twice: at the instruction, as if they were made there, and behind
//! the wait, as if they were made then. In between they are *pending* in the table: no barrier that the
//! thread passes orders them, so every conflicting access races with them, including those of the same
//! thread.
//!
//! Each thread stores up to [`MOST`] accesses for the second check; further copies count as made at the
//! instruction. The analysis applies only to kernels in which other threads cannot wait for the copies: no
//! `mbarrier` tracks them, and no function is called that might wait.

use super::{register, runtime};

/// The number of accesses that a thread stores, and the bytes of each: its address; its description, check
/// and group.
const MOST: u32 = 16;
const BYTES: u32 = 16;

/// The names of the registers with the first pending entry, with the end of the entries, and with the number
/// of committed groups.
pub(super) const FIRST: &str = "copy";
pub(super) const NEXT: &str = "copies";
pub(super) const GROUP: &str = "group";

/// Bit positions in an entry's second half.
pub(super) const CHECK: u32 = 18;
pub(super) const COMMITTED: u32 = 34;
const _: () = assert!(runtime::SPACE + 2 == CHECK && runtime::CHECKS.trailing_zeros() == COMMITTED - CHECK);

fn place() -> String {
    format!("{}copies", crate::PREFIX)
}

/// Returns the text for the beginning of a kernel.
pub(super) fn beginning() -> String {
    let [first, next, group] = [FIRST, NEXT, GROUP].map(register);
    format!(
        "\n\t.reg .b32 {first}, {next}, {group};\n\t.local .align 8 .b8 {}[{}];\n\tmov.u32 {first}, 0;\n\tmov.u32 {next}, 0;\n\tmov.u32 {group}, 0;\n",
        place(),
        MOST * BYTES
    )
}

/// Returns text that sets `%wr_a1` to the address of the entry whose number is in a register; uses `%wr_r0`.
pub(super) fn entry(number: &str) -> String {
    format!(
        "\tand.b32 %wr_r0, {number}, {};\n\tmul.wide.u32 %wr_a1, %wr_r0, {BYTES};\n\tmov.u64 %wr_b, {};\n\tadd.u64 %wr_a1, %wr_a1, %wr_b;\n",
        MOST - 1,
        place()
    )
}

/// Returns text that loads the entry whose number is in a register: sets `%wr_a0` to the address of the access, `%wr_w` to
/// its description, `%wr_c` to the number of its check and `%wr_b` to all but the address; uses `%wr_a1` and `%wr_r0`.
pub(super) fn loaded(number: &str) -> String {
    let (what, check) = ((1u64 << CHECK) - 1, (1u64 << (COMMITTED - CHECK)) - 1);
    format!(
        "\
{}\
\tld.local.b64 %wr_a0, [%wr_a1];
\tld.local.b64 %wr_b, [%wr_a1+8];
\tcvt.u32.u64 %wr_w, %wr_b;
\tand.b32 %wr_w, %wr_w, {what};
\tshr.u64 %wr_a1, %wr_b, {CHECK};
\tcvt.u32.u64 %wr_c, %wr_a1;
\tand.b32 %wr_c, %wr_c, {check};
",
        entry(number)
    )
}

/// Returns text before the check of a copy's access: sets `%wr_w` to its description, as pending if there is
/// a free entry, and `%wr_q` to whether there is one.
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

/// Returns text behind the check: stores the access, whose address is in `%wr_a0`.
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
