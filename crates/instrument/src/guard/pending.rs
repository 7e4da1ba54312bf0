//! Order by `fence.sc` across the threads of a block, which barriers pass on.
//!
//! A `fence.sc` precedes another one if any thread writes a flag behind the first, and that flag is read
//! before the second (`docs/assumptions.md`, 2). The releases of a block's fences that take effect with a
//! later flag are therefore stored at [`PENDING`] before a barrier and loaded behind it. Likewise a mark at
//! [`LOOKED`] tells that a flag has been read, which turns a later fence of any thread behind the barrier
//! into an acquire. The sets of the flags themselves are added to the block's set before the barrier.
//!
//! Both have two entries for each place of blocks, for barriers with even and with odd numbers: the entry of
//! the last barrier was stored before it.

use super::clocks::spoken;
use super::flags::{learned, stamp};
use super::properties::Properties;
use super::runtime::{BLOCKS_KEPT, END, LOOKED, PENDING};
use super::table_address::{place, scope};
use super::thread::{BEGUN, FENCED, Guard, READ, REGISTERS, SOURCES, WHEN, WHO, unless};
use super::{Options, register};

/// Returns text that sets `%wr_a0` to the address of this block's entry of `bytes` bytes for a barrier's
/// parity (`%wr_r0`: 0 or 1). Uses `%wr_r1` and `%wr_a1`.
fn entry(at: u64, bytes: u64, options: &Options) -> String {
    let who = register(WHO);
    format!(
        "\
\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};
\tmad.lo.u32 %wr_r1, %wr_r1, 2, %wr_r0;
\tmul.wide.u32 %wr_a1, %wr_r1, {bytes};
{}\
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
",
        place(options, at, "%wr_a0")
    )
}

/// Returns text that sets `%wr_r0` to the parity of the number of barriers that the block has passed, or to
/// the opposite.
fn parity(flipped: bool) -> String {
    let when = register(WHEN);
    let flip = if flipped { "\txor.b32 %wr_r0, %wr_r0, 1;\n" } else { "" };
    format!("\tbfe.u32 %wr_r0, {when}, 6, 1;\n{flip}")
}

/// Returns text before a barrier: the thread stores its state. It waits for the stores like
/// [`super::clocks::tick`] for the clock.
pub(super) fn hands_on(guard: &Guard, known: Properties, options: &Options) -> String {
    let [fenced, read, begun, sources] = [FENCED, READ, BEGUN, SOURCES].map(register);
    let (skip, ended, scope) = (unless(guard), options.sink + super::ENDED, scope(options.table));
    let mut out = format!("{{\n{REGISTERS}{skip}");
    if known.fine {
        out += &format!(
            "\
\tsetp.eq.u64 %wr_p0, {fenced}, 0;
\t@%wr_p0 bra $wr_looked;
\tmov.b64 {{%wr_r1, %wr_r0}}, {fenced};
{spoken}{parity}{entry}\
\tatom.relaxed.{scope}.global.max.u64 %wr_a1, [%wr_a0], {fenced};
\tmov.b64 {{%wr_r1, %wr_r2}}, %wr_a1;
\tsetp.lt.u32 %wr_p0, %wr_r2, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
$wr_looked:
",
            spoken = spoken("%wr_r0", options),
            parity = parity(false),
            entry = entry(PENDING, 8, options),
        );
    }
    out += &format!(
        "\
\t@!{read} bra $wr_end;
{}{}\
\tatom.relaxed.{scope}.global.max.u32 %wr_r1, [%wr_a0], {begun};
\tsetp.lt.u32 %wr_p0, %wr_r1, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
",
        parity(false),
        entry(LOOKED, 4, options),
    );
    if known.fine {
        out += &format!("\tsetp.eq.u32 %wr_p0, {sources}, 0;\n\t@%wr_p0 bra $wr_end;\n{}", learned(options));
    }
    out + "$wr_end:\n\t}\n"
}

/// Returns text behind a barrier, `whole` if it was counted: the thread loads the state that other threads
/// have stored.
pub(super) fn takes(guard: &Guard, whole: bool, known: Properties, options: &Options) -> String {
    let [fenced, read, begun] = [FENCED, READ, BEGUN].map(register);
    let scope = scope(options.table);
    let mut out = format!("\n\t{{\n{REGISTERS}{}", unless(guard));
    // Barriers of some threads are not counted: their threads use the entries of the last whole barrier and
    // of the next one.
    for flipped in if whole { &[true][..] } else { &[true, false] } {
        if known.fine {
            let next = if *flipped { "$wr_old" } else { "$wr_new" };
            out += &format!(
                "\
{}{}\
\tld.relaxed.{scope}.global.u64 %wr_a2, [%wr_a0];
\tmov.b64 {{%wr_r0, %wr_r3}}, %wr_a2;
\tsetp.le.u32 %wr_p0, %wr_r3, {begun};
\t@%wr_p0 bra {next};
{}\
\txor.b32 %wr_r1, %wr_r1, %wr_r0;
\tshr.u32 %wr_r1, %wr_r1, 10;
\tsetp.ne.u32 %wr_p0, %wr_r1, 0;
\t@%wr_p0 bra {next};
\tmax.u64 {fenced}, {fenced}, %wr_a2;
{next}:
",
                parity(*flipped),
                entry(PENDING, 8, options),
                stamp(),
            );
        }
        out += &format!(
            "\
{}{}\
\tld.relaxed.{scope}.global.u32 %wr_r1, [%wr_a0];
\tsetp.ge.or.u32 {read}, %wr_r1, {begun}, {read};
",
            parity(*flipped),
            entry(LOOKED, 4, options),
        );
    }
    out + "$wr_end:\n\t}\n"
}
