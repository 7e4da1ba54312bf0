//! Releases and acquires between blocks: they advance the clock, and record in the table from which blocks a
//! block may have acquired.
//!
//! An operation of one block is ordered before one of another block only if the first block has released it
//! (PTX §8.8: by a releasing operation, or by a fence and a strong write behind it), and the second has
//! acquired it (by an acquiring operation, or by a strong read and a fence behind it), through the same
//! memory or a chain of such pairs. If all strong accesses of a kernel are known, the table tracks such
//! chains:
//!
//! * a *flag* is a word that is accessed strongly. [`FLAGS`] has a set of blocks for each: the block that
//!   released there, and those from which it had acquired;
//! * a thread that reads a flag strongly remembers the flag's set, and at its next fence, or at once if it
//!   acquires, adds it to its block's set: [`KNOWN_OF`] has the blocks from which a block may have acquired;
//! * [`RELEASED`] has the number of barriers that a block had passed at its last release, and [`SPOKEN`] the
//!   clock at which a warp last released anything: accesses of a thread behind the last barrier that any
//!   release of its block had passed, and not released by the thread's own warp, are ordered before no other
//!   block.
//!
//! A set has a bit for blocks by their number modulo 32, together with the clock at which the launch that
//! stored it began: a set of an older launch counts as empty, one of a newer launch as full. Words that share
//! an entry have one set.
//!
//! `mbarrier`s, barriers of a cluster and bulk copies are not flags: their waiters may acquire from all
//! blocks.
//!
//! **Size:** texts that share the names of registers.

use super::arrivals::Venue;
use super::clocks::{noted_at, spoken, tick};
use super::completion::Wait;
use super::properties::Properties;
use super::report::parameters;
use super::runtime::{
    ACQUIRED, BLOCKS_KEPT, END, FLAGS, FLAGS_KEPT, KNOWN_OF, RELEASED, SPOKEN, STARTED, WARPS_KEPT,
};
use super::table_address::{TOLD, called, header, in_function, place, scope};
use super::thread::{BASE, BEGUN, FENCED, Guard, READ, REGISTERS, SEEN, SOURCES, SPOT, WHEN, WHO, unless};
use super::{Options, register};
use crate::PREFIX;
use crate::collide::access::Text;
use crate::sample::GOLDEN;
use ptx::op::Scope;
use std::fmt::Write;

/// The reach of a release or an acquire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    #[default]
    Block,
    /// Other blocks of the cluster, if it has any.
    Cluster,
    Device,
}

impl Reach {
    pub(super) fn of(scope: Scope) -> Reach {
        match scope {
            Scope::Cta => Reach::Block,
            Scope::Cluster => Reach::Cluster,
            Scope::Gpu | Scope::Sys => Reach::Device,
        }
    }

    /// Returns text that branches to `elsewhere` if the block is alone in its cluster. Uses `%wr_r1` and
    /// `%wr_p0`.
    fn leaves(self, elsewhere: &str) -> String {
        match self {
            Reach::Cluster => format!(
                "\tmov.u32 %wr_r1, %cluster_nctarank;\n\tsetp.lt.u32 %wr_p0, %wr_r1, 2;\n\t@%wr_p0 bra {elsewhere};\n"
            ),
            Reach::Block | Reach::Device => String::new(),
        }
    }
}

/// The form of a release.
#[derive(Clone, Copy)]
pub(super) enum Release<'t> {
    /// A fence, which releases by a later strong write.
    Fence,
    /// An immediate release by that flag, or by another operation.
    At(Option<(Text<'t>, i64)>),
}

/// The form of an acquire.
#[derive(Clone, Copy)]
pub(super) struct From<'t> {
    /// Whether it is a fence, which acquires from earlier strong reads.
    pub(super) fence: bool,
    pub(super) reach: Reach,
    /// Whether it acquires from one flag.
    pub(super) flag: bool,
    /// Whether it acquires only from the participants of a barrier.
    pub(super) some: bool,
    /// The arrivals up to the last of which it acquires; `None` if it acquires up to the present clock.
    pub(super) arrivals: Option<Venue<'t>>,
}

/// The program's register with the result of an acquiring instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'t> {
    /// The instruction has no result.
    Nothing,
    /// A predicate: the instruction has acquired if it holds.
    Whether(&'t str),
    /// A value of 32 or 64 bits.
    Value(&'t str, u32),
}

impl Found<'_> {
    /// Returns text that adds zero to `%wr_a0` once the value is available: a bit of it that no clock has. Uses
    /// `%wr_r0` and `%wr_b`.
    fn awaited(self) -> Option<String> {
        let Found::Value(value, bits) = self else { return None };
        let narrow = match bits {
            64 => format!("\tmov.b64 %wr_b, {value};\n\tcvt.u32.u64 %wr_r0, %wr_b;\n"),
            _ => format!("\tmov.b32 %wr_r0, {value};\n"),
        };
        let begun = register(BEGUN);
        Some(format!(
            "{narrow}\tand.b32 %wr_r0, %wr_r0, {begun};\n\tshr.u32 %wr_r0, %wr_r0, 31;\n\tshl.b32 %wr_r0, %wr_r0, 4;\n\tcvt.u64.u32 %wr_b, %wr_r0;\n\tadd.u64 %wr_a0, %wr_a0, %wr_b;\n"
        ))
    }
}

/// Returns text that records, at `at`, the clock in a `register` as the time at which this block has acquired
/// by a wide scope. Uses `%wr_r1`, `%wr_a0`, `%wr_a1` and `%wr_p0`.
///
/// It waits for the store as [`tick`] does for the increment.
fn noted(at: u64, register: &str, options: &Options) -> String {
    let who = self::register(WHO);
    noted_at(&format!("\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};\n"), at, register, options)
}

/// Returns text that sets `%wr_a2` to the entry at [`RELEASED`] for a release at the clock in `%wr_r0`: the
/// clock, the launch and block (as far as the entry's place does not identify them) and the number of
/// barriers passed. Uses `%wr_r1` and `%wr_r2`.
fn told_of(fine: bool) -> String {
    if !fine {
        return "\tmov.u32 %wr_r1, -1;\n\tmov.b64 %wr_a2, {%wr_r1, %wr_r0};\n".to_owned();
    }
    stamp() + "\tmov.b64 %wr_a2, {%wr_r1, %wr_r0};\n"
}

/// Returns text that sets `%wr_r1` to the launch, the block and the barriers passed. Uses `%wr_r2`.
pub(super) fn stamp() -> String {
    let [who, when, begun] = [WHO, WHEN, BEGUN].map(register);
    format!(
        "\
\tshr.u32 %wr_r1, {who}, 22;
\tbfe.u32 %wr_r2, {when}, 16, 4;
\tshl.b32 %wr_r2, %wr_r2, 10;
\tor.b32 %wr_r1, %wr_r1, %wr_r2;
\tshl.b32 %wr_r2, {begun}, 14;
\tor.b32 %wr_r1, %wr_r1, %wr_r2;
\tshl.b32 %wr_r1, %wr_r1, 10;
\tbfe.u32 %wr_r2, {when}, 6, 10;
\tor.b32 %wr_r1, %wr_r1, %wr_r2;
"
    )
}

/// Returns text that sets a 32-bit `register` to the number of the flag at the address in `%wr_a0`. Uses `%wr_r0`.
fn spot(register: &str) -> String {
    format!(
        "\tcvt.u32.u64 %wr_r0, %wr_a0;\n\tand.b32 %wr_r0, %wr_r0, 262140;\n\tmul.lo.u32 %wr_r0, %wr_r0, {GOLDEN};\n\tshr.u32 {register}, %wr_r0, {};\n",
        32 - FLAGS_KEPT
    )
}

const RAISE: [(&str, &str); 5] =
    [("spot", "b32"), ("who", "b32"), ("when", "b32"), ("begun", "b32"), ("fenced", "b64")];
const LEARN: [(&str, &str); 3] = [("who", "b32"), ("begun", "b32"), ("sources", "b32")];

fn raise_name() -> String {
    format!("{PREFIX}raise")
}

fn learn_name() -> String {
    format!("{PREFIX}learn")
}

fn raised(spot: &str, what: &str, options: &Options) -> String {
    let [who, when, begun] = [WHO, WHEN, BEGUN].map(register);
    called(&raise_name(), &RAISE, &[spot, &who, &when, &begun, what], options)
}

/// Returns text that adds the sets of the flags that the thread has read to its block's set.
pub(super) fn learned(options: &Options) -> String {
    let [who, begun, sources] = [WHO, BEGUN, SOURCES].map(register);
    called(&learn_name(), &LEARN, &[&who, &begun, &sources], options)
}

/// Returns the text before a release. It advances the clock, and records it for those who wait for an arrival, and the release
/// for the block if it reaches other blocks.
pub(super) fn release(
    guard: &Guard,
    (how, reach, arrival): (Release<'_>, Reach, Option<Venue<'_>>),
    known: Properties,
    options: &Options,
) -> String {
    let mut out = format!("{{\n{REGISTERS}{}{}", unless(guard), tick(options));
    if known.far || arrival.is_some() {
        out += "\tadd.u32 %wr_r0, %wr_r0, 1;\n";
    }
    let wide = known.far && reach != Reach::Block;
    out += &arrival.map(|venue| venue.raised("%wr_r0", wide, options)).unwrap_or_default();
    if known.far {
        // A release that takes effect through a later flag is not recorded yet.
        if !(known.fine && matches!(how, Release::Fence) && reach == Reach::Device) {
            out += &spoken("%wr_r0", options);
        }
    }
    if known.far && reach != Reach::Block {
        out += &reach.leaves("$wr_end");
        out += &told_of(known.fine);
        match how {
            Release::Fence if known.fine => {
                let _ = writeln!(out, "\tmov.u64 {}, %wr_a2;", register(FENCED));
            }
            Release::At(Some((base, offset))) => {
                out += &base.address(offset, "%wr_a0");
                out += &spot("%wr_r0");
                out += &raised("%wr_r0", "%wr_a2", options);
            }
            Release::Fence | Release::At(None) => out += &released(options),
        }
    }
    out + "$wr_end:\n\t}\n"
}

/// Returns text that stores `%wr_a2` at [`RELEASED`].
fn released(options: &Options) -> String {
    let (who, ended, scope) = (register(WHO), options.sink + super::ENDED, scope(options.table));
    format!(
        "\
\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %wr_a1, %wr_r1, 8;
{}\
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tatom.relaxed.{scope}.global.max.u64 %wr_a1, [%wr_a0], %wr_a2;
\tmov.b64 {{%wr_r1, %wr_r2}}, %wr_a1;
\tsetp.lt.u32 %wr_p0, %wr_r2, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
",
        place(options, RELEASED, "%wr_a0")
    )
}

/// Returns text before a strong write of a flag, or another operation visible to others: it releases the
/// operations before the thread's last fence.
pub(super) fn raise(guard: &Guard, at: Option<(Text<'_>, i64)>, options: &Options) -> String {
    let (fenced, skip) = (register(FENCED), unless(guard));
    let spot = match at {
        Some((base, offset)) => base.address(offset, "%wr_a0") + &spot("%wr_r0"),
        None => format!("\tmov.u32 %wr_r0, {};\n", 1 << FLAGS_KEPT),
    };
    let raised = raised("%wr_r0", &fenced, options);
    format!(
        "{{\n{REGISTERS}{skip}\tsetp.eq.u64 %wr_p0, {fenced}, 0;\n\t@%wr_p0 bra $wr_end;\n{spot}{raised}$wr_end:\n\t}}\n"
    )
}

/// Returns text around a strong read: it remembers the flag's set, if the kernel tracks flags (`fine`).
///
/// The set is read once the result is available, like the clock ([`acquire`]).
pub(super) fn look(
    guard: &Guard,
    (base, offset): (Text<'_>, i64),
    found: Found<'_>,
    fine: bool,
    options: &Options,
) -> [String; 2] {
    let [who, read, sources, spot, begun] = [WHO, READ, SOURCES, SPOT, BEGUN].map(register);
    let (skip, scope) = (unless(guard), scope(options.table));
    let (mut before, mut set) = (String::new(), String::new());
    if fine {
        match found.awaited() {
            Some(awaited) => {
                before = format!(
                    "{{\n{REGISTERS}{skip}{}{}$wr_end:\n\t}}\n",
                    base.address(offset, "%wr_a0"),
                    self::spot(&spot)
                );
                set = format!(
                    "\
{}\
\tmul.wide.u32 %wr_a1, {spot}, 8;
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
{awaited}\
\tld.relaxed.{scope}.global.u64 %wr_a1, [%wr_a0];
\tmov.b64 {{%wr_r0, %wr_r1}}, %wr_a1;
\tsetp.gt.u32 %wr_p0, %wr_r1, {begun};
\tselp.b32 %wr_r0, -1, %wr_r0, %wr_p0;
\tsetp.lt.u32 %wr_p0, %wr_r1, {begun};
\tselp.b32 %wr_r0, 0, %wr_r0, %wr_p0;
\tor.b32 {sources}, {sources}, %wr_r0;
",
                    header(options).replace("%wr_a0", "%wr_a2") + &place(options, FLAGS, "%wr_a0")
                );
            }
            None => set = format!("\tmov.u32 {sources}, -1;\n"),
        }
    }
    let behind =
        format!("\n\t{{\n{REGISTERS}{skip}\tsetp.eq.u32 {read}, {who}, {who};\n{set}$wr_end:\n\t}}\n");
    [before, behind]
}

/// Returns text behind an acquire: the thread reads the clock, minus its own release just before if it is a
/// fence; if the acquire reaches other blocks, it is recorded for this block.
///
/// The clock is read once the result is available: its address is made to depend on the result (no clock has
/// the highest bit). On an H100 the clock was observed to be read while a wait for an `mbarrier`, which
/// orders a block alone, was still outstanding.
pub(super) fn acquire(
    guard: &Guard,
    found: Found<'_>,
    from: From<'_>,
    done: Option<&Wait<'_>>,
    known: Properties,
    options: &Options,
) -> String {
    let [seen, read, sources] = [SEEN, READ, SOURCES].map(register);
    let scope = scope(options.table);
    let mut out = format!("\n\t{{\n{REGISTERS}{}", unless(guard));
    if from.fence && known.reads {
        let _ = writeln!(out, "\t@!{read} bra $wr_end;");
    }
    out += &header(options);
    match found {
        Found::Whether(predicate) => {
            let _ = writeln!(out, "\t@!{predicate} bra $wr_end;");
        }
        found => out += &found.awaited().unwrap_or_default(),
    }
    // The clock of this acquire, and that of what other blocks have released.
    let (until, abroad) = match from.arrivals {
        Some(venue) => {
            out += &venue.loaded(["%wr_r0", "%wr_r3"], options);
            let _ = writeln!(out, "\tmax.u32 {seen}, {seen}, %wr_r0;");
            ("%wr_r0", "%wr_r3")
        }
        None => {
            let _ = writeln!(out, "\tld.relaxed.{scope}.global.u32 {seen}, [%wr_a0];");
            (seen.as_str(), seen.as_str())
        }
    };
    if from.fence {
        let _ = writeln!(out, "\tsub.u32 {seen}, {seen}, 1;");
    }
    if known.meets && !from.some {
        let base = register(BASE);
        let _ = match from.arrivals {
            Some(_) => writeln!(out, "\tmax.u32 {base}, {base}, {until};"),
            None => writeln!(out, "\tmov.u32 {base}, {until};"),
        };
    }
    if from.reach != Reach::Block {
        out += &from.reach.leaves("$wr_near");
        out += &noted(ACQUIRED, abroad, options);
        if known.fine {
            if !from.fence && !from.flag {
                let _ = writeln!(out, "\tmov.u32 {sources}, -1;");
            }
            let learned = learned(options);
            let _ = write!(out, "\tsetp.eq.u32 %wr_p0, {sources}, 0;\n\t@%wr_p0 bra $wr_near;\n{learned}");
        }
        out += "$wr_near:\n";
    }
    out += &done.map(|done| done.recorded(until, known, options)).unwrap_or_default();
    out + "$wr_end:\n\t}\n"
}

/// Returns both functions, for modules with kernels whose flags are all known: `raise` adds the block's set
/// to a flag's, and `learn` adds the sets of flags to a block's.
pub(super) fn functions(base: Option<u64>) -> String {
    let (raise, learn, scope) = (raise_name(), learn_name(), scope(base));
    let with_table = |all: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
        all.iter().copied().chain(base.is_none().then_some(TOLD)).collect()
    };
    let raise_parameters = parameters(&raise, &with_table(&RAISE));
    let learn_parameters = parameters(&learn, &with_table(&LEARN));
    // A thread that finds a set of a newer launch adds to it; a set of an older launch is replaced.
    let put = |bits: &str, at: &str| {
        format!(
            "\
\tld.relaxed.{scope}.global.u64 %rd8, [%rd7];
$again:
\tmov.b64 {{%r11, %r12}}, %rd8;
\tor.b32 %r13, %r11, {bits};
\tsetp.lt.u32 %p1, %r12, {at};
\tselp.b32 %r13, {bits}, %r13, %p1;
\tmax.u32 %r14, %r12, {at};
\tmov.b64 %rd9, {{%r13, %r14}};
\tsetp.eq.u64 %p1, %rd9, %rd8;
\t@%p1 ret;
\tatom.relaxed.{scope}.global.cas.b64 %rd10, [%rd7], %rd8, %rd9;
\tsetp.eq.u64 %p1, %rd10, %rd8;
\tmov.u64 %rd8, %rd10;
\t@!%p1 bra $again;
\tret;
"
        )
    };
    format!(
        "\
.func {raise}({raise_parameters})
{{
\t.reg .pred %p<3>;
\t.reg .b32 %r<20>;
\t.reg .b64 %rd<16>;
\tld.param.u32 %r1, [{raise}_spot];
\tld.param.u32 %r2, [{raise}_who];
\tld.param.u32 %r3, [{raise}_when];
\tld.param.u32 %r4, [{raise}_begun];
\tld.param.u64 %rd1, [{raise}_fenced];
{started}\
\tbfe.u32 %r5, %r3, 16, 4;
\tmul.wide.u32 %rd3, %r5, 8;
\tadd.u64 %rd2, %rd2, %rd3;
\tld.relaxed.{scope}.global.u32 %r6, [%rd2];
\tmax.u32 %r6, %r6, %r4;
\tbfe.u32 %r7, %r2, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd4, %r7, 8;
{released}\
\tadd.u64 %rd5, %rd5, %rd4;
\tld.relaxed.{scope}.global.u64 %rd6, [%rd5];
\tsetp.ge.u64 %p1, %rd6, %rd1;
\t@!%p1 atom.relaxed.{scope}.global.max.u64 %rd6, [%rd5], %rd1;
\tshr.u64 %rd6, %rd6, 63;
\tshl.b64 %rd6, %rd6, 4;
\tbfe.u32 %r7, %r2, 5, {WARPS_KEPT};
\tmul.wide.u32 %rd3, %r7, 4;
{spoken}\
\tadd.u64 %rd5, %rd5, %rd3;
\tadd.u64 %rd5, %rd5, %rd6;
\tshr.u64 %rd3, %rd1, 32;
\tcvt.u32.u64 %r7, %rd3;
\tld.relaxed.{scope}.global.u32 %r8, [%rd5];
\tsetp.ge.u32 %p1, %r8, %r7;
\t@!%p1 atom.relaxed.{scope}.global.max.u32 %r8, [%rd5], %r7;
\tshr.u32 %r8, %r8, 31;
\tcvt.u64.u32 %rd6, %r8;
\tshl.b64 %rd6, %rd6, 4;
\tsetp.ge.u32 %p1, %r1, {no_flag};
\t@%p1 ret;
\tadd.u64 %rd4, %rd4, %rd6;
{known_of}\
\tadd.u64 %rd5, %rd5, %rd4;
\tld.relaxed.{scope}.global.u64 %rd6, [%rd5];
\tmov.b64 {{%r8, %r9}}, %rd6;
\tsetp.lt.u32 %p1, %r9, %r4;
\tselp.b32 %r8, 0, %r8, %p1;
\tsetp.gt.u32 %p1, %r9, %r4;
\tselp.b32 %r8, -1, %r8, %p1;
\tbfe.u32 %r10, %r2, 10, 5;
\tmov.u32 %r15, 1;
\tshl.b32 %r15, %r15, %r10;
\tor.b32 %r8, %r8, %r15;
\tmul.wide.u32 %rd3, %r1, 8;
{flags}\
\tadd.u64 %rd7, %rd7, %rd3;
{put}\
}}
.func {learn}({learn_parameters})
{{
\t.reg .pred %p<3>;
\t.reg .b32 %r<20>;
\t.reg .b64 %rd<16>;
\tld.param.u32 %r2, [{learn}_who];
\tld.param.u32 %r4, [{learn}_begun];
\tld.param.u32 %r8, [{learn}_sources];
\tbfe.u32 %r7, %r2, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd4, %r7, 8;
{learned}\
\tadd.u64 %rd7, %rd7, %rd4;
{put_known}\
}}
",
        no_flag = 1 << FLAGS_KEPT,
        started = in_function(&raise, base, STARTED, "%rd2"),
        released = in_function(&raise, base, RELEASED, "%rd5"),
        spoken = in_function(&raise, base, SPOKEN, "%rd5"),
        known_of = in_function(&raise, base, KNOWN_OF, "%rd5"),
        flags = in_function(&raise, base, FLAGS, "%rd7"),
        put = put("%r8", "%r6"),
        learned = in_function(&learn, base, KNOWN_OF, "%rd7"),
        put_known = put("%r8", "%r4"),
    )
}
