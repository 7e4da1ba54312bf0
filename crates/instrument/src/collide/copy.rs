//! `cp.async`: copied early, checked, overwritten, and copied again.
//!
//! Source: SuperCollider §3.4. The thread first makes the copy itself and checks, after a delay, whether
//! another thread has changed its source or its destination. It then overwrites the destination with a
//! pattern and lets the instruction make the copy: a thread that reads the destination without a wait
//! observes the pattern change, which is a clobbered read.

use super::Unchecked;
use super::access::{Text, address, guard};
use super::emit::{call, delay, until_next, whether};
use super::{KINDS, Options, report};
use ptx::ast::Operand;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{MemSpace, Op};
use std::fmt::Write;

/// A copy from global to shared memory.
pub(super) struct Copy<'t> {
    to: (Text<'t>, i64),
    from: (Text<'t>, i64),
    /// The size: 4, 8 or 16 bytes.
    pub(super) bytes: u32,
    /// A register with the number of bytes that are copied; the copy is checked only if that is the whole
    /// size.
    copied: Option<&'t str>,
    guard: Option<(String, bool)>,
}

impl<'t> Copy<'t> {
    /// Returns the copy of an instruction; `None` for other instructions.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &'t str,
    ) -> Result<Option<Copy<'t>>, Unchecked> {
        if !matches!(inst.op, Ok(Op::CpAsync { .. })) {
            return Ok(None);
        }
        // With a fourth operand it may copy less than it writes, with a fifth one nothing.
        let (bytes, all) = match &inst.args[..] {
            [_, _, Arg::Int(bytes @ (4 | 8 | 16))] => (*bytes as u32, None),
            [_, _, Arg::Int(bytes @ (4 | 8 | 16)), Arg::Int(all)] if all == bytes => (*bytes as u32, None),
            [_, _, Arg::Int(bytes @ (4 | 8 | 16)), Arg::Reg(_)] => match inst.source.operands.get(3) {
                Some(Operand::Name(name)) => {
                    (*bytes as u32, text.get(name.span.start as usize..name.span.end as usize))
                }
                _ => return Err(Unchecked::Asynchronous),
            },
            _ => return Err(Unchecked::Asynchronous),
        };
        let (to, from) = (address(flat, inst, text, 0)?, address(flat, inst, text, 1)?);
        Ok(Some(Copy { to, from, bytes, copied: all, guard: guard(inst) }))
    }

    /// Returns the text to insert before the instruction: a check of the source with number `first`, and one
    /// of the destination with the next number.
    pub(super) fn check(&self, first: u32, options: &Options, repeated: bool) -> String {
        let words = self.bytes / 4;
        let mut out = String::from("{\n");
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = writeln!(out, "\t{text}");
        };
        line(format_args!(".reg .pred %wr_p<3>;"));
        line(format_args!(".reg .b32 %wr_r<6>, %wr_v<4>, %wr_n<4>;"));
        line(format_args!(".reg .b64 %wr_a<4>, %wr_e, %wr_f;"));
        if let Some((register, negated)) = &self.guard {
            let opposite = if *negated { "" } else { "!" };
            line(format_args!("@{opposite}{register} bra $wr_end;"));
        }
        if let Some(copied) = self.copied {
            line(format_args!("setp.ne.u32 %wr_p0, {copied}, {};", self.bytes));
            line(format_args!("@%wr_p0 bra $wr_end;"));
        }
        for (n, (base, offset)) in [&self.from, &self.to].into_iter().enumerate() {
            line(format_args!("{}", base.address(*offset, &format!("%wr_a{n}")).trim()));
        }
        if let Some(pace) = options.pace.filter(|_| repeated) {
            line(format_args!("{}\t@%wr_p0 bra $wr_end;\n{}", whether("%wr_p0"), until_next(pace)));
        }
        let list = |register: &str| {
            let names: Vec<String> = (0..words).map(|i| format!("%wr_{register}{i}")).collect();
            match words {
                1 => names[0].clone(),
                _ => format!("{{{}}}", names.join(", ")),
            }
        };
        let vector = if words == 1 { String::new() } else { format!(".v{words}") };
        line(format_args!("ld.global{vector}.b32 {}, [%wr_a0];", list("v")));
        line(format_args!("st.shared{vector}.b32 [%wr_a1], {};", list("v")));
        for text in delay(options.read_delay.max(options.write_delay)) {
            line(format_args!("{text}"));
        }
        for (n, space, kind) in [(0, "global", MemSpace::Global), (1, "shared", MemSpace::SharedCta)] {
            line(format_args!("ld.relaxed.sys.{space}{vector}.b32 {}, [%wr_a{n}];", list("n")));
            for i in 0..words {
                line(format_args!("setp.eq.b32 %wr_p1, %wr_v{i}, %wr_n{i};"));
                line(format_args!("@%wr_p1 bra $wr_same{n}_{i};"));
                line(format_args!("cvt.u64.u32 %wr_e, %wr_v{i};"));
                line(format_args!("cvt.u64.u32 %wr_f, %wr_n{i};"));
                line(format_args!("add.s64 %wr_a2, %wr_a{n}, {};", 4 * i));
                line(format_args!("{}", call((first + n) * KINDS, "%wr_a2", report::space(kind))));
                line(format_args!("bra $wr_next{n};"));
                line(format_args!("$wr_same{n}_{i}:"));
            }
            line(format_args!("$wr_next{n}:"));
        }
        for i in 0..words {
            line(format_args!("not.b32 %wr_v{i}, %wr_v{i};"));
        }
        line(format_args!("st.shared{vector}.b32 [%wr_a1], {};", list("v")));
        out.push_str("$wr_end:\n\t}\n");
        out
    }
}
