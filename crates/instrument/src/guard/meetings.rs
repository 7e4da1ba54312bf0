//! Partial and named barriers, and the threads that may have synchronised there.
//!
//! Such a barrier counts as a release to the whole block, and as an acquire. What a thread acquires this way
//! applies only to threads with which it may have synchronised: it has a set of lanes of its warp and one of
//! warps of its block (initially only itself), and the clock at which it last acquired in any other way, or
//! passed a barrier of all threads. A participating thread adds its sets to an entry of the table before the
//! barrier, and adds the entry's sets to its own behind it. The entries are at [`MEETINGS`], by the warp and
//! the mask, or by the block and the barrier's name. Barriers that share an entry, and its earlier contents,
//! count as one.

use super::runtime::{END, MEETINGS, MEETINGS_KEPT};
use super::table_address::{header, place, scope};
use super::thread::{BASE, BEGUN, Guard, KEY, MET, REGISTERS, WHO, unless};
use super::{Options, register};
use crate::sample::{GOLDEN, LAUNCH};

/// The participants of a barrier, by the spelling of the operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Group<'t> {
    /// The lanes of that mask.
    Lanes(&'t str),
    /// The threads at the barrier with that name.
    Named(&'t str),
}

/// Returns the text for the beginning of a kernel; without such barriers (`any` is false) every thread counts
/// as having synchronised with all.
pub(super) fn beginning(any: bool) -> String {
    let [who, begun, met, base] = [WHO, BEGUN, MET, BASE].map(register);
    if !any {
        return format!("\tmov.u64 {met}, -1;\n\tmov.u32 {base}, -1;\n");
    }
    format!(
        "\
\t{{
\t.reg .b32 %wr_r<3>;
\tmov.u32 %wr_r2, 1;
\tand.b32 %wr_r0, {who}, 31;
\tshl.b32 %wr_r0, %wr_r2, %wr_r0;
\tbfe.u32 %wr_r1, {who}, 5, 5;
\tshl.b32 %wr_r1, %wr_r2, %wr_r1;
\tmov.b64 {met}, {{%wr_r0, %wr_r1}};
\tmov.u32 {base}, {begun};
\t}}
"
    )
}

/// Returns text that sets `%wr_a0` to the entry's address, or branches to the end of the scope if there is no
/// table. Uses `%wr_a1` and `%wr_p0`.
fn entry(options: &Options) -> String {
    let key = register(KEY);
    format!(
        "{}{}\tmul.wide.u32 %wr_a1, {key}, 16;\n\tadd.u64 %wr_a0, %wr_a0, %wr_a1;\n",
        header(options),
        place(options, MEETINGS, "%wr_a0")
    )
}

/// Returns the text around such a barrier. The thread waits for its stores like [`super::clocks::tick`] for
/// the clock.
pub(super) fn meeting(guard: &Guard, group: Group<'_>, waits: bool, options: &Options) -> [String; 2] {
    let [who, met, base, key] = [WHO, MET, BASE, KEY].map(register);
    let (skip, entry, ended) = (unless(guard), entry(options), options.sink + super::ENDED);
    let scope = scope(options.table);
    let (operand, shift) = match group {
        Group::Lanes(mask) => (mask, 5),
        Group::Named(name) => (name, 10),
    };
    // Lanes that the mask does not name synchronise with no thread.
    let named = match group {
        Group::Lanes(mask) => format!(
            "\tmov.b32 %wr_r0, {mask};\n\tand.b32 %wr_r1, {who}, 31;\n\tshr.u32 %wr_r0, %wr_r0, %wr_r1;\n\tand.b32 %wr_r0, %wr_r0, 1;\n\tsetp.eq.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_end;\n"
        ),
        Group::Named(_) => String::new(),
    };
    let before = format!(
        "\
{{
{REGISTERS}{skip}{named}\
\tmov.b32 %wr_r0, {operand};
\tshr.u32 %wr_r1, {who}, {shift};
\tmad.lo.u32 %wr_r0, %wr_r1, {LAUNCH}, %wr_r0;
\tmul.lo.u32 %wr_r0, %wr_r0, {GOLDEN};
\tshr.u32 {key}, %wr_r0, {turned};
{entry}\
\tatom.relaxed.{scope}.global.or.b64 %wr_a1, [%wr_a0], {met};
\tatom.relaxed.{scope}.global.max.u32 %wr_r1, [%wr_a0+8], {base};
\tsetp.ge.u32 %wr_p0, %wr_r1, {END};
\tsetp.eq.and.u64 %wr_p0, %wr_a1, 0, %wr_p0;
\tmov.u64 %wr_a0, {ended};
\t@%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
$wr_end:
\t}}
",
        turned = 32 - MEETINGS_KEPT
    );
    let all = match group {
        // Lanes of one warp may synchronise there, too.
        Group::Named(_) => format!("\tor.b64 {met}, {met}, 4294967295;\n"),
        Group::Lanes(_) => String::new(),
    };
    let behind = format!(
        "
\t{{
{REGISTERS}{skip}{named}{entry}\
\tld.relaxed.{scope}.global.u64 %wr_a1, [%wr_a0];
\tld.relaxed.{scope}.global.u32 %wr_r1, [%wr_a0+8];
\tor.b64 {met}, {met}, %wr_a1;
\tmax.u32 {base}, {base}, %wr_r1;
{all}\
$wr_end:
\t}}
"
    );
    [before, if waits { behind } else { String::new() }]
}
