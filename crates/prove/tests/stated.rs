//! Launches of the host code: the prover finds a race by running the launch before it calls an external
//! solver.

use kernels::Source;
use prove::{Facts, Prover, Verdict};
use std::os::unix::fs::PermissionsExt as _;

const IR: &str = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
define dso_local i32 @main() {
  %1 = alloca ptr, align 8
  %2 = call i32 @cudaMalloc(ptr noundef %1, i64 noundef 1048576)
  %3 = load ptr, ptr %1, align 8
  %4 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %7

6:                                                ; preds = %0
  call void @_Z18__device_stub__rowPi(ptr noundef %3)
  br label %7

7:                                                ; preds = %0, %6
  ret i32 0
}
define hidden void @_Z3rowPi(ptr noundef %0) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  ret void
}
"#;

/// Returns a kernel in which each thread stores at a place given by a polynomial of its number. For numbers
/// below 256 all places differ, which the internal solver cannot show.
fn kernel(number: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z3rowPi(.param .u64 a) {{
        .reg .b32 %r<9>; .reg .b64 %d<5>;
        ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;
        {number}
        mul.lo.s32 %r5, %r4, %r4; mad.lo.s32 %r5, %r5, %r4, %r4;
        rem.u32 %r6, %r5, 65521;
        mul.wide.u32 %d2, %r6, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r1;
        ret;\n}}\n"
    )
}

/// Returns the verdict, and whether the external solver was called. That solver refutes every question.
fn told(number: &str, name: &str) -> (Verdict, bool) {
    let folder = std::env::temp_dir().join(format!("prove-stated-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (program, asked) = (folder.join("z3"), folder.join("asked"));
    let script = format!("#!/bin/sh\ncat > '{}'\necho unsat\n", asked.display());
    std::fs::write(&program, script).expect("it is written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let smt = prove::solver::smt::Smt::find(Some(&program), None);
    assert!(smt.is_some());
    let text = kernel(number);
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text: &text, name: "row.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let found = prove::launches::of_host_code(&[IR]);
    let launched = found.get("_Z3rowPi").expect("it is launched");
    let answer = prover.answer_for_host_code(0, &Facts { smt, ..Facts::default() }, launched, &|| false);
    let was_asked = asked.exists();
    std::fs::remove_dir_all(&folder).expect("it is removed");
    (answer.verdict, was_asked)
}

#[test]
fn a_launch_that_races_is_run_before_another_solver_is_asked() {
    // Threads of different blocks have the same number in their block.
    let (verdict, asked) = told("mov.u32 %r4, %r1;", "race");
    assert!(matches!(verdict, Verdict::Race(_)), "{verdict:?}");
    assert!(!asked);
    // The number in the grid is unique.
    let (verdict, asked) = told("mad.lo.u32 %r4, %r3, %r2, %r1;", "clean");
    assert!(matches!(verdict, Verdict::Proved), "{verdict:?}");
    assert!(asked);
}
