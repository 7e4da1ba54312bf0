//! Tests functions of one text that kernels of another text call (`-rdc=true`).

use crate::guardian::{BODY, Guardian, module, options};
use crate::support::Machine;
use events::SiteTable;
use instrument::guard::Guarded;
use instrument::pass::{Instrumented, Pass};
use instrument::prune::Pruned;
use simt::Schedule;
use std::collections::BTreeMap;
use validate::Reason;

/// Each thread writes a word of its own, and the function of the other text reads its neighbour's.
fn texts(inside: &str) -> [String; 2] {
    let body = "st.shared.u32 [%r4], %r1;\n{\n.param .b32 a;\n.param .b32 o;\nst.param.b32 [a], %r3;\n\
        call (o), f, (a);\nld.param.b32 %r6, [o];\n}";
    let declared = ".extern .func (.param .b32 o) f(.param .b32 a); .visible .entry";
    let head = ".version 7.1\n.target sm_80\n.address_size 64\n";
    let function = format!(
        ".visible .func (.param .b32 o) f(.param .b32 a)\n{{\n.reg .b32 %b<4>;\nld.param.u32 %b1, [a];\n{inside}\n\
         ld.shared.u32 %b2, [%b1+4];\nst.param.b32 [o], %b2;\nret;\n}}\n"
    );
    [module(body).replace(".visible .entry", declared), format!("{head}{function}")]
}

/// Instruments texts as an image, to which other code is linked unless it is `closed`, and validates them.
fn instrumented(texts: &[String], closed: bool) -> (Instrumented, SiteTable, Pass) {
    let (mut sites, pass) = (SiteTable::default(), Pass::Guard(options(), None));
    let made = Instrumented::of(texts, closed, &pass, 0, &mut sites, &|_| true).unwrap();
    let declared = made.declared(&pass, 0);
    for (original, text) in texts.iter().zip(&made.texts) {
        validate::validate(original, text, &declared).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    }
    (made, sites, pass)
}

/// Returns the lines of the races, in the order of their texts' lines.
fn races(texts: &[String], closed: bool) -> Vec<[u32; 2]> {
    let mut all = Vec::new();
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        let (made, sites, _) = instrumented(texts, closed);
        let linked: Vec<&str> = made.texts.iter().map(String::as_str).collect();
        let machine = Machine::linked(&linked).unwrap_or_else(|e| panic!("{e}\n{}", linked.join("\n")));
        let guarded = Guarded {
            text: String::new(),
            checks: made.checks,
            kernels: Vec::new(),
            unchecked: BTreeMap::new(),
            pruned: Pruned::default(),
            launched: BTreeMap::new(),
            groups: BTreeMap::new(),
            left_out: Vec::new(),
        };
        let guardian = Guardian::on(machine, guarded, sites, schedule);
        let words = guardian.machine.upload(&[0; 512]);
        guardian.machine.finish("k", 1, 64, args![words]);
        for (first, second, _) in guardian.seen() {
            let pair = [first.min(second), first.max(second)];
            if !all.contains(&pair) {
                all.push(pair);
            }
        }
    }
    all
}

#[test]
fn functions_of_other_texts_know_what_their_callers_know() {
    // The read is in line 9 of the second text.
    assert_eq!(races(&texts(""), true), [[9, BODY]]);
    let none: [[u32; 2]; 0] = [];
    assert_eq!(races(&texts("bar.sync 0;"), true), none);
    // Code that is not in these texts may call the function, too, and does not pass the state.
    assert_eq!(races(&texts(""), false), none);
}

#[test]
fn calls_of_functions_of_other_texts_are_not_counted_as_unchecked() {
    let unchecked = |closed| instrumented(&texts(""), closed).0.unchecked.values().sum::<u32>();
    assert_eq!((unchecked(true), unchecked(false)), (0, 1));
}

/// A caller and a function that disagree on the additional parameter would read each other's registers.
#[test]
fn texts_that_disagree_on_a_function_are_rejected() {
    let texts = texts("");
    let (linked, _, pass) = instrumented(&texts, true);
    let (open, ..) = instrumented(&texts, false);
    for n in [0, 1] {
        let of_open = validate::validate(&texts[n], &open.texts[n], &linked.declared(&pass, 0));
        let of_linked = validate::validate(&texts[n], &linked.texts[n], &open.declared(&pass, 0));
        for fault in [of_open, of_linked].map(|checked| checked.unwrap_err().reason) {
            assert!(matches!(fault, Reason::Undeclared(_)), "{n}: {fault}");
        }
    }
    // A kernel whose buffer is smaller than what the function stores there.
    let place = "__warprace_known[";
    let at = linked.texts[0].find(place).unwrap() + place.len();
    let digits = linked.texts[0][at..].find(']').unwrap();
    let mut small = linked.texts[0].clone();
    small.replace_range(at..at + digits, "8");
    let fault = validate::validate(&texts[0], &small, &linked.declared(&pass, 0)).unwrap_err().reason;
    assert!(matches!(fault, Reason::Undeclared(_)), "{fault}");
}
