//! Pairs of kernels from `tests/prove`: a correct one must be proved, a racy one must have a witness.
//!
//! **Size:** a list of kernels, each with what is asked about it.

use events::task::{LaunchInfo, Parameter};
use events::{AllocKind, Dim3, LaunchFacts, ObservedLaunch, ObservedMemory};
use kernels::Source;
use prove::replay::Witness;
use prove::{Facts, Prover, Verdict};
use std::cell::Cell;
use std::sync::Arc;

const PTX: &str = include_str!("../../../tests/prove/patterns.ptx");

const ORDERED: &str = include_str!("../../../tests/prove/ordered.ptx");

const FENCED: &str = include_str!("../../../tests/prove/fenced.ptx");

const CALLED: &str = include_str!("../../../tests/prove/called.ptx");

const PIPELINED: &str = include_str!("../../../tests/prove/pipelined.ptx");

const ROUNDS: &str = include_str!("../../../tests/prove/rounds.ptx");

const PIPELINES: &str = include_str!("../../../tests/prove/pipelines.ptx");

const BULK: &str = include_str!("../../../tests/prove/bulk.ptx");

const NAMED: &str = include_str!("../../../tests/prove/named.ptx");

const DIVIDED: &str = include_str!("../../../tests/prove/divided.ptx");

const GRIDS: &str = include_str!("../../../tests/prove/grids.ptx");

const CLUSTERS: &str = include_str!("../../../tests/prove/clusters.ptx");

const LANES: &str = include_str!("../../../tests/prove/lanes.ptx");

const KNOWN: &str = include_str!("../../../tests/prove/known.ptx");

const VOLATILE: &str = include_str!("../../../tests/prove/volatile.ptx");

const IMAGES: &str = include_str!("../../../tests/prove/images.ptx");

const INCOHERENT: &str = include_str!("../../../tests/prove/incoherent.ptx");

const LARGE: &str = include_str!("../../../tests/prove/large.ptx");

#[test]
fn clean_kernels_are_proved_and_racy_ones_have_a_witness() {
    pairs(PTX, 50, &|_| Facts::default());
}

/// These kernels synchronise by flags, counters and locks.
#[test]
fn what_strong_operations_order_is_proved() {
    pairs(ORDERED, 40, &|_| Facts::default());
}

/// These kernels combine fences of all threads of a block with a ticket that one thread takes; `fence.sc`
/// operations are totally ordered.
#[test]
fn the_forced_order_of_two_fences_is_proved() {
    pairs(FENCED, 2, &|_| Facts::default());
}

/// Loads of the read-only cache behind writes of their own thread, and behind barriers, were taken for ordinary loads.
#[test]
fn no_order_puts_a_load_of_the_read_only_cache_behind_a_write() {
    pairs(INCOHERENT, 8, &|_| Facts::default());
}

/// Called functions are inlined into the analysis.
#[test]
fn what_is_in_called_functions_is_proved() {
    pairs(CALLED, 20, &|_| Facts::default());
}

/// These kernels have asynchronous copies, and matrix rows that the lanes of a warp share.
#[test]
fn asynchronous_copies_and_matrices_are_proved() {
    pairs(PIPELINED, 26, &|_| Facts::default());
}

/// These kernels have barriers of tiles, and of lanes that a constant mask names.
#[test]
fn barriers_of_some_lanes_are_proved() {
    pairs(LANES, 14, &|_| Facts::default());
}

/// These kernels rotate stages, and synchronise blocks by mbarriers or cluster barriers.
#[test]
fn stages_that_go_round_and_other_barriers_are_proved() {
    pairs(ROUNDS, 14, &|_| Facts::default());
}

/// These kernels have producers and consumers, and blocks that work between arriving and waiting.
#[test]
fn what_mbarriers_hand_over_is_proved() {
    pairs(PIPELINES, 10, &|_| Facts::default());
}

/// These kernels have rings of stages that copies fill, with transaction counts and proxy fences, or arrivals of
/// `cp.async`. Some threads set up their mbarriers.
#[test]
fn what_copies_that_signal_bring_is_proved() {
    pairs(BULK, 26, &|_| Facts::default());
}

/// Warps of these kernels meet at named barriers.
#[test]
fn what_named_barriers_order_is_proved() {
    pairs(NAMED, 12, &|_| Facts::default());
}

/// These kernels compute quotients and remainders by constants as products.
#[test]
fn divisions_by_constants_are_understood() {
    pairs(DIVIDED, 28, &|_| Facts::default());
}

/// These kernels have barriers of one-dimensional cooperative grids.
#[test]
fn barriers_of_grids_are_understood() {
    let flat = "gridDim.y == 1 && gridDim.z == 1 && blockDim.y == 1 && blockDim.z == 1";
    let relations = prove::facts::assume::parse(flat).expect("it is written well").1;
    pairs(GRIDS, 8, &|_| Facts { relations: relations.clone(), ..Facts::default() });
}

/// Blocks of a cluster access each other's shared memory.
#[test]
fn distributed_shared_memory_is_proved() {
    pairs(CLUSTERS, 18, &|_| Facts::default());
}

/// These kernels take textures and surfaces, which a launch that is tried makes up.
#[test]
fn textures_and_surfaces_are_made_up() {
    pairs(IMAGES, 5, &|_| Facts::default());
}

/// Threads that race in these kernels are thousands of elements apart.
#[test]
fn launches_that_are_tried_reach_far_into_arrays() {
    pairs(LARGE, 4, &|_| Facts::default());
}

/// If `volatile` counts as weak, locks and messages must order the volatile data, too.
#[test]
fn volatile_accesses_can_be_asked_about_as_ordinary_ones() {
    let facts = |name: &str| Facts {
        block: Some([64, 1, 1]),
        grid: Some([if name.starts_with("one_block") { 1 } else { 2 }, 1, 1]),
        volatile_weak: true,
        ..Facts::default()
    };
    pairs(VOLATILE, 18, &facts);
}

/// Checks all kernels of a file, which has at least `least` ones.
fn pairs(text: &str, least: usize, facts: &dyn Fn(&str) -> Facts) {
    let parsed = ptx::parse(text);
    let source = Source { tree: &parsed.module, text, name: "pairs.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let mut wrong = Vec::new();
    for kernel in 0..prover.kernels().len() {
        let start = std::time::Instant::now();
        let facts = facts(&prover.kernels()[kernel].name);
        let answer = prover.answer(kernel, &facts, &|| false);
        let name = answer.kernel.as_str();
        let right = match &answer.verdict {
            Verdict::Proved => name.ends_with("_clean"),
            Verdict::Race(race) => {
                println!("{name}: {}", race.witness);
                let again = Witness::parse(&race.witness.text()).expect("it is a launch");
                let repeated = prover.answer_launch(kernel, &again, &facts, &|| false);
                name.ends_with("_race") && matches!(repeated.verdict, Verdict::Race(_))
            }
            Verdict::Unknown(_) => name.ends_with("_open"),
            Verdict::Partly(_) => false,
        };
        if !right {
            wrong.push(format!("{name}: {:?}", answer.verdict));
        }
        println!("{name}: {:?}", start.elapsed());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(prover.kernels().len() >= least);
}

/// A kernel that is proved for all blocks is also proved for a block of 256 threads.
#[test]
fn more_facts_never_lose_a_proof() {
    for text in [PTX, CALLED, DIVIDED, KNOWN] {
        let parsed = ptx::parse(text);
        let source = Source { tree: &parsed.module, text, name: "known.ptx" };
        let prover = Prover::new(&[source]).expect("it links");
        for kernel in 0..prover.kernels().len() {
            let described = prover.kernels()[kernel].clone();
            let any = described.required_threads.is_none() && described.max_threads >= 256;
            if !described.name.ends_with("_clean") || !any {
                continue;
            }
            let proved =
                |facts: &Facts| matches!(prover.decide(kernel, facts, &|| false).0.verdict, Verdict::Proved);
            if !proved(&Facts::default()) {
                continue;
            }
            let (_, relations) = ::prove::facts::assume::parse("blockDim.x == 256 && gridDim.x <= 100")
                .expect("they are read");
            for facts in [
                Facts { block: Some([256, 1, 1]), ..Facts::default() },
                Facts { block: Some([256, 1, 1]), grid: Some([4, 1, 1]), ..Facts::default() },
                Facts { relations, ..Facts::default() },
            ] {
                assert!(proved(&facts), "{}: {facts:?}", described.name);
            }
        }
    }
    pairs(KNOWN, 3, &|_| Facts { block: Some([256, 1, 1]), ..Facts::default() });
}

/// `ld.global.nc` is an access like others: kernels with a race on the memory that it reads are not proved.
#[test]
fn loads_through_the_read_only_cache_race() {
    let parsed = ptx::parse(PTX);
    let source = Source { tree: &parsed.module, text: PTX, name: "patterns.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    for name in ["read_only_path_race", "read_only_path_own_race"] {
        let body = PTX.split_once(&format!(".entry {name}(")).and_then(|(_, rest)| rest.split_once("\n}"));
        let body = body.expect("it is there").0;
        assert!(body.contains("ld.global.nc") && !body.contains("ld.global.u32"), "{name}: {body}");
        let kernel = prover.kernels().iter().position(|k| k.name == name).expect("it is there");
        let answer = prover.answer(kernel, &Facts::default(), &|| false);
        assert!(matches!(answer.verdict, Verdict::Race(_)), "{name}: {:?}", answer.verdict);
    }
}

/// Assumption 6a: libcu++ loads or stores a part of a word and applies compare-and-swap to the whole word.
#[test]
fn strong_parts_of_a_word_and_its_atomics_are_of_one_location() {
    let all = |part: &str, word: &str| {
        let at = "and.b32 %r6, %r4, 3; cvt.u64.u32 %d7, %r6; add.s64 %d8, %d1, %d7; and.b32 %r7, %r4, 2; cvt.u64.u32 %d3, %r7; \
                  add.s64 %d4, %d1, %d3;";
        let text =
            scatter("mov.b32 %r5, 0;", at).replace("add.s64 %d6, %d1, %d5;", &format!("{part} {word}"));
        let text = text.replace("st.global.u32 [%d6], %r4;", "").replace("sm_75", "sm_90");
        told(&text.replace(".reg .b32", ".reg .b16 %h<9>; .reg .b32"), "")
    };
    let load = "ld.relaxed.gpu.global.u8 %h1, [%d8];";
    let (store, half) = ("st.relaxed.gpu.global.u8 [%d8], 1;", "st.relaxed.gpu.global.u16 [%d4], 1;");
    let swap = "atom.relaxed.gpu.global.cas.b32 %r8, [%d1], 0, 1;";
    let read = "ld.relaxed.gpu.global.u32 %r8, [%d1];";
    for (part, word) in [(load, swap), (store, read), (half, swap), (store, swap)] {
        let verdict = all(part, word);
        assert!(matches!(verdict, Verdict::Proved), "{part} {word}: {verdict:?}");
    }
    for (part, word) in [
        ("ld.global.u8 %h1, [%d8];", swap),
        ("ld.volatile.global.u8 %h1, [%d8];", swap),
        ("ld.relaxed.cta.global.u8 %h1, [%d8];", swap),
        (load, "st.relaxed.gpu.global.u32 [%d1], 1;"),
        (store, "atom.global.add.noftz.f16x2 %r8, [%d1], %r4;"),
        (store, "ld.relaxed.gpu.global.u64 %d5, [%d1];"),
        // These are two parts of different sizes.
        (load, half),
    ] {
        let verdict = all(part, word);
        assert!(!matches!(verdict, Verdict::Proved), "{part} {word}: {verdict:?}");
    }
}

/// Returns a kernel that writes `a[f(index[i])]` for each thread's `i`; `then` computes f.
fn scatter(load: &str, then: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry scatter(.param .u64 a, .param .u64 index)\n{{
        .reg .b32 %r<9>; .reg .b64 %d<9>;
        ld.param.u64 %d1, [a]; ld.param.u64 %d2, [index];
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
        mad.lo.s32 %r4, %r1, %r2, %r3;
        {load}
        {then}
        mul.wide.s32 %d5, %r5, 4; add.s64 %d6, %d1, %d5;
        st.global.u32 [%d6], %r4;
        ret;\n}}\n"
    )
}

fn told(text: &str, assume: &str) -> Verdict {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text, name: "scatter.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let relations = if assume.is_empty() {
        Vec::new()
    } else {
        prove::facts::assume::parse(assume).expect("it is read").1
    };
    prover.answer(0, &Facts { relations, ..Facts::default() }, &|| false).verdict
}

#[test]
fn different_elements_settle_scattered_writes() {
    let own = "mul.wide.s32 %d3, %r4, 4; add.s64 %d4, %d2, %d3; ld.global.u32 %r5, [%d4];";
    // Two threads read the same element.
    let halves =
        "shr.s32 %r6, %r4, 1; mul.wide.s32 %d3, %r6, 4; add.s64 %d4, %d2, %d3; ld.global.u32 %r5, [%d4];";
    let next = "ld.global.u32 %r7, [%d4+4]; mul.wide.s32 %d7, %r7, 4; add.s64 %d8, %d1, %d7;";
    let plain = scatter(own, "");
    assert!(matches!(told(&plain, "permutation(index)"), Verdict::Proved));
    assert!(matches!(told(&plain, "permutation(arg1)"), Verdict::Proved));
    for (text, assume) in [
        (&plain, ""),
        (&plain, "permutation(a)"),
        (&scatter(own, "shr.s32 %r5, %r5, 1;"), "permutation(index)"),
        (&scatter(halves, ""), "permutation(index)"),
        // Each thread reads its own element and its neighbour's.
        (&scatter(own, &format!("{next} st.global.u32 [%d8], 0;")), "permutation(index)"),
        // A byte is only a part of an element.
        (&scatter(&own.replace("ld.global.u32", "ld.global.u8"), ""), "permutation(index)"),
    ] {
        let verdict = told(text, assume);
        assert!(!matches!(verdict, Verdict::Proved), "{assume}: {text}");
    }
    let written = format!("mul.wide.s32 %d3, %r4, 4; add.s64 %d4, %d2, %d3; st.global.u32 [%d4], 7; {own}");
    assert!(!matches!(told(&scatter(&written, ""), "permutation(index)"), Verdict::Proved));
    let Verdict::Unknown(doubts) = told(&plain, "permutation(nobody)") else { panic!("there is none") };
    assert!(doubts[0].why.contains("no parameter `nobody`"), "{doubts:?}");
}

/// Returns a kernel in which each thread writes a row of a graph: `a[k]` for `k` from `rows[i]` up to but not
/// including `rows[i + last]`.
fn rows(last: u32) -> String {
    let bytes = 4 * last;
    let load = format!(
        "mul.wide.s32 %d3, %r4, 4; add.s64 %d4, %d2, %d3; ld.global.u32 %r5, [%d4]; ld.global.u32 %r6, [%d4+{bytes}];
        setp.ge.s32 %p1, %r5, %r6; @%p1 bra END;
        LOOP: "
    );
    let text = scatter(&load, "");
    let text =
        text.replace("ret;", "add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, %r6; @%p2 bra LOOP;\nEND: ret;");
    text.replace(".reg .b32", ".reg .pred %p<4>; .reg .b32")
}

#[test]
fn rows_that_grow_do_not_overlap() {
    assert!(matches!(told(&rows(1), "monotone(index)"), Verdict::Proved));
    for (text, assume) in [(rows(1), ""), (rows(1), "monotone(a)"), (rows(2), "monotone(index)")] {
        let verdict = told(&text, assume);
        assert!(!matches!(verdict, Verdict::Proved), "{assume}: {text}");
    }
    // If the end is that of a row after the next one, an ascending array shows the race.
    assert!(matches!(told(&rows(2), "monotone(index)"), Verdict::Race(_)));
}

/// An external solver decides a question that the internal solver leaves open, and the proof names it.
#[test]
fn an_smt_solver_is_asked_about_what_is_left() {
    // The squares of the thread numbers and other squares plus one are all different: x² = y² + 1 holds for
    // zero and one only.
    let squares =
        "mul.lo.s32 %r5, %r4, %r4; add.s32 %r6, %r4, 2; mul.lo.s32 %r7, %r6, %r6; add.s32 %r7, %r7, 1;
        mul.wide.s32 %d7, %r7, 4; add.s64 %d8, %d1, %d7; st.global.u32 [%d8], %r4;";
    let text = scatter(squares, "");
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text: &text, name: "squares.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    // With this few threads every version of z3 needs only a fraction of its time limit; with 64, a version
    // of 2021 needs ten seconds.
    let facts = Facts { block: Some([16, 1, 1]), grid: Some([1, 1, 1]), ..Facts::default() };
    let Verdict::Unknown(doubts) = prover.answer(0, &facts, &|| false).verdict else {
        panic!("it is decided")
    };
    assert!(doubts.iter().any(|d| d.suggestion.as_ref().is_some_and(|s| s.contains("z3"))), "{doubts:?}");
    let named = std::env::var_os("WARPRACE_SMT");
    let path = std::env::var_os("PATH");
    let smt = prove::solver::smt::Smt::find(named.as_deref().map(std::path::Path::new), path.as_deref());
    let Some(smt) = smt else { return };
    let name = smt.name();
    let answer = prover.answer(0, &Facts { smt: Some(smt), ..facts }, &|| false);
    assert!(matches!(answer.verdict, Verdict::Proved), "{:?}", answer.verdict);
    assert!(answer.assumed.iter().any(|a| a.starts_with(name)), "{:?}", answer.assumed);
}

/// Returns a kernel in which each thread reads the element that its neighbour has stored in shared memory,
/// with `barriers` in between.
fn neighbours(barriers: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) .reqntid 128\n{{
        .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<5>; .shared .align 4 .b8 s[512];
        mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; mov.u64 %d2, s; add.s64 %d3, %d2, %d1;
        st.shared.u32 [%d3], %r1;
        setp.lt.u32 %p1, %r1, 64;
        {barriers}
        xor.b32 %r2, %r1, 1; mul.wide.u32 %d1, %r2, 4; add.s64 %d3, %d2, %d1; ld.shared.u32 %r3, [%d3];
        ret;\n}}\n"
    )
}

#[test]
fn named_barriers_of_some_threads_only_wait() {
    let proved = |barriers: &str| matches!(told(&neighbours(barriers), ""), Verdict::Proved);
    assert!(proved("bar.sync 0;"));
    assert!(proved("bar.sync 3, 128;"));
    assert!(proved("@%p1 bar.sync 1, 64; bar.sync 0;"));
    assert!(proved("bar.sync 0; @%p1 bra L; bar.sync 2, 64; L:"));
    assert!(proved("mov.u32 %r4, 1; bar.sync 0; @%p1 bar.sync %r4, 64;"));
    for barriers in [
        "",
        "bar.sync 1, 64;",
        "@%p1 bar.sync 1, 64;",
        "@%p1 bar.sync 0;",
        // Two barriers share a number, so the threads that meet are unknown.
        "bar.sync 0, 128; @%p1 bar.sync 0, 64;",
        "bar.arrive 1, 256; bar.sync 1;",
        "mov.u32 %r4, 0; bar.sync 0; @%p1 bar.sync %r4, 64;",
        "@%p1 bra L; bar.sync 0; L:",
    ] {
        assert!(!proved(barriers), "{barriers}");
    }
}

/// The kernel has hundreds of accesses whose addresses cannot be told apart.
#[test]
fn a_pathological_kernel_ends_at_its_time_limit() {
    let mut body = String::new();
    for n in 0..240 {
        body += &format!(
            "mul.lo.s32 %r5, %r1, %r{}; mad.lo.s32 %r5, %r3, %r5, {n}; rem.u32 %r5, %r5, {}; mad.lo.s32 %r5, %r5, %r5, %r2;
            mul.wide.s32 %d5, %r5, 4; add.s64 %d6, %d1, %d5; st.global.u32 [%d6], {n};\n",
            1 + n % 3,
            7 + n
        );
    }
    let text = scatter("", &body);
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "pathological.ptx" };
    let prover = Prover::new(&[source]).expect("it links");
    let polls = Polls::until(50);
    let verdict = prover.decide(0, &Facts::default(), &|| polls.stop()).0.verdict;
    polls.ended_soon();
    let Verdict::Unknown(doubts) = verdict else { panic!("{verdict:?}") };
    assert!(doubts.iter().any(|d| d.why.contains("its time")), "{doubts:?}");
}

/// Stops a question when it has asked so often whether it is to stop. That is no matter of time, which other programs on the
/// machine take; without limits the questions below take minutes, or gigabytes of memory.
struct Polls {
    most: u64,
    asked: Cell<u64>,
}

impl Polls {
    fn until(most: u64) -> Polls {
        Polls { most, asked: Cell::new(0) }
    }

    fn stop(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get() > self.most
    }

    /// It was stopped, and each of its parts has ended when it learned that.
    fn ended_soon(&self) {
        let asked = self.asked.get();
        assert!(
            asked > self.most && asked < self.most + 40,
            "asked {asked} times, to stop after {}",
            self.most
        );
    }
}

/// Returns the verdict on a kernel, and the length of all that is said with it.
fn limited(text: &str, most: u64) -> (Verdict, usize) {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text, name: "pathological.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let polls = Polls::until(most);
    let answer = prover.answer(0, &Facts::default(), &|| polls.stop());
    let said = answer.assumed.iter().map(String::len).sum::<usize>() + format!("{:?}", answer.verdict).len();
    (answer.verdict, said)
}

/// The address consists of nested remainders of squares; fully expanded, the last one has 3^200 names.
#[test]
fn an_address_that_nobody_can_read_is_not_written_out() {
    let mut body = "mov.u32 %r5, %r4;".to_owned();
    for n in 0..200 {
        body += &format!("mad.lo.s32 %r5, %r5, %r5, %r{}; rem.u32 %r5, %r5, 1000;\n", 1 + n % 4);
    }
    let (_, said) = limited(&scatter("", &body), 100);
    assert!(said < 20_000, "{said} characters");
}

/// Each thread may have returned at a thousand places before; the number of paths that are distinguished is
/// limited.
#[test]
fn a_kernel_of_many_ways_ends_at_its_limits() {
    let mut body = String::new();
    for n in 0..4000 {
        body += &format!(
            "ld.global.u32 %r5, [%d2+{}]; setp.gt.s32 %p1, %r5, {n}; @%p1 ret; st.global.u32 [%d1+{}], %r5;\n",
            4 * n,
            4 * n
        );
    }
    let text = scatter("", &body).replace(".reg .b32", ".reg .pred %p<4>; .reg .b32");
    let (verdict, _) = limited(&text, 2_000);
    assert!(matches!(verdict, Verdict::Unknown(_) | Verdict::Race(_)), "{verdict:?}");
}

/// The observed launches execute matrix instructions for minutes.
#[test]
fn launches_of_a_run_end_at_the_time_limit() {
    let mma = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r5, %r6, %r7, %r8}, {%r4, %r4, %r4, %r4}, {%r4, %r4}, {%r5, %r6, %r7, %r8};\n";
    let text = scatter(
        "mov.u32 %r2, 0; LOOP:",
        &format!("{} add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 100000000; @%p1 bra LOOP;", mma.repeat(20)),
    )
    .replace(".reg .b32", ".reg .pred %p<4>; .reg .b32")
    .replace("sm_75", "sm_80");
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text: &text, name: "matrices.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let (a, b) = (1u64 << 34, 1u64 << 35);
    let launch = Arc::new(ObservedLaunch {
        info: LaunchInfo {
            kernel: "scatter".into(),
            grid: Dim3::new(16, 1, 1),
            block: Dim3::new(64, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: prover.kernels()[0].uses,
        },
        facts: LaunchFacts {
            dynamic_shared: 0,
            bytes: [a.to_le_bytes(), b.to_le_bytes()].concat(),
            parameters: [0, 8].map(|offset| Parameter { offset, bytes: 8 }).to_vec(),
            shared: Vec::new(),
        },
        memory: [a, b]
            .map(|base| ObservedMemory {
                base,
                bytes: 1 << 16,
                kind: AllocKind::Device,
                name: None,
                contents: None,
            })
            .to_vec(),
    });
    let polls = Polls::until(100);
    let launches = vec![launch; 1000];
    let answer = prover.answer_observed(0, &Facts::default(), &launches, &|| polls.stop());
    polls.ended_soon();
    let Verdict::Unknown(doubts) = answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(doubts.iter().any(|d| d.why.contains("too long")), "{doubts:?}");
}
