//! Programs of `tests/prove/admitted.cu` and the files like it, in pairs: what the host code of a clean one admits races
//! for no input, what that of a racy one admits races for some. Kernels are the same, so the host code decides.
//!
//! The host code's IR and the kernels' PTX are kept beside the source; each function of the IR is taken for a `main`.

use kernels::Source;
use prove::launches::of_host_code;
use prove::{Facts, Prover, Verdict};

const HOST: &str = include_str!("../../../tests/prove/admitted.ll");
const PTX: &str = include_str!("../../../tests/prove/admitted.ptx");
const EXCHANGED: &str = include_str!("../../../tests/prove/exchanged.ll");
const EXCHANGED_PTX: &str = include_str!("../../../tests/prove/exchanged.ptx");

const REALISTIC: &str = include_str!("../../../tests/prove/realistic.ll");
const REALISTIC_PTX: &str = include_str!("../../../tests/prove/realistic.ptx");
const FILLED: &str = include_str!("../../../tests/prove/filled.ll");
const FILLED_PTX: &str = include_str!("../../../tests/prove/filled.ptx");
const SCANNED: &str = include_str!("../../../tests/prove/scanned.ll");
const SCANNED_PTX: &str = include_str!("../../../tests/prove/scanned.ptx");
const TABLES: &str = include_str!("../../../tests/prove/tables.ll");
const TABLES_PTX: &str = include_str!("../../../tests/prove/tables.ptx");
const TRIED: &str = include_str!("../../../tests/prove/tried.ll");
const TRIED_PTX: &str = include_str!("../../../tests/prove/tried.ptx");
const CHOSEN: &str = include_str!("../../../tests/prove/chosen.ll");
const CHOSEN_PTX: &str = include_str!("../../../tests/prove/chosen.ptx");
const GROWN: &str = include_str!("../../../tests/prove/grown.ll");
const GROWN_PTX: &str = include_str!("../../../tests/prove/grown.ptx");
const BOUNDED: &str = include_str!("../../../tests/prove/bounded.ll");
const BOUNDED_PTX: &str = include_str!("../../../tests/prove/bounded.ptx");

/// Programs that get no answer.
const OPEN: [&str; 0] = [];

/// The definitions of a module, by name; and all else.
fn definitions(host: &'static str) -> (Vec<(&'static str, &'static str)>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut left = host;
    while let Some(at) = left.find("define ") {
        rest += &left[..at];
        let end = left[at..].find("\n}\n").expect("an end") + at + 3;
        let text = &left[at..end];
        let name = text.split_once('@').and_then(|(_, n)| n.split_once('(')).expect("a name").0;
        found.push((name, text));
        left = &left[end..];
    }
    rest += left;
    (found, rest)
}

fn is_program(name: &str) -> bool {
    name.ends_with("_clean") || name.ends_with("_race")
}

/// The module of a program: its function as `main`, and what it calls.
fn module(name: &str, definitions: &[(&str, &str)], rest: &str) -> String {
    let own = definitions.iter().find(|(n, _)| *n == name).expect("it is there").1;
    let mut text = rest.to_owned();
    for (other, body) in definitions.iter().filter(|(n, _)| !is_program(n)) {
        // A function that launches for some programs only.
        if !other.contains("launch") || own.contains(&format!("@{other}(")) {
            text += body;
        }
    }
    text + &own.replace(&format!("@{name}("), "@main(")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Proved,
    /// With an input that makes the launch.
    Race,
    Open,
}

fn answer(prover: &mut Prover<'_>, text: &str) -> (Answer, String) {
    let found = of_host_code(&[text]);
    let (mut whole, mut all) = (Answer::Proved, String::new());
    for (kernel, launched) in found.kernels.iter().filter(|(_, l)| !l.is_unused()) {
        let index = prover.kernels().iter().position(|k| k.name == *kernel).expect("it is there");
        let answer = prover.answer_for_host_code(index, &Facts::default(), launched, &|| false);
        let one = match &answer.verdict {
            Verdict::Proved => Answer::Proved,
            Verdict::Race(race) if race.started.is_some() => Answer::Race,
            _ => Answer::Open,
        };
        let shown = match &answer.verdict {
            Verdict::Proved => format!("proved, assuming {:?}", answer.assumed),
            Verdict::Race(race) => format!("race in {}, {:?}", race.witness, race.started),
            other => format!("{other:?}"),
        };
        all += &format!("\n    {kernel}: {shown}");
        whole = match (whole, one) {
            (Answer::Race, _) | (_, Answer::Race) => Answer::Race,
            (Answer::Open, _) | (_, Answer::Open) => Answer::Open,
            _ => Answer::Proved,
        };
    }
    (whole, all)
}

/// Asks about all programs of a source, and returns their number.
fn ask_all(host: &'static str, text: &str) -> usize {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text, name: "admitted.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let (definitions, rest) = definitions(host);
    let only = std::env::var("PROGRAM").unwrap_or_default();
    let (mut wrong, mut count) = (String::new(), 0);
    let programs = definitions.iter().map(|(n, _)| *n).filter(|n| is_program(n) && n.contains(&only));
    for name in programs {
        let (found, shown) = answer(&mut prover, &module(name, &definitions, &rest));
        let expected = match (OPEN.contains(&name), name.ends_with("_clean")) {
            (true, _) => Answer::Open,
            (false, true) => Answer::Proved,
            (false, false) => Answer::Race,
        };
        println!("{name}: {found:?}{shown}");
        if found != expected {
            wrong += &format!("\n{name}: {found:?} instead of {expected:?}{shown}");
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 0 || !only.is_empty());
    count
}

/// Asks about a program in which one text of its host code or of the kernels is another one.
fn answer_of_variant(all: &'static str, kernels: &str, [name, from, to]: [&str; 3]) -> (Answer, String) {
    let (definitions, rest) = definitions(all);
    let host = module(name, &definitions, &rest);
    assert_eq!(host.matches(from).count() + kernels.matches(from).count(), 1, "{name}: `{from}`");
    let text = kernels.replace(from, to);
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text: &text, name: "variant.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    answer(&mut prover, &host.replace(from, to))
}

#[test]
fn host_code_decides_for_all_inputs() {
    let count = ask_all(HOST, PTX);
    assert!(count >= 120 || std::env::var_os("PROGRAM").is_some(), "{count}");
}

/// Pointers that loops exchange, disjunctions, powers of two, rows of a rounded pitch, and files.
#[test]
fn exchanged_pointers_and_checked_numbers_decide_for_all_inputs() {
    ask_all(EXCHANGED, EXCHANGED_PTX);
}

/// Index arrays whose contents the host code computes, in variants of two clean programs: a proof needs different words
/// for each input.
#[test]
fn contents_count_for_every_input() {
    let parsed = ptx::parse(PTX);
    let source = Source { tree: &parsed.module, text: PTX, name: "admitted.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let (definitions, rest) = definitions(HOST);
    let mut ask = |name: &str, changes: &[(&str, &str)]| {
        let mut text = module(name, &definitions, &rest);
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "`{from}` in {text}");
            text = text.replace(from, to);
        }
        answer(&mut prover, &text)
    };
    let (identity, few) = ("identity_clean", "few_indices_clean");
    let proved = [
        // The number of blocks does not depend on the input.
        ask(identity, &[("i64 %.sroa.022.0.insert.insert, i32 1", "i64 4294967300, i32 1")]),
        ask(identity, &[("store i32 %22, ptr %21", "%w = xor i32 %22, 1\n  store i32 %w, ptr %21")]),
    ];
    for (found, shown) in proved {
        assert_eq!(found, Answer::Proved, "{shown}");
    }
    let others = [
        // Some numbers of indices make two of them equal.
        ask(identity, &[("store i32 %22, ptr %21", "%w = urem i32 %22, 200\n  store i32 %w, ptr %21")]),
        ask(identity, &[("store i32 %22, ptr %21", "%w = and i32 %22, -129\n  store i32 %w, ptr %21")]),
        // The number of arguments decides about the indices.
        ask(few, &[("%15 = sub i32 7, %14", "%15 = and i32 %0, %14")]),
        ask(few, &[("%15 = sub i32 7, %14", "%15 = srem i32 %14, 7")]),
        // The kernel writes to the array of its indices.
        ask(few, &[("(ptr noundef %9, ptr noundef %24, i32", "(ptr noundef %9, ptr noundef %9, i32")]),
        ask(
            identity,
            &[("(ptr noundef %16, ptr noundef %24, i32", "(ptr noundef %16, ptr noundef %16, i32")],
        ),
    ];
    for (found, shown) in others {
        assert_ne!(found, Answer::Proved, "{shown}");
    }
}

/// Classes, templates, lambdas, options, limits, the environment, streams, pitches and strings.
#[test]
fn programs_as_applications_are_written_are_answered() {
    ask_all(REALISTIC, REALISTIC_PTX);
}

/// Index arrays of any length that loops fill, and pointers in arrays.
#[test]
fn what_loops_fill_decides_for_all_inputs() {
    ask_all(FILLED, FILLED_PTX);
}

/// Segments between ascending words: running sums, multiples, numbers in a row.
#[test]
fn what_loops_sum_up_decides_for_all_inputs() {
    ask_all(SCANNED, SCANNED_PTX);
}

/// Tables of arrays that are allocated one by one.
#[test]
fn what_tables_lead_to_decides_for_all_inputs() {
    ask_all(TABLES, TABLES_PTX);
}

/// Programs of a trial: options, the environment, classes, template switches, powers of two, halves.
#[test]
fn programs_of_a_trial_are_answered() {
    ask_all(TRIED, TRIED_PTX);
}

/// Segments of rows whose counters are of 32 bits, the library's sums, and tables of configurations.
#[test]
fn what_rows_and_tables_say_decides_for_all_inputs() {
    ask_all(CHOSEN, CHOSEN_PTX);
}

/// Vectors that grow word by word, are filled, and are sorted.
#[test]
fn vectors_that_grow_and_are_sorted_decide_for_all_inputs() {
    ask_all(GROWN, GROWN_PTX);
}

/// Words that are constants, remainders, or the least of two numbers.
#[test]
fn bounds_of_words_decide_for_all_inputs() {
    ask_all(BOUNDED, BOUNDED_PTX);
}

/// Variants of clean programs, and of their kernels, in which some word may be out of bounds.
#[test]
fn words_that_may_be_out_of_bounds_are_not_proved() {
    let variants = [
        // Another constant; one word that is stored behind the loop.
        ("same_clean", "store i32 8, ptr", "store i32 9, ptr"),
        ("same_clean", "%19 = add nuw", "store i32 9, ptr %16, align 4\n  %19 = add nuw"),
        ("last_clean", "%17 = add nsw i32 %14, -1", "%17 = add nsw i32 %14, 0"),
        ("constructed_clean", "store i32 8, ptr", "store i32 %14, ptr"),
        // Quotients, remainders of numbers with a sign, and by another number.
        ("below_clean", "srem i32 %21, %14", "sdiv i32 %21, %14"),
        ("below_clean", "call i32 @rand()", "call i32 @getchar()"),
        ("below_clean", "srem i32 %21, %14", "srem i32 %21, 5000"),
        ("in_order_clean", "= srem i32", "= add i32"),
        // The greatest of two numbers, numbers with a sign, and products of the counter.
        ("least_clean", "call i32 @llvm.smin.i32", "call i32 @llvm.smax.i32"),
        ("least_clean", "mul i32 %21, 3", "mul i32 %21, -3"),
        ("half_clean", "lshr i32 %19, 1", "shl i32 %19, 1"),
        // The kernel writes the array before it reads it, or goes on for one turn more.
        ("last_clean", "ld.global.u32 \t%r6", "st.global.u32 \t[%rd6], %r2;\nld.global.u32 \t%r6"),
        ("same_clean", "setp.lt.s32 \t%p3, %r11, %r2", "setp.le.s32 \t%p3, %r11, %r2"),
    ];
    for (name, from, to) in variants {
        let (found, shown) = answer_of_variant(BOUNDED, BOUNDED_PTX, [name, from, to]);
        assert_ne!(found, Answer::Proved, "{name}, {to}: {shown}");
    }
}

/// Variants of a clean kernel over rows, of its host code, and of a table of configurations, that race.
#[test]
fn rows_and_tables_that_are_changed_are_not_proved() {
    let variants = [
        // A turn in front of the first comparison, or behind the last one; the end of the next row; longer steps.
        ("sparse_clean", "@%p2 bra", "// @%p2 bra"),
        ("sparse_clean", "setp.lt.s32 \t%p3", "setp.le.s32 \t%p3"),
        ("sparse_clean", "ld.global.u32 \t%r10, [%rd1+4]", "ld.global.u32 \t%r10, [%rd1+8]"),
        ("sparse_clean", "add.s64 \t%rd11, %rd11, 4", "add.s64 \t%rd11, %rd11, 8"),
        // The kernel writes the rows' ends.
        ("sparse_clean", "ld.global.u32 \t%r10", "st.global.u32 \t[%rd1+4], %r11;\nld.global.u32 \t%r10"),
        // An entry that races, and one behind the table.
        ("table_clean", "i32 4, i32 2, i32 128", "i32 4, i32 4, i32 128"),
        ("table_clean", "icmp ugt i32 %9, 2", "icmp ugt i32 %9, 3"),
    ];
    for (name, from, to) in variants {
        let (found, shown) = answer_of_variant(CHOSEN, CHOSEN_PTX, [name, from, to]);
        assert_ne!(found, Answer::Proved, "{name}, {to}: {shown}");
    }
}

/// Variants of clean programs in which two pointers lead to one array in some turn, or in which one more number is admitted.
#[test]
fn what_loops_exchange_and_checks_admit_decides() {
    let parsed = ptx::parse(EXCHANGED_PTX);
    let source = Source { tree: &parsed.module, text: EXCHANGED_PTX, name: "exchanged.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let (definitions, rest) = definitions(EXCHANGED);
    let variants = [
        // Edges of phis, and sides of selects.
        ("swapped_clean", "[ %.promoted, %.lr.ph ], [ %28,", "[ %.promoted29, %.lr.ph ], [ %28,"),
        ("swapped_clean", "%.lr.ph ], [ %28,", "%.lr.ph ], [ %27,"),
        ("swapped_clean", "[ %.promoted29, %.lr.ph ], [ %27,", "[ %.promoted, %.lr.ph ], [ %27,"),
        ("swapped_clean", "%.lr.ph ], [ %27,", "%.lr.ph ], [ %28,"),
        ("rotated_clean", "%.lr.ph ], [ %29,", "%.lr.ph ], [ %31,"),
        ("rotated_clean", "%.lr.ph ], [ %30,", "%.lr.ph ], [ %31,"),
        ("both_chosen_clean", "select i1 %.not, ptr %22, ptr %21", "select i1 %.not, ptr %21, ptr %22"),
        ("both_chosen_clean", "select i1 %.not, ptr %22, ptr %21", "select i1 %.not15, ptr %22, ptr %21"),
        // A block of 8 threads, and one of 48.
        ("power_of_two_clean", "add i32 %10, -32", "add i32 %10, -8"),
        ("power_of_two_clean", "icmp ult i32 %12, 2", "icmp ult i32 %12, 3"),
    ];
    for (name, from, to) in variants {
        let text = module(name, &definitions, &rest);
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {text}");
        let (found, shown) = answer(&mut prover, &text.replace(from, to));
        assert_ne!(found, Answer::Proved, "{name}, {to}: {shown}");
    }
}
