//! The text of a check, around the access that it checks.
//!
//! The text and the access are in one scope, so that its names cannot collide with those of the program.

use super::access::{Access, Element};
use super::report;
use super::{KINDS, Kind, Options, Pace};
use crate::PREFIX;
use crate::prune::Extents;
use crate::sample::GOLDEN;
use ptx::op::MemSpace;
use std::fmt::Write;

/// Returns the name of a pacing register: the number of accesses to skip until the next check, or the number
/// of checks so far.
fn register(name: &str) -> String {
    format!("%{PREFIX}{name}")
}
const LEFT: &str = "left";
const DONE: &str = "done";

/// Returns the text for the beginning of a function's body.
pub(super) fn beginning(options: &Options) -> String {
    let Some(pace) = options.pace else { return String::new() };
    let [left, done] = [LEFT, DONE].map(register);
    let declared = format!("\n\t.reg .b32 {left}, {done};\n\tmov.u32 {left}, 0;\n\tmov.u32 {done}, 0;\n");
    if !pace.thrifty {
        return declared;
    }
    // The warp's number in the block, and that of the checking warp, which differs between blocks and
    // launches.
    declared
        + &format!(
            "\
\t{{
\t.reg .pred %wr_p;
\t.reg .b32 %wr_r<4>;
\t.reg .b64 %wr_a;
\tmov.u32 %wr_r0, %tid.z;
\tmov.u32 %wr_r1, %ntid.y;
\tmov.u32 %wr_r2, %tid.y;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
\tmov.u32 %wr_r2, %ntid.x;
\tmov.u32 %wr_r3, %tid.x;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r2, %wr_r3;
\tshr.u32 %wr_r0, %wr_r0, 5;
\tmul.lo.u32 %wr_r1, %wr_r1, %wr_r2;
\tmov.u32 %wr_r2, %ntid.z;
\tmul.lo.u32 %wr_r1, %wr_r1, %wr_r2;
\tadd.u32 %wr_r1, %wr_r1, 31;
\tshr.u32 %wr_r1, %wr_r1, 5;
\tmov.u64 %wr_a, %gridid;
\tcvt.u32.u64 %wr_r2, %wr_a;
\tmov.u32 %wr_r3, %ctaid.x;
\tadd.u32 %wr_r2, %wr_r2, %wr_r3;
\tmul.lo.u32 %wr_r2, %wr_r2, {GOLDEN};
\tmul.hi.u32 %wr_r2, %wr_r2, %wr_r1;
\tsetp.ne.u32 %wr_p, %wr_r2, %wr_r0;
\tselp.u32 {left}, 2147483647, 0, %wr_p;
\t}}
"
        )
}

/// Returns text before a repeatable access: sets the predicate `skip` to whether this execution is skipped.
pub(super) fn whether(skip: &str) -> String {
    let left = register(LEFT);
    format!("\tsub.s32 {left}, {left}, 1;\n\tsetp.ge.s32 {skip}, {left}, 0;\n")
}

/// Returns text behind a check of a repeatable access: draws the distance to the next check; uses `%wr_r4`
/// and `%wr_r5`.
pub(super) fn until_next(pace: Pace) -> String {
    let [left, done] = [LEFT, DONE].map(register);
    let longest = match pace.thrifty {
        true => "\tmin.s32 %wr_r5, %wr_r5, 24;\n\tshl.b32 %wr_r5, 2, %wr_r5;\n\tsub.u32 %wr_r5, %wr_r5, 2;\n",
        false => "\tshr.u32 %wr_r5, %wr_r5, 1;\n",
    };
    let eager = pace.eager;
    format!(
        "\
\tadd.s32 {done}, {done}, 1;
\tsub.s32 %wr_r5, {done}, {eager};
\tmax.s32 %wr_r5, %wr_r5, 0;
{longest}\
\tmov.u32 %wr_r4, %clock;
\tmul.lo.u32 %wr_r4, %wr_r4, {GOLDEN};
\tmul.hi.u32 {left}, %wr_r4, %wr_r5;
"
    )
}

/// Returns the text before and behind the access. A thread may execute the access more than once if it is
/// `repeated`. Blocks with extents of at most `needless` skip the check.
pub(super) fn check(
    access: &Access<'_>,
    site: u32,
    options: &Options,
    repeated: bool,
    needless: Option<Extents>,
) -> (String, String) {
    let pace = options.pace.filter(|_| repeated);
    let mut check = Check { access, site, options, pace, needless, text: String::new() };
    check.open();
    if access.writes() {
        check.within_warp();
    }
    let before = std::mem::take(&mut check.text);
    check.text.push('\n');
    check.whole();
    (before, check.text)
}

struct Check<'a, 't> {
    access: &'a Access<'t>,
    site: u32,
    options: &'a Options,
    /// The rate at which checks become rarer.
    pace: Option<Pace>,
    needless: Option<Extents>,
    text: String,
}

impl Check<'_, '_> {
    fn line(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.text, "\t{line}");
    }

    fn size(&self) -> u32 {
        self.access.ty.bytes()
    }

    /// Emits declarations, the address, and the predicate `%wr_skip`: whether this execution is skipped.
    fn open(&mut self) {
        self.line("{");
        self.line(".reg .pred %wr_p<3>, %wr_skip;");
        self.line(".reg .b16 %wr_h;");
        self.line(".reg .b32 %wr_r<6>, %wr_v<4>, %wr_n<4>;");
        self.line(".reg .b64 %wr_a<2>, %wr_w<4>, %wr_m<4>, %wr_e, %wr_f;");
        if let Some((register, negated)) = &self.access.guard {
            let opposite = if *negated { "" } else { "!" };
            self.line(format_args!("@{opposite}{register} bra $wr_end;"));
        }
        let offset = self.access.offset;
        self.text += &self.access.base.address(offset, "%wr_a0");
        let mut reasons = 0;
        if self.pace.is_some() {
            self.text += &whether("%wr_skip");
            reasons += 1;
        }
        if self.access.space == MemSpace::Generic {
            // Local memory is private to the thread.
            self.line("isspacep.local %wr_p0, %wr_a0;");
            self.or_skip(&mut reasons);
        }
        if let Some(Extents(extents)) = self.needless {
            let mut tests = 0;
            for (axis, most) in ["x", "y", "z"].iter().zip(extents) {
                let Some(most) = most else { continue };
                self.line(format_args!("mov.u32 %wr_r0, %ntid.{axis};"));
                match tests {
                    0 => self.line(format_args!("setp.le.u32 %wr_p0, %wr_r0, {most};")),
                    _ => self.line(format_args!("setp.le.and.u32 %wr_p0, %wr_r0, {most}, %wr_p0;")),
                }
                tests += 1;
            }
            self.or_skip(&mut reasons);
        }
    }

    /// Adds `%wr_p0` to the reasons for skipping the check.
    fn or_skip(&mut self, reasons: &mut u32) {
        match *reasons {
            0 => self.line("mov.pred %wr_skip, %wr_p0;"),
            _ => self.line("or.pred %wr_skip, %wr_skip, %wr_p0;"),
        }
        *reasons += 1;
    }

    fn may_skip(&self) -> bool {
        self.pace.is_some() || self.access.space == MemSpace::Generic || self.needless.is_some()
    }

    fn skip(&mut self, label: &str) {
        if self.may_skip() {
            self.line(format_args!("@%wr_skip bra {label};"));
        }
    }

    /// Emits the check whether several lanes of this instruction write to one location.
    fn within_warp(&mut self) {
        self.skip("$wr_access");
        // Each lane names the lanes active with it: if they diverge, all still reach the exchange.
        self.line("activemask.b32 %wr_r1;");
        // Addresses that increase from lane to lane are all distinct.
        self.line("cvt.u32.u64 %wr_r0, %wr_a0;");
        self.line("mov.u32 %wr_r2, %lanemask_lt;");
        self.line("and.b32 %wr_r2, %wr_r2, %wr_r1;");
        self.line("bfind.u32 %wr_r3, %wr_r2;");
        self.line("setp.eq.u32 %wr_p0, %wr_r2, 0;");
        self.line("mov.u32 %wr_r4, %laneid;");
        self.line("selp.b32 %wr_r3, %wr_r4, %wr_r3, %wr_p0;");
        self.line("shfl.sync.idx.b32 %wr_r4, %wr_r0, %wr_r3, 31, %wr_r1;");
        self.line("setp.gt.or.u32 %wr_p0, %wr_r0, %wr_r4, %wr_p0;");
        self.line("vote.sync.all.pred %wr_p1, %wr_p0, %wr_r1;");
        self.line("@%wr_p1 bra $wr_access;");
        self.line("match.any.sync.b64 %wr_r2, %wr_a0, %wr_r1;");
        if self.options.equal_values {
            self.line("popc.b32 %wr_r3, %wr_r2;");
            self.line("setp.gt.u32 %wr_p0, %wr_r3, 1;");
        } else {
            self.line("mov.u32 %wr_r3, %wr_r2;");
            for (i, element) in self.access.elements.iter().enumerate() {
                let Some(element) = element else { continue };
                let value = self.value(i, element);
                let bits = if self.size() == 8 { 64 } else { 32 };
                self.line(format_args!("match.any.sync.b{bits} %wr_r4, {value}, %wr_r1;"));
                self.line("and.b32 %wr_r3, %wr_r3, %wr_r4;");
            }
            // The lanes with this address and another value.
            self.line("setp.ne.u32 %wr_p0, %wr_r3, %wr_r2;");
        }
        self.line("@!%wr_p0 bra $wr_access;");
        // The lanes at this address, for the report.
        self.line("cvt.u64.u32 %wr_e, %wr_r2;");
        self.line("mov.u64 %wr_f, 0;");
        self.report(Kind::LostUpdateInWarp);
        let _ = writeln!(self.text, "$wr_access:");
    }

    /// Emits the delay, the second read and the comparison, and ends the scope.
    fn whole(&mut self) {
        self.skip("$wr_end");
        if let Some(pace) = self.pace {
            self.text += &until_next(pace);
        }
        let (delay, kind) = match self.access.writes() {
            true => (self.options.write_delay, Kind::LostUpdate),
            false => (self.options.read_delay, Kind::ClobberedRead),
        };
        for line in self::delay(delay) {
            self.line(line);
        }
        self.again();
        let mut compared = false;
        for (i, element) in self.access.elements.iter().enumerate() {
            let Some(element) = element else { continue };
            let value = self.value(i, element);
            let (bits, again) = if self.size() == 8 { (64, "m") } else { (32, "n") };
            match compared {
                false => self.line(format_args!("setp.ne.b{bits} %wr_p1, {value}, %wr_{again}{i};")),
                true => {
                    self.line(format_args!("setp.ne.or.b{bits} %wr_p1, {value}, %wr_{again}{i}, %wr_p1;"))
                }
            }
            compared = true;
        }
        if compared {
            self.line("@!%wr_p1 bra $wr_end;");
            self.first_changed();
            self.report(kind);
        }
        let _ = writeln!(self.text, "$wr_end:");
        self.line("}");
    }

    /// Emits the selection of the first changed element: its address, its old value and its new one.
    fn first_changed(&mut self) {
        let wide = self.size() == 8;
        let present = self.access.elements.iter().enumerate().filter(|(_, e)| e.is_some());
        let indices: Vec<usize> = present.map(|(i, _)| i).collect();
        let (&first, rest) = indices.split_first().unwrap_or((&0, &[]));
        if rest.is_empty() {
            self.take(first, wide);
            if first > 0 {
                let offset = first as u32 * self.size();
                self.line(format_args!("add.s64 %wr_a0, %wr_a0, {offset};"));
            }
            return;
        }
        for &i in &indices {
            let (bits, was, is) = if wide { (64, "w", "m") } else { (32, "v", "n") };
            self.line(format_args!("setp.eq.b{bits} %wr_p1, %wr_{was}{i}, %wr_{is}{i};"));
            self.line(format_args!("@%wr_p1 bra $wr_same{i};"));
            self.take(i, wide);
            let offset = i as u32 * self.size();
            self.line(format_args!("add.s64 %wr_a0, %wr_a0, {offset};"));
            self.line("bra $wr_report;");
            let _ = writeln!(self.text, "$wr_same{i}:");
        }
        let _ = writeln!(self.text, "$wr_report:");
    }

    /// Emits the values of one element, for the report.
    fn take(&mut self, i: usize, wide: bool) {
        if wide {
            self.line(format_args!("mov.b64 %wr_e, %wr_w{i};"));
            self.line(format_args!("mov.b64 %wr_f, %wr_m{i};"));
        } else {
            self.line(format_args!("cvt.u64.u32 %wr_e, %wr_v{i};"));
            self.line(format_args!("cvt.u64.u32 %wr_f, %wr_n{i};"));
        }
    }

    /// Emits a strong read of the present value: to `%wr_n` or, for 8 bytes, `%wr_m`.
    fn again(&mut self) {
        let (ty, register) = match self.size() {
            1 => ("u8", "n"),
            2 => ("u16", "n"),
            4 => ("b32", "n"),
            _ => ("b64", "m"),
        };
        let space = &self.access.space_text;
        let n = self.access.elements.len();
        if n == 1 {
            self.line(format_args!("ld.relaxed.sys{space}.{ty} %wr_{register}0, [%wr_a0];"));
            return;
        }
        let list: Vec<String> = (0..n).map(|i| format!("%wr_{register}{i}")).collect();
        self.line(format_args!("ld.relaxed.sys{space}.v{n}.{ty} {{{}}}, [%wr_a0];", list.join(", ")));
    }

    /// Emits the conversion of an element to its bytes in memory; returns the register.
    fn value(&mut self, i: usize, element: &Element<'_>) -> String {
        let text = element.text;
        if self.size() == 8 {
            self.line(format_args!("mov.b64 %wr_w{i}, {text};"));
            return format!("%wr_w{i}");
        }
        match element.bits {
            Some(64) => self.line(format_args!("cvt.u32.u64 %wr_v{i}, {text};")),
            Some(16) => {
                self.line(format_args!("mov.b16 %wr_h, {text};"));
                self.line(format_args!("cvt.u32.u16 %wr_v{i}, %wr_h;"));
            }
            _ => self.line(format_args!("mov.b32 %wr_v{i}, {text};")),
        }
        if self.size() < 4 {
            let mask = (1 << (8 * self.size())) - 1;
            self.line(format_args!("and.b32 %wr_v{i}, %wr_v{i}, {mask};"));
        }
        format!("%wr_v{i}")
    }

    fn report(&mut self, kind: Kind) {
        let record = self.site * KINDS + kind.index();
        self.line(call(record, "%wr_a0", report::space(self.access.space)));
    }
}

/// Returns a sleep of up to `longest` nanoseconds, drawn once for converged lanes; uses `%wr_r5`.
pub(super) fn delay(longest: u32) -> Vec<String> {
    match longest {
        0 => Vec::new(),
        1 => vec!["nanosleep.u32 1;".into()],
        _ => vec![
            "mov.u32 %wr_r5, %clock;".into(),
            "mul.lo.u32 %wr_r5, %wr_r5, -1640531535;".into(),
            format!("mul.hi.u32 %wr_r5, %wr_r5, {longest};"),
            "nanosleep.u32 %wr_r5;".into(),
        ],
    }
}

/// Returns a call of the report function; the values are in `%wr_e` and `%wr_f`.
pub(super) fn call(record: u32, address: &str, space: u32) -> String {
    call_in(&record.to_string(), address, space)
}

/// Returns a call of the report function; the record's number may be in a register.
pub(super) fn call_in(record: &str, address: &str, space: u32) -> String {
    let space = space.to_string();
    let values = [record, address, "%wr_e", "%wr_f", &space];
    let mut out = String::from("{\n");
    for (name, ty) in report::PARAMETERS {
        let _ = writeln!(out, "\t.param .{ty} wr_{name};");
    }
    for ((name, ty), value) in report::PARAMETERS.iter().zip(values) {
        let _ = writeln!(out, "\tst.param.{ty} [wr_{name}], {value};");
    }
    let names: Vec<String> = report::PARAMETERS.iter().map(|(name, _)| format!("wr_{name}")).collect();
    let _ = write!(out, "\tcall {}, ({});\n\t}}", report::name(), names.join(", "));
    out
}
