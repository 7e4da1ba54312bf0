//! Bulk copies: their source is read twice before the copy.
//!
//! Source: SuperCollider §3.4, which copies twice and compares checksums of the destination; it has no check
//! of copies from global to shared memory, which would need an additional barrier. Here the thread that
//! starts a copy in either direction first reads some of its source, waits, and reads again: a thread that
//! writes there meanwhile races with the copy, too, because this thread has not synchronised in between. The
//! report therefore has values, and the program makes no additional copies. Premature accesses to the
//! destination are detected by the checks of the accessing threads.

use super::access::{Text, address, guard};
use super::emit::{call, delay, until_next, whether};
use super::{KINDS, Options, Unchecked, report};
use crate::sample::GOLDEN;
use ptx::ast::Operand;
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::{MemSpace, Op};
use std::fmt::Write;

/// The number of 16-byte places that are read, evenly spaced over the source and shifted by a random
/// distance.
const PLACES: usize = 4;

/// A bulk copy or reduction.
pub(super) struct Bulk<'t> {
    from: (Text<'t>, i64),
    space: MemSpace,
    /// The size: a register or a number.
    bytes: &'t str,
    guard: Option<(String, bool)>,
}

impl<'t> Bulk<'t> {
    /// Returns the copy of an instruction; `None` for other instructions.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
    ) -> Result<Option<Bulk<'t>>, Unchecked> {
        let Ok(Op::CpAsyncBulk { src, .. } | Op::CpReduceAsyncBulk { src, .. }) = inst.op else {
            return Ok(None);
        };
        let span = match inst.source.operands.get(2) {
            Some(Operand::Name(name)) => name.span,
            Some(Operand::Int(_, span)) => *span,
            _ => return Err(Unchecked::Asynchronous),
        };
        let bytes = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        Ok(Some(Bulk { from: address(flat, inst, text, 1)?, space: src, bytes, guard: guard(inst) }))
    }

    /// Returns the text to insert before the instruction.
    pub(super) fn check(&self, number: u32, options: &Options, repeated: bool) -> String {
        let space = if self.space == MemSpace::Global { "global" } else { "shared" };
        let mut out = String::from("{\n");
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "\t{text}");
        };
        line(format_args!(".reg .pred %wr_p<1>;"));
        line(format_args!(".reg .b32 %wr_r<6>;"));
        line(format_args!(
            ".reg .b64 %wr_a<2>, %wr_at<{PLACES}>, %wr_w<{0}>, %wr_m<{0}>, %wr_e, %wr_f;",
            2 * PLACES
        ));
        if let Some((register, negated)) = &self.guard {
            let opposite = if *negated { "" } else { "!" };
            line(format_args!("@{opposite}{register} bra $wr_end;"));
        }
        // Sizes are multiples of 16; a size of zero is skipped.
        line(format_args!("mov.u32 %wr_r0, {};", self.bytes));
        line(format_args!("shr.u32 %wr_r0, %wr_r0, 4;"));
        line(format_args!("setp.eq.u32 %wr_p0, %wr_r0, 0;"));
        line(format_args!("@%wr_p0 bra $wr_end;"));
        if let Some(pace) = options.pace.filter(|_| repeated) {
            line(format_args!("{}\t@%wr_p0 bra $wr_end;\n{}", whether("%wr_p0"), until_next(pace)));
        }
        line(format_args!("{}", self.from.0.address(self.from.1, "%wr_a0").trim()));
        line(format_args!("mov.u32 %wr_r1, %clock;"));
        line(format_args!("mul.lo.u32 %wr_r1, %wr_r1, {GOLDEN};"));
        for i in 0..PLACES {
            line(format_args!("mul.hi.u32 %wr_r2, %wr_r1, %wr_r0;"));
            line(format_args!("mul.wide.u32 %wr_a1, %wr_r2, 16;"));
            line(format_args!("add.s64 %wr_at{i}, %wr_a0, %wr_a1;"));
            line(format_args!(
                "ld.relaxed.sys.{space}.v2.b64 {{%wr_w{}, %wr_w{}}}, [%wr_at{i}];",
                2 * i,
                2 * i + 1
            ));
            line(format_args!("add.u32 %wr_r1, %wr_r1, {};", u32::MAX / PLACES as u32 + 1));
        }
        for text in delay(options.read_delay.max(options.write_delay)) {
            line(format_args!("{text}"));
        }
        for i in 0..PLACES {
            line(format_args!(
                "ld.relaxed.sys.{space}.v2.b64 {{%wr_m{}, %wr_m{}}}, [%wr_at{i}];",
                2 * i,
                2 * i + 1
            ));
        }
        for i in 0..2 * PLACES {
            line(format_args!("add.s64 %wr_a0, %wr_at{}, {};", i / 2, 8 * (i % 2)));
            line(format_args!("mov.b64 %wr_e, %wr_w{i};"));
            line(format_args!("mov.b64 %wr_f, %wr_m{i};"));
            line(format_args!("setp.ne.b64 %wr_p0, %wr_e, %wr_f;"));
            line(format_args!("@%wr_p0 bra $wr_report;"));
        }
        line(format_args!("bra $wr_end;"));
        line(format_args!("$wr_report:"));
        line(format_args!("{}", call(number * KINDS, "%wr_a0", report::space(self.space))));
        out.push_str("$wr_end:\n\t}\n");
        out
    }
}
