//! Tests functions that kernels call, and calls of functions that are not instrumented.

use crate::guardian::{BODY, module, options, races_of};
use events::SiteTable;
use instrument::guard::guard;

/// Returns a [`module`] with a function in front, on its first line.
fn calling(function: &str, body: &str) -> String {
    module(body).replace(".visible .entry", &format!("{function} .visible .entry"))
}

#[test]
fn functions_know_what_their_callers_know() {
    // Each thread writes a word of its own, and reads its neighbour's behind a function call.
    let body = "st.shared.u32 [%r4], %r1;\ncall f, (%r3);\nld.shared.u32 %r6, [%r3+4];";
    let function = |what: &str| format!(".func f(.reg .b32 %a) {{ .reg .b32 %b<4>; {what} ret; }}");
    // A function without the state parameter counts as synchronising, unless it only has arithmetic.
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), body), 1, 64), []);
    let bar = "{\n.param .b32 a;\nst.param.b32 [a], %r3;\ncall f, (a);\n}";
    let body = format!("st.shared.u32 [%r4], %r1;\n{bar}\nld.shared.u32 %r6, [%r3+4];");
    let function = |what: &str| {
        format!(
            ".func f(.param .b32 a) {{ .reg .pred %q; .reg .b32 %b<4>; ld.param.u32 %b1, [a]; {what} ret; }}"
        )
    };
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), &body), 1, 64), []);
    assert_eq!(races_of(&calling(&function("mov.u32 %b2, 1;"), &body), 1, 64), [(0, 6)]);
    // The function's own accesses are checked, before its barrier and behind it, with sites in the function.
    let reads = "ld.shared.u32 %b2, [%b1+4];";
    let inside = 4 - BODY as i32;
    let seen = races_of(&calling(&function(&format!("{reads} bar.sync 0;")), &body), 1, 64);
    assert_eq!(seen, [(inside, 0)]);
    assert_eq!(races_of(&calling(&function(&format!("bar.sync 0; {reads}")), &body), 1, 64), []);
    // A barrier that some threads execute in the function, the others in the kernel.
    let other = format!(
        "st.shared.u32 [%r4], %r1;\n@%p1 bra B;\n{bar}\nbra E;\nB: bar.sync 0;\nE: ld.shared.u32 %r6, [%r3+4];"
    );
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), &other), 1, 64), []);
    // Functions called by the function receive the state, too.
    let two = format!(
        "{} .func g(.param .b32 a) {{ .reg .b32 %b<4>; ld.param.u32 %b1, [a]; {{ .param .b32 c; st.param.b32 [c], %b1; call f, (c); }} ret; }}",
        function("bar.sync 0;")
    );
    assert_eq!(races_of(&calling(&two, &body.replace("call f", "call g")), 1, 64), []);
}

#[test]
fn functions_are_told_by_pointers_too() {
    let function = ".func f(.param .b32 a) { .reg .b32 %b<4>; ld.param.u32 %b1, [a]; BAR ld.shared.u32 %b2, [%b1+4]; ret; } \
         .global .align 8 .u64 table[1] = {f};";
    let body = "st.shared.u32 [%r4], %r1;\nld.global.u64 %rd5, [table];\n{\n.param .b32 a;\nst.param.b32 [a], %r3;\n\
         p: .callprototype _ (.param .b32 _);\ncall %rd5, (a), p;\n}";
    let inside = 4 - BODY as i32;
    assert_eq!(races_of(&calling(&function.replace("BAR", ""), body), 1, 64), [(inside, 0)]);
    assert_eq!(races_of(&calling(&function.replace("BAR", "bar.sync 0;"), body), 1, 64), []);
}

/// External functions, and those that other modules may call, may have any effect; their callers are
/// instrumented.
#[test]
fn calls_of_what_is_not_looked_at_order_everything() {
    let body = "st.global.u32 [%rd1], %r1;\nCALL\nst.global.u32 [%rd1+4], %r1;";
    let visible = ".visible .func f() { membar.gl; ret; }";
    let text = calling(visible, &body.replace("CALL", "call f;"));
    let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap();
    assert!(guarded.kernels[0].checked && guarded.left_out.is_empty());
    assert_eq!(guarded.unchecked.values().sum::<u32>(), 1);
    assert_eq!(races_of(&text, 4, 1), [(0, 0), (2, 2)]);
    // The function may have passed the word on.
    let handed = "@%p2 st.global.u32 [%rd1], 1;\ncall f;\n@!%p2 ld.global.u32 %r6, [%rd1];";
    let flag = ".visible .func f() { .reg .pred %q; .reg .b32 %b; mov.u32 %b, %ctaid.x; setp.eq.u32 %q, %b, 0; \
         @%q st.release.gpu.global.u32 [flag], 1; W: ld.acquire.gpu.global.u32 %b, [flag]; setp.eq.u32 %q, %b, 0; @%q bra W; ret; }";
    let flag = format!(".global .u32 flag; {flag}");
    assert_eq!(races_of(&calling(&flag, handed), 4, 1), []);
    // The same function is instrumented if no other module can call it.
    assert_eq!(races_of(&calling(&flag.replace(".visible ", ""), handed), 4, 1), []);
}

/// Memory of the device's heap may pass from one thread to another within a launch.
#[test]
fn what_is_given_back_is_released() {
    let clocks = |function: &str| {
        let text = format!(
            ".version 7.1\n.target sm_80\n.address_size 64\n.extern .func (.param .b64 r) {function} (.param .b64 a);\n\
             .visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nst.u32 [%rd1], 1;\n\
             {{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], %rd1;\ncall.uni (r), {function}, (a);\n\
             ld.param.b64 %rd2, [r];\n}}\nret;\n}}\n"
        );
        let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap();
        assert!(guarded.kernels[0].checked);
        let body = guarded.text.split(".entry").nth(1).unwrap();
        body.matches("atom.relaxed.gpu.global.add.u32").count()
    };
    assert_eq!(["malloc", "free", "vprintf"].map(clocks), [1, 1, 0]);
}
