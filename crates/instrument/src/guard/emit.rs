//! What is put around instructions.

use super::{Access, Known, TABLE, register, runtime};
use crate::collide::access::Text;
use ptx::op::{MemSpace, Scope};
use std::fmt::Write;

/// A thread's counts of barriers, and the clock at its last acquire.
pub(super) const BLOCK: &str = "block";
pub(super) const WARP: &str = "warp";
const SEEN: &str = "seen";

type Guard = Option<(String, bool)>;

/// At the beginning of a kernel's body.
pub(super) fn beginning() -> String {
    let mut out = String::from("\n");
    for name in [BLOCK, WARP, SEEN] {
        let name = register(name);
        let _ = writeln!(out, "\t.reg .b32 {name};\n\tmov.u32 {name}, 0;");
    }
    out
}

/// Skips the scope where the instruction does nothing.
fn unless(guard: &Guard) -> String {
    match guard {
        Some((register, negated)) => {
            let opposite = if *negated { "" } else { "!" };
            format!("\t@{opposite}{register} bra $wr_end;\n")
        }
        None => String::new(),
    }
}

/// Before what releases: the clock goes on.
pub(super) fn release(guard: &Guard, sink: u64) -> String {
    let clock = sink + TABLE;
    let skip = unless(guard);
    format!(
        "{{\n\t.reg .b64 %wr_c;\n{skip}\tmov.u64 %wr_c, {clock};\n\tred.relaxed.gpu.global.add.u32 [%wr_c], 1;\n$wr_end:\n\t}}\n"
    )
}

/// Behind what acquires: the thread sees the clock, but for its `own` release just now, and counts a barrier.
pub(super) fn acquire(guard: &Guard, count: Option<&str>, own: bool, sink: u64) -> String {
    let clock = sink + TABLE;
    let skip = unless(guard);
    let seen = register(SEEN);
    let less = if own { format!("\tsub.u32 {seen}, {seen}, 1;\n") } else { String::new() };
    let count = count.map_or(String::new(), |name| {
        let name = register(name);
        format!("\tadd.u32 {name}, {name}, 1;\n")
    });
    format!(
        "\n\t{{\n\t.reg .b64 %wr_c;\n{skip}{count}\tmov.u64 %wr_c, {clock};\n\tld.relaxed.gpu.global.u32 {seen}, [%wr_c];\n{less}$wr_end:\n\t}}\n"
    )
}

/// Before an access.
pub(super) fn check(access: &Access<'_>, number: u32, known: Known) -> String {
    let mut out = String::from("{\n\t.reg .b64 %wr_a<2>;\n");
    out += &unless(&access.guard);
    let (base, offset) = access.base;
    out += &match base {
        Text::Register(name) => format!("\tadd.s64 %wr_a0, {name}, {offset};\n"),
        Text::NarrowRegister(name) => {
            format!("\tcvt.u64.u32 %wr_a1, {name};\n\tadd.s64 %wr_a0, %wr_a1, {offset};\n")
        }
        Text::Variable(name) => format!("\tmov.u64 %wr_a1, {name};\n\tadd.s64 %wr_a0, %wr_a1, {offset};\n"),
        Text::Absolute => format!("\tmov.u64 %wr_a0, {offset};\n"),
    };
    let space = match access.space {
        MemSpace::Generic => runtime::GENERIC,
        MemSpace::SharedCta => runtime::SHARED,
        _ => runtime::GLOBAL,
    };
    let scope = match access.strong {
        None | Some(Scope::Cta) => 0,
        // Which blocks share a cluster is not known: as if all did.
        Some(Scope::Cluster | Scope::Gpu | Scope::Sys) => 1,
    };
    let what = access.bytes
        | u32::from(access.writes) << runtime::WRITES
        | u32::from(access.strong.is_some()) << runtime::STRONG
        | scope << runtime::WIDE
        | u32::from(known.blocks) << runtime::BLOCKS
        | u32::from(known.warps) << runtime::WARPS
        | space << runtime::SPACE;
    let arguments = [
        "%wr_a0".to_owned(),
        what.to_string(),
        number.to_string(),
        register(BLOCK),
        register(WARP),
        register(SEEN),
    ];
    out += "\t{\n";
    for (name, ty) in runtime::PARAMETERS {
        let _ = writeln!(out, "\t.param .{ty} wr_{name};");
    }
    for ((name, ty), value) in runtime::PARAMETERS.iter().zip(&arguments) {
        let _ = writeln!(out, "\tst.param.{ty} [wr_{name}], {value};");
    }
    let names: Vec<String> = runtime::PARAMETERS.iter().map(|(name, _)| format!("wr_{name}")).collect();
    let _ = write!(out, "\tcall {}, ({});\n\t}}\n$wr_end:\n\t}}\n", runtime::name(), names.join(", "));
    out
}
