//! What releases and acquires, and by which memory: the clock goes on, and the table is told of whom a block may know.
//!
//! What one block did is ordered before what another one does only if the one has released it (PTX §8.8: by an operation that releases, or by a fence and a
//! strong write behind it), and the other has acquired it (by an operation that acquires, or by a strong read and a fence behind it), the same memory being
//! written and read, or a chain of such. Where a kernel's strong accesses are all known, the table follows such chains:
//!
//! * a *flag* is a word that is accessed strongly. At [`FLAGS`] stands, for each, a set of blocks: that of the one who released there, and those of which it knew;
//! * who reads a flag strongly remembers the set that is there then, and at its next fence, or at once if it acquires, its block is told: [`KNOWN_OF`] has the blocks
//!   of which a block may know;
//! * [`RELEASED`] tells how many barriers a block had passed at its last release, and [`SPOKEN`] when a warp last released anything at all: what a thread did behind
//!   the last barrier that any release of its block had passed, and has not released itself, is known to no other block.
//!
//! A set has a bit for blocks by their number modulo 32, and with it stands what the clock was when the launch began that put it there: what older launches left
//! counts as empty, and what newer ones did as all. Words that share a place have one set.
//!
//! `mbarrier`s, barriers of a cluster and bulk copies are no flags: who waits for these may know of all.
//!
//! **Size:** texts that share the names of registers.

use super::done::Done;
use super::known::Known;
use super::place::{TOLD, header, in_function, place};
use super::runtime::{
    ACQUIRED, BLOCKS_KEPT, END, FLAGS, FLAGS_KEPT, KNOWN_OF, RELEASED, SPOKEN, STARTED, WARPS_KEPT,
};
use super::thread::{BASE, BEGUN, FENCED, Guard, READ, REGISTERS, SEEN, SOURCES, SPOT, WHEN, WHO, unless};
use super::told::parameters;
use super::{Options, register};
use crate::PREFIX;
use crate::collide::access::Text;
use crate::sample::GOLDEN;
use ptx::op::Scope;
use std::fmt::Write;

/// How far an order reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    #[default]
    Block,
    /// Other blocks, if a cluster has some.
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

    /// Goes elsewhere if there is nobody in the cluster but the block. Uses `%wr_r1` and `%wr_p0`.
    fn leaves(self, elsewhere: &str) -> String {
        match self {
            Reach::Cluster => format!(
                "\tmov.u32 %wr_r1, %cluster_nctarank;\n\tsetp.lt.u32 %wr_p0, %wr_r1, 2;\n\t@%wr_p0 bra {elsewhere};\n"
            ),
            Reach::Block | Reach::Device => String::new(),
        }
    }
}

/// What releases.
#[derive(Clone, Copy)]
pub(super) enum Release<'t> {
    /// Once a strong write comes behind it.
    Fence,
    /// At once, by that flag, or by something else.
    At(Option<(Text<'t>, i64)>),
}

/// What acquires.
#[derive(Clone, Copy, Debug)]
pub(super) struct From {
    /// From the strong reads before it.
    pub(super) fence: bool,
    pub(super) reach: Reach,
    /// From one flag.
    pub(super) flag: bool,
    /// From those alone who meet there.
    pub(super) some: bool,
}

/// What an instruction that acquires says that it has found, in a register of the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'t> {
    /// Nothing.
    Nothing,
    /// A predicate: it has acquired if that holds.
    Whether(&'t str),
    /// A value of 32 or 64 bits.
    Value(&'t str, u32),
}

impl Found<'_> {
    /// Sets `%wr_r0` to zero once the value is there: to a bit of it that no clock has. Uses `%wr_b`.
    fn awaited(self) -> Option<String> {
        let Found::Value(value, bits) = self else { return None };
        let narrow = match bits {
            64 => format!("\tmov.b64 %wr_b, {value};\n\tcvt.u32.u64 %wr_r0, %wr_b;\n"),
            _ => format!("\tmov.b32 %wr_r0, {value};\n"),
        };
        let begun = register(BEGUN);
        Some(format!(
            "{narrow}\tand.b32 %wr_r0, %wr_r0, {begun};\n\tand.b32 %wr_r0, %wr_r0, -2147483648;\n\tcvt.u64.u32 %wr_b, %wr_r0;\n\tadd.u64 %wr_a0, %wr_a0, %wr_b;\n"
        ))
    }
}

/// Has the clock go on, unless it has come to its end: then the sink is told. Uses `%wr_r0`, `%wr_a0` and `%wr_p0`.
///
/// The thread waits until the clock has gone on (it looks at what it was): releases to a block alone, such as arrivals at an
/// `mbarrier`, were seen to overtake a reduction on an H100.
pub(super) fn tick(options: &Options) -> String {
    let (header, ended) = (header(options), options.sink + super::ENDED);
    format!(
        "{header}\tld.relaxed.gpu.global.u32 %wr_r0, [%wr_a0];
\tsetp.lt.u32 %wr_p0, %wr_r0, {END};
\t@%wr_p0 atom.relaxed.gpu.global.add.u32 %wr_r0, [%wr_a0], 1;
\tsetp.lt.u32 %wr_p0, %wr_r0, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
"
    )
}

/// Has the table know that this block has acquired by a wide scope, or waited for copies, when the clock was what a `register` says. Uses `%wr_r1`, `%wr_a0`, `%wr_a1`
/// and `%wr_p0`.
///
/// It waits as [`tick`] does.
fn noted(at: u64, register: &str, options: &Options) -> String {
    let who = self::register(WHO);
    noted_at(&format!("\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};\n"), at, register, options)
}

/// The same of its warp, which has released something.
pub(super) fn spoken(register: &str, options: &Options) -> String {
    let who = self::register(WHO);
    let mask = (1 << WARPS_KEPT) - 1;
    noted_at(
        &format!("\tshr.u32 %wr_r1, {who}, 5;\n\tand.b32 %wr_r1, %wr_r1, {mask};\n"),
        SPOKEN,
        register,
        options,
    )
}

fn noted_at(number: &str, at: u64, register: &str, options: &Options) -> String {
    let ended = options.sink + super::ENDED;
    format!(
        "\
{number}\
\tmul.wide.u32 %wr_a1, %wr_r1, 4;
{}\
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tatom.relaxed.gpu.global.max.u32 %wr_r1, [%wr_a0], {register};
\tsetp.lt.u32 %wr_p0, %wr_r1, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
",
        place(options, at, "%wr_a0")
    )
}

/// Has the table know that this block has waited for copies.
pub(super) fn all_noted(done: Done, register: &str, options: &Options) -> String {
    done.places().iter().map(|at| noted(*at, register, options)).collect()
}

/// Sets `%wr_a2` to what stands at [`RELEASED`] of a release at the clock in `%wr_r0`: the clock, and which launch's and block's it
/// is (as far as its place does not say) and how many barriers that has passed. Uses `%wr_r1` and `%wr_r2`.
fn told_of(fine: bool) -> String {
    if !fine {
        return "\tmov.u32 %wr_r1, -1;\n\tmov.b64 %wr_a2, {%wr_r1, %wr_r0};\n".to_owned();
    }
    stamp() + "\tmov.b64 %wr_a2, {%wr_r1, %wr_r0};\n"
}

/// Sets `%wr_r1` to the launch, the block and the barriers passed. Uses `%wr_r2`.
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

/// Sets a 32-bit `register` to the number of the flag at the address in `%wr_a0`.
fn spot(register: &str) -> String {
    format!(
        "\tcvt.u32.u64 {register}, %wr_a0;\n\tand.b32 {register}, {register}, 262140;\n\tmul.lo.u32 {register}, {register}, {GOLDEN};\n\tshr.u32 {register}, {register}, {};\n",
        32 - FLAGS_KEPT
    )
}

/// A call of one of the functions below.
fn called(name: &str, all: &[(&str, &str)], arguments: &[&str], options: &Options) -> String {
    let mut out = String::from("\t{\n");
    let mut names = Vec::new();
    for ((name, ty), value) in all.iter().zip(arguments) {
        let _ = writeln!(out, "\t.param .{ty} wr_{name};\n\tst.param.{ty} [wr_{name}], {value};");
        names.push(format!("wr_{name}"));
    }
    if options.table.is_none() {
        let (name, ty) = TOLD;
        let at = place(options, 0, "%wr_table");
        let _ = writeln!(
            out,
            "\t.reg .b64 %wr_table;\n{at}\t.param .{ty} wr_{name};\n\tst.param.{ty} [wr_{name}], %wr_table;"
        );
        names.push(format!("wr_{name}"));
    }
    let _ = write!(out, "\tcall {name}, ({});\n\t}}\n", names.join(", "));
    out
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

/// Has the block know of the blocks that its thread has read of.
pub(super) fn learned(options: &Options) -> String {
    let [who, begun, sources] = [WHO, BEGUN, SOURCES].map(register);
    called(&learn_name(), &LEARN, &[&who, &begun, &sources], options)
}

/// Before what releases: the clock goes on, and if that leaves the block, it is known to have done so.
pub(super) fn release(
    guard: &Guard,
    (how, reach): (Release<'_>, Reach),
    known: Known,
    options: &Options,
) -> String {
    let mut out = format!("{{\n{REGISTERS}{}{}", unless(guard), tick(options));
    if known.far {
        out += "\tadd.u32 %wr_r0, %wr_r0, 1;\n";
        // What is to be said by a flag is not said yet.
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

/// Puts `%wr_a2` to [`RELEASED`].
fn released(options: &Options) -> String {
    let (who, ended) = (register(WHO), options.sink + super::ENDED);
    format!(
        "\
\tbfe.u32 %wr_r1, {who}, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %wr_a1, %wr_r1, 8;
{}\
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tatom.relaxed.gpu.global.max.u64 %wr_a1, [%wr_a0], %wr_a2;
\tmov.b64 {{%wr_r1, %wr_r2}}, %wr_a1;
\tsetp.lt.u32 %wr_p0, %wr_r2, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
",
        place(options, RELEASED, "%wr_a0")
    )
}

/// Before a strong write of a flag, or what else may tell others: that, too, releases what was before the thread's last fence.
pub(super) fn raise(guard: &Guard, at: Option<(Text<'_>, i64)>, options: &Options) -> String {
    let (fenced, skip) = (register(FENCED), unless(guard));
    let spot = match at {
        Some((base, offset)) => base.address(offset, "%wr_a0") + &spot("%wr_r0"),
        None => "\tmov.u32 %wr_r0, -1;\n".to_owned(),
    };
    let raised = raised("%wr_r0", &fenced, options);
    format!(
        "{{\n{REGISTERS}{skip}\tsetp.eq.u64 %wr_p0, {fenced}, 0;\n\t@%wr_p0 bra $wr_end;\n{spot}{raised}$wr_end:\n\t}}\n"
    )
}

/// Around a strong read: what the flag tells of is remembered, if kernels tell (`fine`).
///
/// The set is read once it is known what was found, as the clock is ([`acquire`]).
pub(super) fn look(
    guard: &Guard,
    (base, offset): (Text<'_>, i64),
    found: Found<'_>,
    fine: bool,
    options: &Options,
) -> [String; 2] {
    let [who, read, sources, spot, begun] = [WHO, READ, SOURCES, SPOT, BEGUN].map(register);
    let skip = unless(guard);
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
\tld.relaxed.gpu.global.u64 %wr_a1, [%wr_a0];
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

/// Behind what acquires: the thread sees the clock, but for its own release just now if it is a fence, and if that comes from other blocks, this one is known to have done so.
///
/// The clock is read once it is known what was found, which its address is made to depend on (no clock has the highest bit): on an
/// H100 the clock was seen to be read while a wait for an `mbarrier`, which orders a block alone, was still on its way.
pub(super) fn acquire(
    guard: &Guard,
    found: Found<'_>,
    from: From,
    done: Option<Done>,
    known: Known,
    options: &Options,
) -> String {
    let [seen, read, sources] = [SEEN, READ, SOURCES].map(register);
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
    let _ = writeln!(out, "\tld.relaxed.gpu.global.u32 {seen}, [%wr_a0];");
    if from.fence {
        let _ = writeln!(out, "\tsub.u32 {seen}, {seen}, 1;");
    }
    if known.meets && !from.some {
        let _ = writeln!(out, "\tmov.u32 {}, {seen};", register(BASE));
    }
    if from.reach != Reach::Block {
        out += &from.reach.leaves("$wr_near");
        out += &noted(ACQUIRED, &seen, options);
        if known.fine {
            if !from.fence && !from.flag {
                let _ = writeln!(out, "\tmov.u32 {sources}, -1;");
            }
            let learned = learned(options);
            let _ = write!(out, "\tsetp.eq.u32 %wr_p0, {sources}, 0;\n\t@%wr_p0 bra $wr_near;\n{learned}");
        }
        out += "$wr_near:\n";
    }
    out += &done.map(|done| all_noted(done, &seen, options)).unwrap_or_default();
    out + "$wr_end:\n\t}\n"
}

/// Both functions, for modules with kernels of which all flags are known: `raise` has a flag tell of all that its block knows, and `learn` a block know of what flags told.
pub(super) fn functions(base: Option<u64>) -> String {
    let (raise, learn) = (raise_name(), learn_name());
    let with_table = |all: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
        all.iter().copied().chain(base.is_none().then_some(TOLD)).collect()
    };
    let raise_parameters = parameters(&raise, &with_table(&RAISE));
    let learn_parameters = parameters(&learn, &with_table(&LEARN));
    // Who finds a newer launch's set adds to it, and what an older one left goes.
    let put = |bits: &str, at: &str| {
        format!(
            "\
\tld.relaxed.gpu.global.u64 %rd8, [%rd7];
$again:
\tmov.b64 {{%r11, %r12}}, %rd8;
\tor.b32 %r13, %r11, {bits};
\tsetp.lt.u32 %p1, %r12, {at};
\tselp.b32 %r13, {bits}, %r13, %p1;
\tmax.u32 %r14, %r12, {at};
\tmov.b64 %rd9, {{%r13, %r14}};
\tsetp.eq.u64 %p1, %rd9, %rd8;
\t@%p1 ret;
\tatom.relaxed.gpu.global.cas.b64 %rd10, [%rd7], %rd8, %rd9;
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
\tld.relaxed.gpu.global.u32 %r6, [%rd2];
\tmax.u32 %r6, %r6, %r4;
\tbfe.u32 %r7, %r2, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd4, %r7, 8;
{released}\
\tadd.u64 %rd5, %rd5, %rd4;
\tld.relaxed.gpu.global.u64 %rd6, [%rd5];
\tsetp.ge.u64 %p1, %rd6, %rd1;
\t@!%p1 atom.relaxed.gpu.global.max.u64 %rd6, [%rd5], %rd1;
\tshr.u64 %rd6, %rd6, 63;
\tbfe.u32 %r7, %r2, 5, {WARPS_KEPT};
\tmul.wide.u32 %rd3, %r7, 4;
{spoken}\
\tadd.u64 %rd5, %rd5, %rd3;
\tadd.u64 %rd5, %rd5, %rd6;
\tshr.u64 %rd3, %rd1, 32;
\tcvt.u32.u64 %r7, %rd3;
\tld.relaxed.gpu.global.u32 %r8, [%rd5];
\tsetp.ge.u32 %p1, %r8, %r7;
\t@!%p1 atom.relaxed.gpu.global.max.u32 %r8, [%rd5], %r7;
\tshr.u32 %r8, %r8, 31;
\tcvt.u64.u32 %rd6, %r8;
\tsetp.eq.u32 %p1, %r1, -1;
\t@%p1 ret;
\tadd.u64 %rd4, %rd4, %rd6;
{known_of}\
\tadd.u64 %rd5, %rd5, %rd4;
\tld.relaxed.gpu.global.u64 %rd6, [%rd5];
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
