//! The texts that keep the records of registers and compare accesses with them.
//!
//! A record has 64 bits, 0 for none. Its upper half has the number of the check of the register's last access, plus 1, and
//! properties of that access ([`report`](super::report)); its lower half has the number of the product's group, or, of a
//! record for fences, the number of fences before the access.

use super::super::register;
use super::super::thread::{WHO, unless};
use super::flow::left;
use super::report::{self, FACTOR_AT, PARAMETERS, PRODUCT_AT, SHAPE_AT, WRITES_AT};
use super::touches::{Touch, Unit};
use crate::collide::KINDS;
use crate::collide::access::guard as guard_of;
use crate::sink::register as pair;
use ptx::flat::FlatInstruction;
use ptx::op::Op;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counters: the groups that the thread has committed, those that it has waited for, and its fences.
const GROUPS: &str = "groups";
const WAITED: &str = "waited";
const FENCES: &str = "fences";

/// Returns the name of a record's register.
fn record(rule: &str, number: usize) -> String {
    register(&format!("{rule}_{number}"))
}

fn wait(number: usize) -> String {
    record("product", number)
}

fn fence(number: usize) -> String {
    record("last", number)
}

/// Returns the text for the beginning of a kernel with so many records for waits and for fences.
pub(super) fn beginning(waits: usize, fences: usize) -> String {
    let mut out = String::from("\n");
    for counter in [GROUPS, WAITED, FENCES].map(register) {
        let _ = writeln!(out, "\t.reg .b32 {counter};\n\tmov.u32 {counter}, 0;");
    }
    for name in (0..waits).map(wait).chain((0..fences).map(fence)) {
        let _ = writeln!(out, "\t.reg .b64 {name};\n\tmov.u64 {name}, 0;");
    }
    out
}

/// Returns the text behind an instruction that commits or waits for groups, or is a fence; `None` for others.
pub(super) fn counted(inst: &FlatInstruction<'_>) -> Option<String> {
    let [groups, waited, fences] = [GROUPS, WAITED, FENCES].map(register);
    let body = match inst.op {
        Ok(Op::WgmmaCommit) => format!("\tadd.u32 {groups}, {groups}, 1;\n"),
        Ok(Op::WgmmaFence) => format!("\tadd.u32 {fences}, {fences}, 1;\n"),
        Ok(Op::WgmmaWait) => {
            let left = left(inst)?;
            format!("\tsub.u32 %wr_r0, {groups}, {left};\n\tmax.s32 {waited}, {waited}, %wr_r0;\n")
        }
        _ => return None,
    };
    let skip = unless(&guard_of(inst));
    Some(format!("\n\t{{\n\t.reg .b32 %wr_r<1>;\n{skip}{body}$wr_end:\n\t}}\n"))
}

/// The text before one instruction, under construction.
pub(super) struct Emitter<'r> {
    waits: &'r BTreeMap<Unit, usize>,
    fences: &'r BTreeMap<Unit, usize>,
    /// The number of the first check, and the checks so far: whether each is of a write.
    number: u32,
    checks: Vec<bool>,
    /// The number of the product's shape.
    shape: u32,
    /// Whether a predicate collects if anything was reported.
    collects: bool,
    /// The number of labels so far.
    labels: u32,
    text: String,
}

/// Properties of an access.
#[derive(Clone, Copy)]
struct Own {
    writes: bool,
    product: bool,
}

impl<'r> Emitter<'r> {
    /// `collects` if [`Emitter::first`] follows.
    pub(super) fn new(
        waits: &'r BTreeMap<Unit, usize>,
        fences: &'r BTreeMap<Unit, usize>,
        (number, shape): (u32, u32),
        collects: bool,
    ) -> Emitter<'r> {
        let (checks, text) = (Vec::new(), String::new());
        Emitter { waits, fences, number, checks, shape, collects, labels: 0, text }
    }

    /// Adds the check and the record of an access.
    pub(super) fn touch(&mut self, touch: &Touch) {
        let unit = touch.unit();
        let waits = self.waits.get(&unit).copied().map(wait);
        let fences = self.fences.get(&unit).copied().map(fence);
        let who = register(WHO);
        let _ = writeln!(self.text, "\tsetp.ne.u32 %wr_p1, {who}, {who};");
        if let Some(record) = &waits {
            self.unwaited(touch, record);
        }
        if let Some(record) = &fences {
            self.unfenced(touch, record);
        }
    }

    /// Returns the text and its checks.
    pub(super) fn finish(self, inst: &FlatInstruction<'_>) -> (String, Vec<bool>) {
        let (skip, who) = (unless(&guard_of(inst)), register(WHO));
        let text = format!(
            "{{\n\t.reg .pred %wr_p<3>;\n\t.reg .b32 %wr_r<3>;\n\t.reg .b64 %wr_a<1>;\n{skip}\tsetp.ne.u32 %wr_p2, {who}, {who};\n{}$wr_end:\n\t}}\n",
            self.text
        );
        (text, self.checks)
    }

    /// Returns the number of the check of reads or of writes.
    fn check(&mut self, writes: bool) -> u32 {
        let at = self.checks.iter().position(|&of_writes| of_writes == writes).unwrap_or(self.checks.len());
        if at == self.checks.len() {
            self.checks.push(writes);
        }
        self.number + at as u32
    }

    /// Adds text that sets `%wr_p0` to whether the product of a record is unfinished, and `%wr_r1` to the record's upper half.
    fn pending(&mut self, record: &str) {
        let waited = register(WAITED);
        let _ = write!(
            self.text,
            "\tmov.b64 {{%wr_r0, %wr_r1}}, {record};\n\tsetp.ge.u32 %wr_p0, %wr_r0, {waited};\n\tsetp.ne.and.u32 %wr_p0, %wr_r1, 0, %wr_p0;\n"
        );
    }

    /// Adds text that sets `%wr_p0` to whether no fence is behind a record's access, and `%wr_r1` to the record's upper half.
    fn behind_no_fence(&mut self, record: &str) {
        let fences = register(FENCES);
        let _ = write!(
            self.text,
            "\tmov.b64 {{%wr_r0, %wr_r1}}, {record};\n\tsetp.eq.u32 %wr_p0, %wr_r0, {fences};\n\tsetp.ne.and.u32 %wr_p0, %wr_r1, 0, %wr_p0;\n"
        );
    }

    /// Adds a report if `%wr_p0`, of the access in `%wr_r1` and the properties in `%wr_r2`.
    fn told(&mut self, own: Own, kind: u32) {
        let record = self.check(own.writes) * KINDS + kind;
        let (label, who) = (self.labels, register(WHO));
        self.labels += 1;
        if self.collects {
            self.text += "\tor.pred %wr_p2, %wr_p2, %wr_p0;\n";
        }
        let name = report::name();
        let _ = write!(self.text, "\t@!%wr_p0 bra $wr_quiet{label};\n\t{{\n");
        for (parameter, ty) in PARAMETERS {
            let _ = writeln!(self.text, "\t.param .{ty} wr_{parameter};");
        }
        let values = [record.to_string(), "%wr_r1".into(), "%wr_r2".into(), who];
        for ((parameter, ty), value) in PARAMETERS.iter().zip(values) {
            let _ = writeln!(self.text, "\tst.param.{ty} [wr_{parameter}], {value};");
        }
        let names = PARAMETERS.map(|(parameter, _)| format!("wr_{parameter}")).join(", ");
        let _ = write!(self.text, "\tcall {name}, ({names});\n\t}}\n$wr_quiet{label}:\n");
    }

    /// Adds the check for products without a wait, and the new record.
    fn unwaited(&mut self, touch: &Touch, record: &str) {
        let (own, factor) = match touch {
            Touch::Read(_) => (Own { writes: false, product: false }, Some(false)),
            Touch::Write(_) | Touch::Copy { .. } => (Own { writes: true, product: false }, None),
            Touch::Factor(_) => (Own { writes: false, product: true }, Some(false)),
            Touch::Sum(_) => (Own { writes: true, product: true }, Some(true)),
            Touch::Forget(_) => {
                let _ = writeln!(self.text, "\tmov.u64 {record}, 0;");
                return;
            }
        };
        let renamed = matches!(touch, Touch::Copy { to, from } if from.contains(to));
        if !renamed {
            self.pending(record);
            let _ = writeln!(self.text, "\tshr.u32 %wr_r2, %wr_r1, {FACTOR_AT};");
            if let Some(factor) = factor {
                let of = u32::from(factor);
                let _ = writeln!(self.text, "\tsetp.eq.and.u32 %wr_p0, %wr_r2, {of}, %wr_p0;");
            }
            let (accumulates, how) =
                (pair::ACCUMULATOR | pair::WRITES, properties(own) | pair::UNWAITED | pair::PRODUCT);
            let _ = write!(
                self.text,
                "\txor.b32 %wr_r2, %wr_r2, 1;\n\tmad.lo.u32 %wr_r2, %wr_r2, {accumulates}, {how};\n\tmov.pred %wr_p1, %wr_p0;\n"
            );
            self.told(own, 0);
        }
        match touch {
            Touch::Write(_) => {
                let _ = writeln!(self.text, "\tmov.u64 {record}, 0;");
            }
            Touch::Copy { from, .. } => self.renamed(record, from),
            Touch::Factor(_) => self.product(record, false),
            Touch::Sum(_) => self.product(record, true),
            Touch::Read(_) | Touch::Forget(_) => {}
        }
    }

    /// Adds text that records a product.
    fn product(&mut self, record: &str, accumulates: bool) {
        let access = (self.check(accumulates) + 1) | u32::from(!accumulates) << FACTOR_AT;
        let groups = register(GROUPS);
        let _ = write!(self.text, "\tmov.u32 %wr_r1, {access};\n\tmov.b64 {record}, {{{groups}, %wr_r1}};\n");
    }

    /// Adds text that gives a register the record of an unfinished product in one of the registers that it is copied from.
    fn renamed(&mut self, record: &str, from: &[Unit]) {
        let waits = self.waits;
        self.text += "\tmov.u64 %wr_a0, 0;\n";
        for number in from.iter().filter_map(|unit| waits.get(unit)) {
            let one = wait(*number);
            self.pending(&one);
            let _ = writeln!(self.text, "\tselp.b64 %wr_a0, {one}, %wr_a0, %wr_p0;");
        }
        let _ = writeln!(self.text, "\tmov.u64 {record}, %wr_a0;");
    }

    /// Adds the check for products without a fence, unless `%wr_p1`, and the new record.
    fn unfenced(&mut self, touch: &Touch, record: &str) {
        match touch {
            Touch::Read(_) => {
                // A read hides no write that needs a fence before the next product.
                self.behind_no_fence(record);
                let _ = write!(
                    self.text,
                    "\tbfe.u32 %wr_r2, %wr_r1, {PRODUCT_AT}, 2;\n\tsetp.eq.and.u32 %wr_p0, %wr_r2, {}, %wr_p0;\n\tmov.u64 %wr_a0, {record};\n",
                    1 << (WRITES_AT - PRODUCT_AT)
                );
                self.last(record, Own { writes: false, product: false }, 0);
                let _ = writeln!(self.text, "\tselp.b64 {record}, %wr_a0, {record}, %wr_p0;");
            }
            Touch::Write(_) => self.last(record, Own { writes: true, product: false }, 0),
            Touch::Copy { from, .. } => {
                let fences = self.fences;
                self.text += "\tmov.u64 %wr_a0, 0;\n";
                for number in from.iter().filter_map(|unit| fences.get(unit)) {
                    let one = fence(*number);
                    self.behind_no_fence(&one);
                    let _ = writeln!(self.text, "\tselp.b64 %wr_a0, {one}, %wr_a0, %wr_p0;");
                }
                let _ = writeln!(self.text, "\tmov.u64 {record}, %wr_a0;");
            }
            Touch::Factor(_) => {
                self.behind_no_fence(record);
                let _ = write!(
                    self.text,
                    "\tbfe.u32 %wr_r2, %wr_r1, {WRITES_AT}, 1;\n\tsetp.eq.and.u32 %wr_p0, %wr_r2, 1, %wr_p0;\n"
                );
                let own = Own { writes: false, product: true };
                self.before_product(own);
                self.last(record, own, 0);
            }
            Touch::Sum(_) => {
                let shape = self.shape + 1;
                self.behind_no_fence(record);
                let _ = write!(
                    self.text,
                    "\tshr.u32 %wr_r2, %wr_r1, {SHAPE_AT};\n\tsetp.ne.and.u32 %wr_p0, %wr_r2, {shape}, %wr_p0;\n"
                );
                let own = Own { writes: true, product: true };
                self.before_product(own);
                self.last(record, own, shape);
            }
            Touch::Forget(_) => {
                let _ = writeln!(self.text, "\tmov.u64 {record}, 0;");
            }
        }
    }

    /// Adds the report of a product behind the access in `%wr_r1` if `%wr_p0` and not `%wr_p1`.
    fn before_product(&mut self, own: Own) {
        let how = properties(own) | (u32::from(own.writes) * pair::ACCUMULATOR);
        let up = pair::PRODUCT.trailing_zeros();
        let _ = write!(
            self.text,
            "\tnot.pred %wr_p1, %wr_p1;\n\tand.pred %wr_p0, %wr_p0, %wr_p1;\n\tbfe.u32 %wr_r2, %wr_r1, {PRODUCT_AT}, 2;\n\tshl.b32 %wr_r2, %wr_r2, {up};\n\tor.b32 %wr_r2, %wr_r2, {how};\n"
        );
        self.told(own, 1);
    }

    /// Adds text that records an access for the next fence.
    fn last(&mut self, record: &str, own: Own, shape: u32) {
        let access = (self.check(own.writes) + 1)
            | u32::from(own.product) << PRODUCT_AT
            | u32::from(own.writes) << WRITES_AT
            | shape << SHAPE_AT;
        let fences = register(FENCES);
        let _ = write!(self.text, "\tmov.u32 %wr_r1, {access};\n\tmov.b64 {record}, {{{fences}, %wr_r1}};\n");
    }

    /// Adds the report of a product before any fence, if nothing else was reported.
    pub(super) fn first(&mut self) {
        let own = Own { writes: true, product: true };
        let (check, fences) = (self.check(true) + 1, register(FENCES));
        let how = properties(own) | pair::ACCUMULATOR | pair::WRITES | pair::ALONE;
        let _ = write!(
            self.text,
            "\tnot.pred %wr_p2, %wr_p2;\n\tsetp.eq.and.u32 %wr_p0, {fences}, 0, %wr_p2;\n\tmov.u32 %wr_r1, {check};\n\tmov.u32 %wr_r2, {how};\n"
        );
        self.told(own, 1);
    }
}

/// Returns the properties of the later one of two accesses.
fn properties(own: Own) -> u32 {
    (u32::from(own.product) * pair::LATER_PRODUCT) | (u32::from(own.writes) * pair::LATER_WRITES)
}
