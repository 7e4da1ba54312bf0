//! Copies of a thread that it has not waited for.
//!
//! A `cp.async` is made at some time between the instruction and the wait that ends it (PTX §9.7.9.25.3). It is looked at twice: where it
//! starts, as if it were made there, and behind the wait, as if it were made then. In between the table has it as *pending*: no barrier that its thread
//! passes orders it, so whoever finds it there races with it, that thread, too.
//!
//! Each thread remembers what it has to look at again, [`MOST`] accesses; more are taken as made at once. Only kernels are looked at so
//! whose copies nobody else waits for: no `mbarrier` hears of them, and no function is called that might.

use super::{register, runtime};

/// Accesses of copies that a thread remembers, and bytes of each: its address; what it is, its check and its group.
const MOST: u32 = 16;
const BYTES: u32 = 16;

/// The first that is pending, one behind the last, and how many groups were committed.
pub(super) const FIRST: &str = "copy";
pub(super) const NEXT: &str = "copies";
pub(super) const GROUP: &str = "group";

/// Bits of an entry's second half.
pub(super) const CHECK: u32 = 18;
pub(super) const COMMITTED: u32 = 34;
const _: () = assert!(runtime::SPACE + 2 == CHECK && runtime::CHECKS.trailing_zeros() == COMMITTED - CHECK);

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
pub(super) fn entry(number: &str) -> String {
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
