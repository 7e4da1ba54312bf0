//! Correct kernels of `tests/prove` whose blocks synchronise at barriers of a cooperative grid. With a change
//! to a barrier they must not be proved.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

const GRIDS: &str = include_str!("../../../tests/prove/grids.ptx");

fn kernel(name: &str) -> &'static str {
    let start = GRIDS.find(&format!(".visible .entry {name}(")).expect("it is there");
    let end = start + GRIDS[start..].find("\n}").expect("it ends") + 2;
    &GRIDS[start..end]
}

fn is_proved(kernel: &str) -> bool {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{kernel}");
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text: &text, name: "grids.ptx" };
    let prover = Prover::new(&[source]).expect("it links");
    let flat = "gridDim.y == 1 && gridDim.z == 1 && blockDim.y == 1 && blockDim.z == 1";
    let relations = prove::facts::assume::parse(flat).expect("it is written well").1;
    let facts = Facts { relations, ..Facts::default() };
    matches!(prover.decide(0, &facts, &|| false).0.verdict, Verdict::Proved)
}

/// Returns texts with one place changed, each after the start of the first barrier.
fn changes(kernel: &str, what: &str, with: &str) -> Vec<String> {
    let begin = kernel.find("trap;").expect("it may be launched otherwise");
    let begin = if kernel[begin..].contains(what) { begin } else { 0 };
    let places: Vec<usize> = kernel.match_indices(what).map(|(at, _)| at).filter(|at| *at >= begin).collect();
    assert!(!places.is_empty(), "{what}");
    let one = |at: &usize| format!("{}{with}{}", &kernel[..*at], &kernel[at + what.len()..]);
    places.iter().map(one).collect()
}

#[test]
fn a_barrier_that_is_built_otherwise_orders_nothing() {
    let clean = kernel("in_rounds_clean");
    assert!(is_proved(clean));
    for (what, with) in [
        ("atom.add.release.gpu", "atom.add.relaxed.gpu"),
        ("atom.add.release.gpu", "atom.add.acquire.gpu"),
        ("atom.add.release.gpu", "atom.add.release.cta"),
        ("ld.acquire.gpu", "ld.relaxed.gpu"),
        ("ld.acquire.gpu", "ld.acquire.cta"),
        ("ld.acquire.gpu", "ld.volatile"),
        // These change the amounts that the first block and the others add.
        ("-2147483647;", "-2147483646;"),
        ("-2147483647;", "-2147483648;"),
        (", 1, %p", ", 2, %p"),
        // These change the condition of the wait, its word or its bit.
        ("setp.gt.s32", "setp.lt.s32"),
        ("setp.gt.s32", "setp.gt.u32"),
        ("xor.b32", "and.b32"),
        // A barrier of the block is missing.
        ("barrier.sync", "// barrier.sync"),
        // Another instruction touches the word.
        ("// begin inline asm\n\tatom", "red.add.u32 [%rd3], 1;\n\tatom"),
    ] {
        for changed in changes(clean, what, with) {
            let is = changed == *clean || is_proved(&changed);
            assert!(!is, "{what} -> {with}:\n{changed}");
        }
    }
}

/// Without the thread that adds, the other threads of its block do not wait.
#[test]
fn the_first_thread_must_be_there() {
    let clean = kernel("in_rounds_clean");
    assert!(is_proved(clean));
    let declared = clean.replacen(".reg .pred", ".reg .pred %first; .reg .pred", 1);
    let first = "setp.eq.s32 %first, %tid.x, 0;";
    for (what, with) in [
        ("\tbarrier.sync \t0;", format!("{first} @%first ret; barrier.sync 0;")),
        ("\tbarrier.sync \t0;", format!("{first} @%first bra GONE; barrier.sync 0;")),
        ("\tbarrier.sync \t0;", format!("{first} @%first trap; barrier.sync 0;")),
        // The thread does not reach the addition.
        ("atom.add.release.gpu.u32", format!("{first} @%first bra AROUND; atom.add.release.gpu.u32")),
        ("atom.add.release.gpu.u32", "@%first atom.add.release.gpu.u32".to_owned()),
    ] {
        for changed in changes(&declared, what, &with) {
            let end = changed.rfind("\tret;").expect("it ends");
            let (body, rest) = changed.split_at(end);
            let changed = format!("{body}GONE:\nAROUND:\n{rest}");
            assert!(!is_proved(&changed), "{with}:\n{changed}");
        }
    }
}

/// If some blocks leave out a barrier, the others wait for another one.
#[test]
fn blocks_that_part_do_not_meet() {
    let clean =
        kernel("in_rounds_clean").replacen(".reg .pred", ".reg .pred %odd; .reg .b32 %block; .reg .pred", 1);
    assert!(is_proved(&clean));
    let last = clean.rfind("ld.global.f32").expect("it reads behind the first barrier");
    let (before, behind) = clean.split_at(last);
    let begin = before.rfind("setp.ne.s32").expect("a thread is chosen");
    let (before, between) = before.split_at(begin);
    let odd = "mov.u32 %block, %ctaid.x; and.b32 %block, %block, 1; setp.eq.s32 %odd, %block, 1;";
    let parted = format!("{before}{odd} @%odd bra AROUND; {between}AROUND: {behind}");
    assert!(!is_proved(&parted), "{parted}");
}
