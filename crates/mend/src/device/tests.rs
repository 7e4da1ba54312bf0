use super::*;
use crate::change::{Atomic, Call};
use crate::text::Region;
use report::advice::Reach;

/// A kernel whose instructions have the source lines that follow them: `instruction @ line`.
fn kernel(body: &str) -> String {
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
        .reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b16 %rs<9>;\n\
        .shared .align 4 .b8 s[512];\n"
        .to_owned();
    for line in body.lines().map(str::trim).filter(|l| !l.is_empty()) {
        match line.split_once(" @ ") {
            Some((instruction, number)) => text += &format!(".loc 1 {number} 5\n{instruction}\n"),
            None => text += &format!("{line}\n"),
        }
    }
    text + "}\n.file 1 \"a.cu\"\n"
}

/// Returns the changed body without what the kernel above adds.
fn changed(body: &str, edit: Edit) -> Result<Vec<String>, Error> {
    let text = apply(&kernel(body), &[edit])?.expect("something is changed");
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors);
    let body = text.lines().skip(6).map(str::trim);
    let kept =
        body.filter(|l| !l.is_empty() && !l.starts_with(".loc") && !l.starts_with(".file") && *l != "}");
    Ok(kept.map(str::to_owned).collect())
}

fn insert(block: Range<u32>, before: u32) -> Edit {
    let region = Region { function: 1..50, last: block.end - 1, block, before, loops: vec![] };
    Edit::Insert { file: "a.cu".into(), region, call: Call::Block }
}

use std::ops::Range;

#[test]
fn a_barrier_between_two_statements_stands_between_their_accesses() {
    let body = "
        st.shared.u32 [%r1], %r2; @ 10
        add.u32 %r3, %r1, 4; @ 10
        ld.shared.u32 %r4, [%r3]; @ 11
        ret; @ 12";
    let lines = changed(body, insert(9..12, 11)).unwrap();
    let expected = [
        "st.shared.u32 [%r1], %r2;",
        "add.u32 %r3, %r1, 4;",
        "bar.sync 0;",
        "ld.shared.u32 %r4, [%r3];",
        "ret;",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_barrier_at_the_end_of_a_loop_runs_in_each_round() {
    let body = "
        L:
        ld.shared.u32 %r4, [%r3]; @ 10
        st.shared.u32 [%r1], %r4; @ 11
        add.u32 %r9, %r9, 1; @ 9
        setp.lt.u32 %p1, %r9, 4; @ 9
        @%p1 bra L; @ 9
        ret; @ 13";
    let lines = changed(body, insert(10..12, 12)).unwrap();
    let at = lines.iter().position(|l| l == "bar.sync 0;").unwrap();
    assert_eq!(lines.iter().filter(|l| *l == "bar.sync 0;").count(), 1);
    assert_eq!(lines[at + 1], "@%p1 bra L;");
}

#[test]
fn an_unrolled_loop_gets_a_barrier_in_each_copy() {
    let round = "
        ld.shared.u32 %r4, [%r3]; @ 10
        st.shared.u32 [%r1], %r4; @ 11";
    let body = format!("{round}{round}{round}\nret; @ 13");
    for edit in [insert(10..12, 12), insert(10..12, 10), insert(10..12, 11)] {
        let lines = changed(&body, edit).unwrap();
        assert_eq!(lines.iter().filter(|l| *l == "bar.sync 0;").count(), 3, "{lines:#?}");
    }
}

/// An unrolled body with a branch has a basic block for each copy of each side.
#[test]
fn an_unrolled_loop_with_a_branch_gets_a_barrier_in_each_copy() {
    let round = |n: u32| {
        format!(
            "
        @%p1 bra L{n}; @ 10
        st.shared.u32 [%r1], %r4; @ 10
        L{n}:
        bar.sync 1; @ 11
        ld.shared.u32 %r4, [%r3]; @ 12"
        )
    };
    let body = format!("{}{}{}\nret; @ 15", round(1), round(2), round(3));
    let lines = changed(&body, insert(10..13, 13)).unwrap();
    assert_eq!(lines.iter().filter(|l| *l == "bar.sync 0;").count(), 3, "{lines:#?}");
}

/// A round whose only statement is conditional begins where the condition is tested again.
#[test]
fn rounds_of_one_conditional_statement_are_apart() {
    let round = |n: u32| {
        format!(
            "
        @%p1 bra L{n}; @ 10
        ld.shared.u32 %r4, [%r3]; @ 11
        st.shared.u32 [%r1], %r4; @ 11
        L{n}:"
        )
    };
    let body = format!("{}{}{}\nret; @ 15", round(1), round(2), round(3));
    let region = Region { function: 1..50, block: 10..12, before: 12, last: 10, loops: vec![] };
    let edit = Edit::Insert { file: "a.cu".into(), region, call: Call::Block };
    let lines = changed(&body, edit).unwrap();
    let barriers: Vec<usize> = (0..lines.len()).filter(|&i| lines[i] == "bar.sync 0;").collect();
    assert_eq!(barriers.len(), 3, "{lines:#?}");
    assert!(barriers[..2].iter().all(|&i| lines[i + 1].starts_with("@%p1 bra")), "{lines:#?}");
}

#[test]
fn a_barrier_ahead_of_a_loop_runs_once() {
    let body = "
        st.shared.u32 [%r1], %r4; @ 8
        L:
        ld.shared.u32 %r4, [%r3]; @ 10
        setp.lt.u32 %p1, %r4, 4; @ 9
        @%p1 bra L; @ 9
        ret; @ 13";
    let lines = changed(body, insert(7..13, 9)).unwrap();
    assert_eq!(lines[1], "bar.sync 0;", "{lines:#?}");
    assert_eq!(lines.iter().filter(|l| *l == "bar.sync 0;").count(), 1);
}

#[test]
fn a_barrier_in_divergent_code_is_refused() {
    let body = "
        mov.u32 %r1, %tid.x; @ 9
        setp.lt.u32 %p1, %r1, 7; @ 9
        @%p1 bra L; @ 9
        st.shared.u32 [%r1], %r2; @ 10
        ld.shared.u32 %r4, [%r3]; @ 11
        L:
        st.global.u32 [%rd1], %r4; @ 13
        ret; @ 14";
    assert_eq!(changed(body, insert(10..12, 11)), Err(Error::Divergent(11)));
}

#[test]
fn scopes_are_widened_on_the_named_lines() {
    let body = "
        membar.cta; @ 9
        atom.global.cta.add.u32 %r1, [%rd1], 1; @ 10
        ld.acquire.cta.shared::cta.u32 %r1, [%r2]; @ 11
        ret; @ 12";
    let edit = |lines: &[u32], reach| Edit::Widen { file: "a.cu".into(), lines: lines.to_vec(), reach };
    let lines = changed(body, edit(&[9, 10], Reach::Device)).unwrap();
    assert_eq!(lines[..2], ["membar.gl;", "atom.global.gpu.add.u32 %r1, [%rd1], 1;"]);
    assert_eq!(lines[2], "ld.acquire.cta.shared::cta.u32 %r1, [%r2];");
    let lines = changed(body, edit(&[], Reach::System)).unwrap();
    assert_eq!(lines[2], "ld.acquire.sys.shared::cta.u32 %r1, [%r2];");
}

#[test]
fn an_update_becomes_one_reduction() {
    let body = "
        ld.global.u32 %r1, [%rd1+4]; @ 10
        add.s32 %r2, %r1, 7; @ 10
        st.global.u32 [%rd1+4], %r2; @ 10
        ret; @ 12";
    let edit = |form| Edit::Atomic { file: "a.cu".into(), line: 10, form };
    let lines = changed(body, edit(Atomic::Update)).unwrap();
    assert_eq!(lines, ["red.relaxed.gpu.global.add.u32 [%rd1+4], 7;", "ret;"]);
    let used = body.replace("ret;", "st.local.u32 [8], %r1; @ 11\nret;");
    let lines = changed(&used, edit(Atomic::Fetch)).unwrap();
    assert_eq!(lines[0], "atom.relaxed.gpu.global.add.u32 %r1, [%rd1+4], 7;");
    let wide = body.replace("u32 %r1", "u64 %rd2").replace("u32 [%rd1+4], %r2", "u64 [%rd1+4], %rd3");
    assert_eq!(changed(&wide, edit(Atomic::Update)), Err(Error::NotAtomic(10)));
}

/// A line that another kernel has, too, is no candidate unless that kernel ran.
#[test]
fn only_code_that_ran_is_slimmed() {
    let one = kernel("bar.sync 0; @ 10\nmembar.sys; @ 11\nret; @ 12");
    let (head, tail) = one.split_once(".visible").unwrap();
    let (body, file) = tail.split_once(".file").unwrap();
    let other = format!(".visible{body}").replace("entry k(", "entry m(");
    let text = format!("{head}.visible{body}{other}.file{file}");
    let lines = |names: &'static [&str]| -> Vec<(u32, Kind)> {
        let found = synchronisations(&text, |file| file == "a.cu", |name| names.contains(&name));
        found.into_iter().map(|at| (at.line, at.kind)).collect()
    };
    assert_eq!(lines(&["k", "m"]), [(10, Kind::Barrier), (11, Kind::Fence(Scope::System))]);
    assert_eq!(lines(&["k"]), []);
}
