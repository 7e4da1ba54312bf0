//! Addresses in the table: constants, or offsets from an address in the launch parameter.

use super::Options;
use super::launches::{self, TABLE};
use std::fmt::Write;

/// The parameter, by name and type, of functions that receive the table's address.
pub(super) const TOLD: (&str, &str) = ("table", "b64");

/// Returns the scope of the tool's accesses of the table: launches of several devices may share a table whose
/// address they receive.
pub(super) const fn scope(base: Option<u64>) -> &'static str {
    match base {
        Some(_) => "gpu",
        None => "sys",
    }
}

/// Returns text that sets a 64-bit `register` to an address in the table.
pub(super) fn place(options: &Options, at: u64, register: &str) -> String {
    match options.table {
        Some(table) => format!("\tmov.u64 {register}, {};\n", table + at),
        None => format!(
            "\tld.param.u64 {register}, [{}+{TABLE}];\n\tadd.u64 {register}, {register}, {at};\n",
            launches::parameter()
        ),
    }
}

/// Returns text that sets `%wr_a0` to the table's header, and branches to the end of a scope if the launch
/// has no table. Uses `%wr_p0`.
pub(super) fn header(options: &Options) -> String {
    let none = match options.table {
        Some(_) => "",
        None => "\tsetp.eq.u64 %wr_p0, %wr_a0, 0;\n\t@%wr_p0 bra $wr_end;\n",
    };
    place(options, 0, "%wr_a0") + none
}

/// Returns text of the function `name` that sets a 64-bit `register` to an address in the table.
pub(super) fn in_function(name: &str, base: Option<u64>, at: u64, register: &str) -> String {
    match base {
        Some(base) => format!("\tmov.u64 {register}, {};\n", base + at),
        None => format!(
            "\tld.param.u64 {register}, [{name}_{}];\n\tadd.u64 {register}, {register}, {at};\n",
            TOLD.0
        ),
    }
}

/// Returns a call of a function with these parameters, by name and type, and the table's address if the launch has it.
pub(super) fn called(name: &str, all: &[(&str, &str)], arguments: &[&str], options: &Options) -> String {
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
