//! The texts inserted around instructions.
//!
//! **Size:** the texts of one engine, which share the names of its registers.

use super::access::{Access, Elements};
use super::clocks::{spoken, tick};
use super::completion::Wait;
use super::copies;
use super::early;
use super::groups::unless_left_out;
use super::launches::{self, BEFORE, DEVICE, LANE, LANES, MAGIC, NUMBER, OVERLAP};
use super::properties::Properties;
use super::runtime::{self, BESIDE, END, KEPT, KNOWN, STARTED};
use super::table_address::{TOLD, header, place, scope};
use super::thread::{
    BASE, BEGUN, FENCED, Guard, KEY, MET, OBSERVED, READ, REGISTERS, SEEN, SOURCES, SPOT, WHEN, WHO, unless,
};
use super::{BLOCKS, Options, register};
use crate::prune::Extents;
use crate::sample::{GOLDEN, LAUNCH};
use ptx::op::{MemSpace, Scope};
use std::fmt::Write;

/// Registers of the sample of global memory: a piece is checked if its number, times [`GOLDEN`] and plus
/// `SEED`, is at most `LIMIT`.
const SEED: &str = "seed";
const LIMIT: &str = "limit";
/// Predicates: whether shared memory is checked in this block, and whether it is in the current interval
/// between barriers.
const CHOSEN: &str = "chosen";
const INSIDE: &str = "inside";
/// The number of address bits within a piece.
const PIECE: u32 = 9;
/// The logarithm of half the number of threads below which a launch checks all pieces; and the logarithm of
/// the smallest checked share's divisor.
const SMALL: u32 = 16;
const RAREST: u32 = 5;

/// Returns the number of samples that memory is divided into for a launch of so many threads ([`sample`]).
pub(super) fn parts(threads: u64) -> u32 {
    1 << threads.max(1).ilog2().saturating_sub(SMALL).min(RAREST)
}
/// The number of first intervals that are checked; and the logarithm of the divisor for later ones.
const INTERVALS: u32 = 32;
const LATER: u32 = 4;

/// A barrier count in [`WHEN`]: its position, and its mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    shift: u32,
    mask: u32,
}

impl Count {
    pub(super) fn is_block(self) -> bool {
        self.shift == BLOCK.shift
    }
}

pub(super) const WARP: Count = Count { shift: 0, mask: 0x3f };
pub(super) const BLOCK: Count = Count { shift: 6, mask: 0xffc0 };

/// The registers with a thread's state, which are arguments of every check.
pub(super) const KNOWS: [&str; 5] = [WHO, WHEN, SEEN, OBSERVED, BEGUN];

/// A register that is passed to functions.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) name: String,
    /// The number of bits; 1 for a predicate.
    pub(super) bits: u32,
    /// Whether a function may change it.
    pub(super) changes: bool,
}

/// Returns all registers to pass to functions with the properties `known`.
pub(super) fn kept(options: &Options, known: Properties) -> Vec<Kept> {
    let one = |name, bits, changes| Kept { name: register(name), bits, changes };
    let mut all = vec![
        one(WHO, 32, false),
        one(BEGUN, 32, false),
        one(WHEN, 32, true),
        one(SEEN, 32, true),
        one(OBSERVED, 32, true),
    ];
    if options.prune {
        all.extend([
            one(SEED, 32, false),
            one(LIMIT, 32, false),
            one(CHOSEN, 1, false),
            one(INSIDE, 1, true),
        ]);
    }
    if known.clock {
        all.push(one(READ, 1, true));
    }
    if known.fine {
        all.extend([one(FENCED, 64, true), one(SOURCES, 32, true)]);
    }
    if known.module_meets {
        all.extend([one(MET, 64, true), one(BASE, 32, true)]);
    }
    all
}

/// Returns the declarations of all state registers.
pub(super) fn declared(options: &Options) -> String {
    let names = |names: &[&str]| names.iter().map(|name| register(name)).collect::<Vec<_>>().join(", ");
    let mut out =
        format!("\t.reg .b32 {};\n", names(&[WHO, BEGUN, WHEN, SEEN, OBSERVED, SOURCES, SPOT, BASE, KEY]));
    let _ = write!(out, "\t.reg .b64 {};\n\t.reg .pred {};\n", names(&[FENCED, MET]), names(&[READ]));
    // Offsets in the table are computed from these.
    let _ = write!(out, "\tmov.u32 {}, 0;\n\tmov.u32 {}, 0;\n", register(SPOT), register(KEY));
    if options.prune {
        let _ = write!(
            out,
            "\t.reg .b32 {};\n\t.reg .pred {};\n",
            names(&[SEED, LIMIT]),
            names(&[CHOSEN, INSIDE])
        );
    }
    out
}

/// Returns the text for the beginning of a kernel's body; `told` if the host passes a launch parameter.
pub(super) fn beginning(options: &Options, told: bool) -> String {
    let [who, when, seen, observed, begun] = [WHO, WHEN, SEEN, OBSERVED, BEGUN].map(register);
    let [read, fenced, sources] = [READ, FENCED, SOURCES].map(register);
    let (launch, scope) = (launches::parameter(), scope(options.table));
    let (mut lane, mut publish) = (String::new(), String::new());
    if told {
        lane = format!(
            "\
\tld.param.u32 %wr_r1, [{launch}];
\tld.param.u32 %wr_r2, [{launch}+{LANE}];
\tsetp.eq.u32 %wr_p0, %wr_r1, {MAGIC};
\tsetp.lt.and.u32 %wr_p1, %wr_r2, {LANES}, %wr_p0;
\tselp.u32 %wr_r0, %wr_r2, %wr_r0, %wr_p1;
\tld.param.u32 %wr_r2, [{launch}+{NUMBER}];
\tselp.u32 %wr_r3, %wr_r2, %wr_r3, %wr_p1;
"
        );
        publish = format!(
            "\t@!%wr_p1 bra $wr_again;\n\tmul.wide.u32 %wr_a4, %wr_r0, {};\n{}\tadd.u64 %wr_a4, %wr_a4, %wr_a5;\n",
            8 * LANES,
            place(options, KNOWN, "%wr_a5")
        );
        for i in 0..LANES as u32 {
            let (from, to) = (BEFORE + 4 * i, 8 * i);
            let _ = write!(
                publish,
                "\tld.param.u32 %wr_r2, [{launch}+{from}];\n\tst.relaxed.{scope}.global.v2.u32 [%wr_a4+{to}], {{%wr_r3, %wr_r2}};\n"
            );
        }
        let _ = write!(
            publish,
            "\tld.param.u32 %wr_r2, [{launch}+{OVERLAP}];\n\tmul.wide.u32 %wr_a4, %wr_r0, 4;\n{}\tadd.u64 %wr_a4, %wr_a4, %wr_a5;\n\tst.relaxed.{scope}.global.u32 [%wr_a4], %wr_r2;\n",
            place(options, BESIDE, "%wr_a5")
        );
        if options.table.is_none() {
            let at = runtime::DEVICES - BESIDE;
            let _ = write!(
                publish,
                "\tld.param.u32 %wr_r2, [{launch}+{DEVICE}];\n\tst.relaxed.{scope}.global.u32 [%wr_a4+{at}], %wr_r2;\n"
            );
        }
        let _ = writeln!(publish, "\tfence.acq_rel.{scope};");
    }
    // The first thread of the launch records the clock at which it began, also for the launches of its lane since the
    // last one that has recorded any: those run without checks, or have none.
    let begins = match told {
        true => format!(
            "\
\t@!%wr_p1 bra $wr_end;
\tmul.wide.u32 %wr_a4, %wr_r0, {row};
{begun_at}\
\tadd.u64 %wr_a4, %wr_a4, %wr_a5;
\tsub.u32 %wr_r2, %wr_r3, %wr_r1;
\tmin.u32 %wr_r2, %wr_r2, {KEPT};
\tsub.u32 %wr_r2, %wr_r3, %wr_r2;
$wr_since:
\tadd.u32 %wr_r2, %wr_r2, 1;
\tand.b32 %wr_r1, %wr_r2, {mask};
\tmul.wide.u32 %wr_a5, %wr_r1, 8;
\tadd.u64 %wr_a5, %wr_a4, %wr_a5;
\tst.relaxed.{scope}.global.v2.u32 [%wr_a5], {{{seen}, %wr_r2}};
\tsetp.ge.u32 %wr_p0, %wr_r2, %wr_r3;
\t@%wr_p0 bra $wr_end;
\tbra $wr_since;
",
            row = 8 * KEPT,
            mask = KEPT - 1,
            begun_at = place(options, runtime::BEGUN, "%wr_a5"),
        ),
        false => String::new(),
    };
    // A launch without a table checks nothing.
    let nowhere = match options.table {
        Some(_) => String::new(),
        None => format!("\tmov.u32 {seen}, {END};\n{}", header(options).replace("%wr_a0", "%wr_a2")),
    };
    format!(
        "
{declared}\
\tmov.u32 {observed}, 0;
\t{{
\t.reg .pred %wr_p<2>;
\t.reg .b32 %wr_r<4>;
\t.reg .b64 %wr_a<6>;
\tmov.u32 %wr_r0, %ctaid.z;
\tmov.u32 %wr_r1, %nctaid.y;
\tmov.u32 %wr_r2, %ctaid.y;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
\tmov.u32 %wr_r1, %nctaid.x;
\tmov.u32 %wr_r2, %ctaid.x;
\tcvt.u64.u32 %wr_a0, %wr_r2;
\tmad.wide.u32 %wr_a0, %wr_r0, %wr_r1, %wr_a0;
\tmov.u32 %wr_r0, %tid.z;
\tmov.u32 %wr_r1, %ntid.y;
\tmov.u32 %wr_r2, %tid.y;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
\tmov.u32 %wr_r1, %ntid.x;
\tmov.u32 %wr_r2, %tid.x;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
\tcvt.u32.u64 {who}, %wr_a0;
\tshl.b32 {who}, {who}, 10;
\tor.b32 {who}, {who}, %wr_r0;
\tsetp.ge.u64 %wr_p0, %wr_a0, {unseen};
\tselp.b32 {who}, -1, {who}, %wr_p0;
\tmov.u64 %wr_a1, %gridid;
\tcvt.u32.u64 %wr_r3, %wr_a1;
\tand.b32 %wr_r0, %wr_r3, {unknown_mask};
\tor.b32 %wr_r0, %wr_r0, {LANES};
{lane}\
\tshl.b32 {when}, %wr_r3, 4;
\tor.b32 {when}, {when}, %wr_r0;
\tshl.b32 {when}, {when}, 16;
{nowhere}{started}\
\tmul.wide.u32 %wr_a1, %wr_r0, 8;
\tadd.u64 %wr_a2, %wr_a2, %wr_a1;
\tld.global.u64 %wr_a3, [%wr_a2];
\tmov.b64 {{{seen}, %wr_r1}}, %wr_a3;
\tsetp.eq.u32 %wr_p0, %wr_r1, %wr_r3;
\t@%wr_p0 bra $wr_end;
{header}{publish}\
$wr_again:
\tld.relaxed.{scope}.global.u64 %wr_a3, [%wr_a2];
\tmov.b64 {{{seen}, %wr_r1}}, %wr_a3;
\tsetp.eq.u32 %wr_p0, %wr_r1, %wr_r3;
\t@%wr_p0 bra $wr_end;
\tld.relaxed.{scope}.global.u32 {seen}, [%wr_a1];
\tsetp.lt.u32 %wr_p0, {seen}, {END};
\tselp.u32 %wr_r2, 1, 0, %wr_p0;
\tadd.u32 {seen}, {seen}, %wr_r2;
\tatom.relaxed.{scope}.global.max.u32 %wr_r2, [%wr_a1], {seen};
\tmov.b64 %wr_a4, {{{seen}, %wr_r3}};
\tatom.relaxed.{scope}.global.cas.b64 %wr_a5, [%wr_a2], %wr_a3, %wr_a4;
\tsetp.eq.u64 %wr_p0, %wr_a5, %wr_a3;
\t@!%wr_p0 bra $wr_again;
{begins}\
$wr_end:
\t}}
\tmov.u32 {begun}, {seen};
\tmov.u64 {fenced}, 0;
\tmov.u32 {sources}, 0;
\tsetp.ne.u32 {read}, {who}, {who};
",
        unseen = (1 << 22) - 1,
        unknown_mask = LANES - 1,
        declared = declared(options),
        started = place(options, STARTED, "%wr_a2"),
        header = place(options, 0, "%wr_a1"),
    ) + &sample(options, told)
}

/// Returns text that chooses the memory that this launch and this block check.
fn sample(options: &Options, told: bool) -> String {
    if !options.prune {
        return String::new();
    }
    let [seed, limit, chosen, inside] = [SEED, LIMIT, CHOSEN, INSIDE].map(register);
    let choose = BLOCKS.choose(&chosen);
    // Races with other launches are found only in pieces that both check.
    let alike = match told {
        true => {
            let launch = launches::parameter();
            format!(
                "\
\tld.param.u32 %wr_r0, [{launch}];
\tld.param.u32 %wr_r1, [{launch}+{at}];
\tsetp.eq.u32 {inside}, %wr_r0, {MAGIC};
\tselp.u32 {seed}, %wr_r1, {seed}, {inside};
",
                at = launches::SEED
            )
        }
        false => String::new(),
    };
    format!(
        "\
\t{{
\t.reg .b32 %wr_r<3>;
\t.reg .b64 %wr_a<2>;
{choose}\
\tcvt.u32.u64 {seed}, %wr_a0;
{alike}\
\tmov.pred {inside}, {chosen};
\tmul.lo.u32 {seed}, {seed}, {LAUNCH};
\tmov.u32 %wr_r0, %nctaid.x;
\tmov.u32 %wr_r1, %nctaid.y;
\tmul.wide.u32 %wr_a0, %wr_r0, %wr_r1;
\tmov.u32 %wr_r0, %nctaid.z;
\tmov.u32 %wr_r1, %ntid.x;
\tmul.lo.u32 %wr_r0, %wr_r0, %wr_r1;
\tmov.u32 %wr_r1, %ntid.y;
\tmul.lo.u32 %wr_r0, %wr_r0, %wr_r1;
\tmov.u32 %wr_r1, %ntid.z;
\tmul.lo.u32 %wr_r0, %wr_r0, %wr_r1;
\tcvt.u64.u32 %wr_a1, %wr_r0;
\tmul.lo.u64 %wr_a0, %wr_a0, %wr_a1;
\tclz.b64 %wr_r0, %wr_a0;
\tsub.s32 %wr_r0, {most}, %wr_r0;
\tmax.s32 %wr_r0, %wr_r0, 0;
\tmin.s32 %wr_r0, %wr_r0, {RAREST};
\tmov.u32 %wr_r1, -1;
\tshr.u32 {limit}, %wr_r1, %wr_r0;
\t}}
",
        most = 63 - SMALL,
    )
}

/// Returns the beginning of the kernel of [`super::ranges`]: all of its threads count as one, whose sample is
/// that of a launch with a thread for each word.
pub(super) fn range_begins(options: &Options) -> String {
    let [who, limit] = [WHO, LIMIT].map(register);
    let options = Options { prune: true, ..options.clone() };
    beginning(&options, true)
        + &format!(
            "\
\tmov.u32 {who}, 0;
\tld.param.u64 %rd1, [wr_bytes];
\tshr.u64 %rd1, %rd1, 2;
\tclz.b64 %r1, %rd1;
\tsub.s32 %r1, {most}, %r1;
\tmax.s32 %r1, %r1, 0;
\tmin.s32 %r1, %r1, {RAREST};
\tmov.u32 %r2, -1;
\tshr.u32 {limit}, %r2, %r1;
",
            most = 63 - SMALL,
        )
}

/// Returns text that branches to `elsewhere` if the piece of an address is not checked. Uses `%r1` and `%p1`.
pub(super) fn range_sampled(address: &str, elsewhere: &str) -> String {
    let [seed, limit] = [SEED, LIMIT].map(register);
    format!(
        "\tcvt.u32.u64 %r1, {address};\n\tshr.u32 %r1, %r1, {PIECE};\n\tmad.lo.u32 %r1, %r1, {GOLDEN}, {seed};\n\tsetp.gt.u32 %p1, %r1, {limit};\n\t@%p1 bra {elsewhere};\n"
    )
}

/// Returns a check of an access at `%rd7`, described by `%r2`, with the check number in `%r3`.
pub(super) fn range_call(options: &Options) -> String {
    let seen = register(SEEN);
    called(
        &["%rd7", "%r2", "%r3", &register(WHO), &register(WHEN), &seen, &register(OBSERVED), &seen],
        Properties::default(),
        options,
    )
}

/// Returns a call of the check function.
pub(super) fn called(arguments: &[&str; 8], known: Properties, options: &Options) -> String {
    let mut out = String::from("\t{\n");
    let mut names = Vec::new();
    let mut arguments = arguments.map(str::to_owned);
    if known.early {
        arguments[1] = early::said(&arguments[1], &mut out);
    }
    let more = if known.module_meets { &runtime::MEETS[..] } else { &[] };
    let all = || runtime::PARAMETERS.into_iter().chain(more.iter().copied());
    for (name, ty) in all().chain(options.table.is_none().then_some(TOLD)) {
        let _ = writeln!(out, "\t.param .{ty} wr_{name};");
        names.push(format!("wr_{name}"));
    }
    let others = [MET, BASE].map(register);
    let arguments = arguments.iter().chain(&others);
    for ((name, ty), value) in all().zip(arguments) {
        let _ = writeln!(out, "\tst.param.{ty} [wr_{name}], {value};");
    }
    if options.table.is_none() {
        let (name, ty) = TOLD;
        out += "\t.reg .b64 %wr_table;\n";
        out += &place(options, 0, "%wr_table");
        let _ = writeln!(out, "\tst.param.{ty} [wr_{name}], %wr_table;");
    }
    let _ = write!(out, "\tcall {}, ({});\n\t}}\n", runtime::name(), names.join(", "));
    out
}

/// Returns text behind a wait for bulk copies of the thread.
pub(super) fn waited(guard: &Guard, done: &Wait<'_>, known: Properties, options: &Options) -> String {
    let (skip, header, noted) = (unless(guard), header(options), done.recorded("%wr_r0", known, options));
    let scope = scope(options.table);
    format!(
        "\n\t{{\n{REGISTERS}{skip}{header}\tld.relaxed.{scope}.global.u32 %wr_r0, [%wr_a0];\n{noted}$wr_end:\n\t}}\n"
    )
}

/// Returns text before a barrier that numbers time: advances the clock if the count is about to wrap.
pub(super) fn wrap(guard: &Guard, count: Count, known: Properties, options: &Options) -> String {
    let (when, skip, tick) = (register(WHEN), unless(guard), tick(options));
    let mask = count.mask;
    // Older accesses may have the same count.
    let spoken = match known.far {
        true => format!("\tadd.u32 %wr_r0, %wr_r0, 1;\n{}", spoken("%wr_r0", options)),
        false => String::new(),
    };
    format!(
        "{{\n{REGISTERS}{skip}\tand.b32 %wr_r0, {when}, {mask};\n\tsetp.ne.u32 %wr_p0, %wr_r0, {mask};\n\t@%wr_p0 bra $wr_end;\n{tick}{spoken}$wr_end:\n\t}}\n"
    )
}

/// Returns text behind such a barrier: increments the count, and reads the clock if the kernel uses it
/// (`clock`) or the count wraps.
pub(super) fn count(guard: &Guard, count: Count, known: Properties, options: &Options) -> String {
    let (when, seen, skip) = (register(WHEN), register(SEEN), unless(guard));
    let (Count { shift, mask }, header, scope) = (count, header(options), scope(options.table));
    let base = if known.meets { format!("\tmov.u32 {}, {seen};\n", register(BASE)) } else { String::new() };
    let unless = match known.clock {
        true => String::new(),
        false => "\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_end;\n".to_owned(),
    };
    let (one, others) = (1u32 << shift, !mask);
    let inside = match options.prune && shift == BLOCK.shift {
        true => interval(shift),
        false => String::new(),
    };
    format!(
        "\n{{\n{REGISTERS}{skip}\tadd.u32 %wr_r0, {when}, {one};\n\tand.b32 %wr_r0, %wr_r0, {mask};\n\tand.b32 {when}, {when}, {others};\n\tor.b32 {when}, {when}, %wr_r0;\n{inside}{unless}{header}\tld.relaxed.{scope}.global.u32 {seen}, [%wr_a0];\n{base}$wr_end:\n\t}}\n"
    )
}

/// Returns text around an operation that all lanes of a warp perform together, with an unknown division among
/// them: it acts as a barrier of the warp, combining [`wrap`] and [`count`].
pub(super) fn meeting(guard: &Guard, known: Properties, options: &Options) -> String {
    let (when, seen, skip) = (register(WHEN), register(SEEN), unless(guard));
    let (Count { shift, mask }, tick, header) = (WARP, tick(options), header(options));
    let scope = scope(options.table);
    let (one, others) = (1u32 << shift, !mask);
    let spoken = match known.far {
        true => format!("\tadd.u32 %wr_r0, %wr_r0, 1;\n{}", spoken("%wr_r0", options)),
        false => String::new(),
    };
    let base = if known.meets { format!("\tmov.u32 {}, {seen};\n", register(BASE)) } else { String::new() };
    // In kernels that use the clock it is read each time.
    let (looked, end) = if known.clock { ("$wr_look:\n", "$wr_look") } else { ("", "$wr_end") };
    format!(
        "{{\n{REGISTERS}{skip}\tadd.u32 %wr_r0, {when}, {one};\n\tand.b32 %wr_r0, %wr_r0, {mask};\n\tand.b32 {when}, {when}, {others};\n\tor.b32 {when}, {when}, %wr_r0;\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra {end};\n{tick}{spoken}{looked}{header}\tld.relaxed.{scope}.global.u32 {seen}, [%wr_a0];\n{base}$wr_end:\n\t}}\n"
    )
}

/// Returns text that sets `INSIDE` for the interval whose number, shifted, is in `%wr_r0`. Uses `%wr_r1` and
/// `%wr_p0`.
fn interval(shift: u32) -> String {
    let [seed, chosen, inside] = [SEED, CHOSEN, INSIDE].map(register);
    let (most, later) = (INTERVALS << shift, 32 - LATER);
    format!(
        "\tmad.lo.u32 %wr_r1, %wr_r0, {GOLDEN}, {seed};\n\tshr.u32 %wr_r1, %wr_r1, {later};\n\tsetp.lt.u32 %wr_p0, %wr_r0, {most};\n\tsetp.eq.or.u32 %wr_p0, %wr_r1, 0, %wr_p0;\n\tand.pred {inside}, %wr_p0, {chosen};\n"
    )
}

/// Returns text that skips accesses outside the sample. Uses `%wr_r0` and `%wr_p0`; the address is in
/// `%wr_a0`.
pub(super) fn sampled(space: MemSpace) -> String {
    let [seed, limit, inside] = [SEED, LIMIT, INSIDE].map(register);
    match space {
        MemSpace::SharedCta | MemSpace::SharedCluster => format!("\t@!{inside} bra $wr_left;\n"),
        _ => format!(
            "\tcvt.u32.u64 %wr_r0, %wr_a0;\n\tshr.u32 %wr_r0, %wr_r0, {PIECE};\n\tmad.lo.u32 %wr_r0, %wr_r0, {GOLDEN}, {seed};\n\tsetp.gt.u32 %wr_p0, %wr_r0, {limit};\n\t@%wr_p0 bra $wr_left;\n"
        ),
    }
}

/// Returns text that skips accesses in blocks of at most these extents. Uses `%wr_r0` and `%wr_p0`.
fn needed(Extents(extents): Extents) -> String {
    let mut out = String::new();
    let known = ["x", "y", "z"].iter().zip(extents).filter_map(|(axis, most)| Some((axis, most?)));
    for (n, (axis, most)) in known.enumerate() {
        let _ = writeln!(out, "\tmov.u32 %wr_r0, %ntid.{axis};");
        let _ = match n {
            0 => writeln!(out, "\tsetp.le.u32 %wr_p0, %wr_r0, {most};"),
            _ => writeln!(out, "\tsetp.le.and.u32 %wr_p0, %wr_r0, {most}, %wr_p0;"),
        };
    }
    out + "\t@%wr_p0 bra $wr_left;\n"
}

/// Returns the check of an access; blocks of at most `needless` skip it.
pub(super) fn check(
    access: &Access<'_>,
    (number, copies): (u32, bool),
    known: Properties,
    needless: Option<Extents>,
    options: &Options,
) -> String {
    let mut out = String::from("{\n\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<1>;\n\t.reg .b64 %wr_a<2>;\n");
    out += &access.group.map(unless_left_out).unwrap_or_default();
    out += &unless(&access.guard);
    if let Some(lanes) = access.rows {
        let _ = write!(
            out,
            "\tmov.u32 %wr_r0, %laneid;\n\tsetp.ge.u32 %wr_p0, %wr_r0, {lanes};\n\t@%wr_p0 bra $wr_left;\n"
        );
    }
    let (base, offset) = access.base;
    out += &base.address(offset, "%wr_a0");
    // For shared memory the choice is uniform across all lanes.
    let inside = register(INSIDE);
    let shared = matches!(access.space, MemSpace::SharedCta | MemSpace::SharedCluster);
    let inside = (options.prune && shared).then_some(inside.as_str());
    out += &access.tile.map(|tile| tile.place(inside)).unwrap_or_default();
    if options.prune && (inside.is_none() || access.tile.is_none()) {
        out += &sampled(access.space);
    }
    out += &needless.map(needed).unwrap_or_default();
    let space = match access.space {
        MemSpace::Generic => runtime::GENERIC,
        MemSpace::SharedCta | MemSpace::SharedCluster => runtime::SHARED,
        _ => runtime::GLOBAL,
    };
    let scope = match access.strong {
        None | Some(Scope::Cta) => 0,
        // Cluster membership of blocks is unknown here; all blocks count as one cluster.
        Some(Scope::Cluster | Scope::Gpu | Scope::Sys) => 1,
    };
    let what = access.bytes
        | u32::from(access.writes) << runtime::WRITES
        | u32::from(access.strong.is_some()) << runtime::STRONG
        | scope << runtime::WIDE
        | u32::from(access.fetches) << runtime::FETCH
        | u32::from(known.clock) << runtime::CLOCK
        | u32::from(known.far) << runtime::FAR
        | u32::from(known.fine) << runtime::FINE
        | u32::from(access.strong.is_some() && access.elements == Elements::Long) << runtime::LONG
        | u32::from(access.strong.is_some() && access.elements == Elements::Parts) << runtime::DIVIDED
        | space << runtime::SPACE;
    let copy = copies && access.copy;
    let said = match copy {
        true => "%wr_w".to_owned(),
        false => what.to_string(),
    };
    if copy {
        out += &copies::started(what);
    }
    let [who, when, seen, observed, begun] = KNOWS.map(register);
    out += &called(
        &["%wr_a0", &said, &number.to_string(), &who, &when, &seen, &observed, &begun],
        known,
        options,
    );
    if copy {
        out += &copies::remembered(what & !(1 << runtime::FINE), number);
    }
    out += "$wr_left:\n";
    if access.observes {
        let observed = register(OBSERVED);
        out += &match access.bytes {
            0..=4 => {
                let turned = match access.space {
                    MemSpace::Generic if known.clusters => runtime::turned_by_rank("%wr_r0", true),
                    MemSpace::SharedCta | MemSpace::SharedCluster if known.clusters => {
                        runtime::turned_by_rank("%wr_r0", false)
                    }
                    _ => String::new(),
                };
                let bit = runtime::bit("%wr_a0", "%wr_r0");
                format!("{bit}{turned}\tor.b32 {observed}, {observed}, %wr_r0;\n")
            }
            _ => format!("\tmov.u32 {observed}, -1;\n"),
        };
    }
    if access.rows.is_some() || access.tile.is_some() {
        // The access behind the check is one of all lanes. The barrier is not counted, which keeps it out of
        // the threads' order.
        out += "\tbar.warp.sync -1;\n";
    }
    out += "$wr_end:\n\t}\n";
    out
}
