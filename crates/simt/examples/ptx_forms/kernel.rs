//! The kernel around a form's instruction.

use crate::recorded_forms::form::{Form, register};
use std::fmt::Write;

/// Returns the `.ptx` text of a form whose instructions read `%s0`, `%s1`, … and write `%d0`, ….
///
/// `body` may also use `%scratch` (the thread's 64 bytes of global memory), `%thread`, `%lane`, and its own
/// declarations. Text before a line `----` is at module scope.
pub(crate) fn text(form: &Form, body: &str) -> String {
    let mut t = form.header();
    let w = &mut t;
    let (module, body) = body.split_once("----\n").unwrap_or(("", body));
    let _ = write!(
        w,
        ".version 9.0\n.target sm_90\n.address_size 64\n\n{module}\
         .visible .entry form(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{{\n"
    );
    let (mut loads, mut stores) = (String::new(), String::new());
    for (i, class) in form.sources.iter().enumerate() {
        let (ty, bytes) = register(class);
        let _ = writeln!(w, "\t.reg {ty} %s{i};");
        if ty == ".pred" {
            let _ = writeln!(w, "\t.reg .b32 %sp{i};");
            let _ = writeln!(loads, "\tld.global.b32 %sp{i}, [%in+{}];", 8 * i);
            let _ = writeln!(loads, "\tsetp.ne.b32 %s{i}, %sp{i}, 0;");
        } else {
            let ld = if ty.starts_with(".f") { ty.to_owned() } else { format!(".b{}", bytes * 8) };
            let _ = writeln!(loads, "\tld.global{ld} %s{i}, [%in+{}];", 8 * i);
        }
    }
    for (i, class) in form.results.iter().enumerate() {
        let (ty, bytes) = register(class);
        let _ = writeln!(w, "\t.reg {ty} %d{i};");
        if ty == ".pred" {
            let _ = writeln!(w, "\t.reg .b32 %dp{i};");
            let _ = writeln!(stores, "\tselp.b32 %dp{i}, 1, 0, %d{i};");
            let _ = writeln!(stores, "\tst.global.b32 [%out+{}], %dp{i};", 8 * i);
        } else {
            let st = if ty.starts_with(".f") { ty.to_owned() } else { format!(".b{}", bytes * 8) };
            let _ = writeln!(stores, "\tst.global{st} [%out+{}], %d{i};", 8 * i);
        }
    }
    let uses = |name: &str| body.contains(name);
    w.push_str("\t.reg .b32 %item, %thread, %block;\n\t.reg .b64 %in, %out, %step;\n");
    if uses("%scratch") {
        w.push_str("\t.reg .b64 %scratch;\n");
    }
    if uses("%lane") {
        w.push_str("\t.reg .b32 %lane;\n");
    }
    w.push_str("\tmov.u32 %thread, %tid.x;\n\tmov.u32 %block, %ctaid.x;\n\tmad.lo.u32 %item, %block, 128, %thread;\n");
    if uses("%lane") {
        w.push_str("\tand.b32 %lane, %thread, 31;\n");
    }
    if !form.sources.is_empty() {
        let _ = write!(
            w,
            "\tld.param.u64 %in, [in];\n\tmul.wide.u32 %step, %item, {};\n\tadd.u64 %in, %in, %step;\n",
            8 * form.sources.len()
        );
    }
    let _ = write!(
        w,
        "\tld.param.u64 %out, [out];\n\tmul.wide.u32 %step, %item, {};\n\tadd.u64 %out, %out, %step;\n",
        8 * form.results.len()
    );
    if uses("%scratch") {
        w.push_str(
            "\tld.param.u64 %scratch, [scratch];\n\tmul.wide.u32 %step, %item, 64;\n\tadd.u64 %scratch, %scratch, %step;\n",
        );
    }
    w.push_str(&loads);
    for line in body.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let _ = writeln!(w, "\t{line}");
    }
    w.push_str(&stores);
    w.push_str("\tret;\n}\n");
    t
}
