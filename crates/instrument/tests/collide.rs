//! Tests instrumented kernels on the virtual GPU: their behaviour is unchanged, and their reports are as
//! expected.

use crate::support::Machine;
use crate::toolkit::ptxas;
use events::SiteTable;
use events::task::AllocKind;
use instrument::Error;
use instrument::collide::{Check, Collided, KINDS, Kind, Options, Unchecked};
use instrument::pass::{Instrumented, Pass};
use instrument::sample::Blocks;
use instrument::sink::{Memory, RECORD, Record};
use simt::{Region, Schedule};
use std::process::Command;

const SINK: u64 = instrument::sink::ADDRESS;

/// Instruments a text with a table of sites that is discarded.
fn collide(text: &str, options: &Options) -> Result<Collided, Error> {
    instrument::collide::collide(text, options, &mut SiteTable::default(), &|_| true)
}

/// An instrumented module on a machine, with its sink.
struct Checked {
    machine: Machine,
    collided: Collided,
    sites: SiteTable,
    _sink: Box<[u64]>,
}

impl Checked {
    fn new(text: &str, options: &Options) -> Checked {
        let mut sites = SiteTable::default();
        let collided = instrument::collide::collide(text, options, &mut sites, &|_| true).unwrap();
        let declared = Pass::Collide(options.clone()).declared(collided.checks.len() as u32);
        validate::validate(text, &collided.text, &declared)
            .unwrap_or_else(|fault| panic!("{fault}\n{}", collided.text));
        let mut machine =
            Machine::try_new(&collided.text).unwrap_or_else(|e| panic!("{e}\n{}", collided.text));
        machine.options.schedule = Schedule::RoundRobin { quantum: 4 };
        let bytes = (collided.checks.len() as u64 + 1) * u64::from(KINDS) * RECORD;
        let mut sink = vec![0u64; (bytes / 8) as usize].into_boxed_slice();
        machine
            .memory
            .map(Region {
                base: SINK,
                bytes,
                host: sink.as_mut_ptr().cast(),
                kind: AllocKind::Device,
                device: 0,
                accessible_from: 1,
                read_only: false,
            })
            .unwrap();
        Checked { machine, collided, sites, _sink: sink }
    }

    /// Returns the reports: line of the original text, kind, and record.
    fn seen(&self) -> Vec<(u32, u32, Record)> {
        let mut found = Vec::new();
        for (i, check) in self.collided.checks.iter().enumerate() {
            let line = self.sites.get(check.site).unwrap().ptx_line;
            for kind in 0..KINDS {
                let mut bytes = [0; RECORD as usize];
                let at = SINK + (i as u64 * u64::from(KINDS) + u64::from(kind)) * RECORD;
                self.machine.memory.read(at, &mut bytes).unwrap();
                found.extend(Record::read(&bytes).map(|record| (line, kind, record)));
            }
        }
        found
    }
}

fn module(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n\
         {body}\nret;\n}}\n"
    )
}

/// The line of the first instruction of a [`module`]'s body.
const BODY: u32 = 15;

#[test]
fn a_value_that_another_block_changes_is_a_clobbered_read() {
    let text = module(
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\n{LATER}\nld.global.u32 %r4, [%rd1];\nbra E;\nW:\nst.global.u32 [%rd1], %r2+1;\nE:",
    );
    // The check of a store begins in front of it.
    let text = text.replace("{LATER}", &"add.u32 %r5, %r5, 1;".repeat(8));
    // `%r2+1` is not a valid operand.
    let text = text.replace("st.global.u32 [%rd1], %r2+1;", "st.global.u32 [%rd1], 7;");
    let checked = Checked::new(&text, &Options::balanced(SINK));
    let word = checked.machine.upload(&[0]);
    checked.machine.finish("k", 2, 1, args![word]);
    let seen = checked.seen();
    assert_eq!(seen.len(), 1, "{seen:?}");
    let (line, kind, record) = seen[0];
    assert_eq!((line, kind), (BODY + 3, Kind::ClobberedRead as u32));
    let first = record.first.unwrap();
    assert_eq!((first.address, first.block, first.thread), (word, [1, 0, 0], [0, 0, 0]));
}

#[test]
fn a_longer_delay_meets_a_later_write() {
    let body = "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra R;\n{LATER}\nst.global.u32 [%rd1], 7;\nbra E;\nR:\nld.global.u32 %r4, [%rd1];\nE:";
    let text = module(&body.replace("{LATER}", &"add.u32 %r5, %r5, 1;".repeat(200)));
    for (engine, found) in [("collide:fastest", 0), ("collide:fastest:rdelay=1000000", 1)] {
        let options = Options::of(engine.parse().unwrap(), SINK).unwrap();
        let checked = Checked::new(&text, &options);
        let word = checked.machine.upload(&[0]);
        checked.machine.finish("k", 2, 1, args![word]);
        assert_eq!(checked.seen().len(), found, "{engine}");
    }
    let options = |engine: &str| Options::of(engine.parse().unwrap(), SINK).unwrap();
    let late = options("collide:balanced:wdelay=333");
    assert_eq!((late.read_delay, late.write_delay), (options("collide:balanced").read_delay, 333));
}

#[test]
fn narrow_addresses_wrap_as_the_program_has_them() {
    // The register lies below the window by the amount that the offset adds.
    let text = module(
        ".shared .align 4 .b8 s[128];\nmov.u32 %r6, s;\nmul.lo.u32 %r7, %r1, 4;\nsub.u32 %r6, %r6, %r7;\n\
         st.shared.u32 [%r6+124], %r1;\nld.shared.u32 %r5, [%r6+124];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
         st.global.u32 [%rd1], %r5;",
    );
    let checked = Checked::new(&text, &Options { prune: false, ..Options::patient(SINK) });
    let base = checked.machine.upload(&[0; 32]);
    checked.machine.finish("k", 1, 32, args![base]);
    assert_eq!(checked.machine.words(base, 32), (0..32).collect::<Vec<_>>());
    assert_eq!(checked.seen(), []);
}

#[test]
fn ordered_blocks_see_nothing() {
    // Each block and each of its lanes have a word of their own.
    let text = module(
        "mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
         ld.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 3;\nst.global.u32 [%rd1], %r5;",
    );
    let checked = Checked::new(&text, &Options::balanced(SINK));
    let words = checked.machine.upload(&(0..256).collect::<Vec<_>>());
    checked.machine.finish("k", 4, 64, args![words]);
    assert_eq!(checked.machine.words(words, 256), (3..259).collect::<Vec<u32>>());
    assert_eq!(checked.seen(), []);
}

#[test]
fn lanes_that_write_one_word_are_a_lost_update_within_the_warp() {
    let text = module("st.global.u32 [%rd1], 5;");
    for equal_values in [true, false] {
        let options = Options { equal_values, ..Options::fastest(SINK) };
        let checked = Checked::new(&text, &options);
        let word = checked.machine.upload(&[0]);
        checked.machine.finish("k", 1, 32, args![word]);
        let kinds: Vec<u32> = checked.seen().iter().map(|&(_, kind, _)| kind).collect();
        let expected: &[u32] = if equal_values { &[1] } else { &[] };
        assert_eq!(kinds, expected, "all lanes write 5; report equal values: {equal_values}");
    }
    let checked = Checked::new(
        &module("st.global.u32 [%rd1], %r1;"),
        &Options { equal_values: false, ..Options::fastest(SINK) },
    );
    let word = checked.machine.upload(&[0]);
    checked.machine.finish("k", 1, 32, args![word]);
    assert!(checked.seen().iter().any(|&(_, kind, _)| kind == 1), "lanes write different values");
}

#[test]
fn bytes_halves_vectors_and_guards_keep_their_values() {
    // Every thread works on 32 bytes of its own.
    let text = module(
        "mul.wide.u32 %rd2, %r1, 32;\nadd.s64 %rd1, %rd1, %rd2;\n\
         st.global.u8 [%rd1+1], -1;\nld.global.s8 %r4, [%rd1+1];\n\
         ld.global.u16 %h1, [%rd1];\nst.global.u16 [%rd1+2], %h1;\n\
         ld.global.f32 %f1, [%rd1];\nst.global.v2.f32 [%rd1+8], {%f1, 0f3F800000};\n\
         ld.global.v2.u32 {_, %r5}, [%rd1+8];\n\
         and.b32 %r6, %r1, 1;\nsetp.eq.u32 %p1, %r6, 1;\n\
         @%p1 st.global.u32 [%rd1+16], %r4;\n@!%p1 st.global.u32 [%rd1+16], %r5;\n\
         st.global.u64 [%rd1+24], %rd1;\nld.global.u64 %rd1, [%rd1+24];\nld.u32 %r7, [%rd1+8];\nst.u32 [%rd1+20], %r7;",
    );
    let plain = Machine::new(&text);
    let checked = Checked::new(&text, &Options::fastest(SINK));
    let words = |m: &Machine| {
        let base = m.upload(&[0xff00_ff00; 8 * 64]);
        m.finish("k", 1, 64, args![base]);
        let mut words = m.words(base, 8 * 64);
        // The word that contains the address itself.
        words.chunks_mut(8).for_each(|w| w[6] = 0);
        words
    };
    assert_eq!(words(&plain), words(&checked.machine));
    assert_eq!(checked.seen(), []);
    assert_eq!(checked.collided.unchecked.len(), 0);
}

#[test]
fn generic_addresses_of_local_memory_are_nobodys_business() {
    let text = module(
        ".local .align 4 .b32 mine;\nmov.u64 %rd2, mine;\ncvta.local.u64 %rd2, %rd2;\nst.u32 [%rd2], %r1;\n\
         ld.u32 %r4, [%rd2];\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd1, %rd1, %rd3;\nst.global.u32 [%rd1], %r4;",
    );
    let checked = Checked::new(&text, &Options::fastest(SINK));
    let base = checked.machine.upload(&[0; 32]);
    checked.machine.finish("k", 1, 32, args![base]);
    assert_eq!(checked.machine.words(base, 32), (0..32).collect::<Vec<_>>());
    assert_eq!(checked.seen(), []);
}

#[test]
fn shuffled_blocks_all_run_once() {
    let text = module("mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\nred.global.add.u32 [%rd1], 1;");
    for key in 0..6 {
        let checked = Checked::new(&text, &Options { shuffle: Some(key), ..Options::fastest(SINK) });
        assert!(checked.collided.shuffled);
        let base = checked.machine.upload(&[0; 37]);
        checked.machine.finish("k", 37, 1, args![base]);
        assert_eq!(checked.machine.words(base, 37), [1; 37]);
    }
}

#[test]
fn shuffled_blocks_are_told_by_the_names_that_the_program_has_for_them() {
    // Block 2, by its original number, writes when it observes the change.
    let text = module(
        "setp.eq.u32 %p1, %r2, 2;\n@!%p1 bra W;\nst.global.u32 [%rd1], 1;\nld.global.u32 %r4, [%rd1];\nbra E;\n\
         W: ld.relaxed.gpu.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra W;\nst.relaxed.gpu.global.u32 [%rd1], 3;\nE:",
    );
    for key in 0..6 {
        let checked = Checked::new(&text, &Options { shuffle: Some(key), ..Options::patient(SINK) });
        let word = checked.machine.upload(&[0]);
        checked.machine.finish("k", 3, 1, args![word]);
        let blocks: Vec<_> = checked.seen().iter().map(|(_, _, r)| r.first.unwrap().block).collect();
        assert!(!blocks.is_empty() && blocks.iter().all(|block| *block == [2, 0, 0]), "{key}: {blocks:?}");
    }
}

#[test]
fn a_kernel_stops_where_it_has_seen_a_race_if_a_debugger_is_to_look() {
    let text = module(
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\nld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd1+8], 5;\nbra E;\nW:\nst.global.u32 [%rd1], 7;\nE:",
    );
    for trap in [false, true] {
        let checked = Checked::new(&text, &Options { trap, ..Options::patient(SINK) });
        let words = checked.machine.upload(&[0; 3]);
        let (ended, _) = checked.machine.run("k", 2, 1, args![words]);
        assert_eq!(ended != simt::Progress::Finished, trap, "{ended:?}");
        let seen = checked.seen();
        // The record is complete, and later instructions were not executed.
        assert_eq!(seen.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [BODY + 2]);
        assert!(seen[0].2.first.is_some());
        assert_eq!(checked.machine.words(words, 3)[2], if trap { 0 } else { 5 });
    }
    // A kernel without a race is not stopped.
    let own = module(
        "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], 7;\nld.global.u32 %r4, [%rd1];",
    );
    let checked = Checked::new(&own, &Options { trap: true, ..Options::patient(SINK) });
    let words = checked.machine.upload(&[0; 3]);
    checked.machine.finish("k", 3, 1, args![words]);
    assert_eq!(checked.machine.words(words, 3), [7; 3]);
}

#[test]
fn blocks_that_are_not_looked_at_do_the_same_as_those_that_are() {
    // A loop, a label, a scope and a variable in shared memory, which both bodies use.
    let text = module(
        ".shared .align 4 .b8 s[128];\nmad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
         mov.u32 %r6, s;\nmul.lo.u32 %r7, %r1, 4;\nadd.u32 %r6, %r6, %r7;\nmov.u32 %r5, 0;\n\
         L: { .reg .b32 %r<9>; mov.u32 %r1, 1; }\nst.shared.u32 [%r6], %r5;\nld.shared.u32 %r8, [%r6];\n\
         add.u32 %r5, %r8, 2;\nsetp.lt.u32 %p1, %r5, 100;\n@%p1 bra L;\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [%rd1], %r5;",
    );
    let plain = Machine::new(&text);
    let words = plain.upload(&[0; 400 * 32]);
    let alone = plain.finish("k", 400, 32, args![words]).thread_instructions;
    for preset in ["fastest", "balanced", "sampled", "patient"] {
        let checked = Checked::new(&text, &Options::preset(preset, SINK).unwrap());
        let own = checked.machine.upload(&[0; 400 * 32]);
        let stats = checked.machine.finish("k", 400, 32, args![own]);
        assert_eq!(checked.machine.words(own, 400 * 32), plain.words(words, 400 * 32), "{preset}");
        // Nearly all blocks execute only the choice.
        if preset == "sampled" {
            let more = (stats.thread_instructions - alone) / (400 * 32);
            assert!(more < 48, "{more} more instructions a thread");
        }
        assert_eq!(checked.seen(), [], "{preset}");
    }
}

#[test]
fn a_sample_of_many_blocks_is_looked_at() {
    // All lanes of a block write to one word of the block: each checked block counts once.
    let text = module("mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], 5;");
    let seen = |blocks: Blocks, prune| {
        let checked = Checked::new(&text, &Options { blocks, prune, ..Options::fastest(SINK) });
        let words = checked.machine.upload(&[0; 1000]);
        checked.machine.finish("k", 1000, 32, args![words]);
        checked.seen().iter().map(|(_, _, record)| record.count).sum::<u32>() / 32
    };
    let some = Blocks { first: 10, one_of: 16 };
    assert_eq!(seen(Blocks::ALL, true), 1000);
    assert_eq!(seen(some, false), 1000, "nothing is left out where pruning is off");
    let sample = seen(some, true);
    assert!((10 + 50..10 + 75).contains(&sample), "{sample}");
}

#[test]
fn copies_copy_and_see_who_overwrites_their_source() {
    // The writer is a thread of another warp, without synchronisation, `later` instructions later; or no
    // thread.
    let run = |bytes: &str, writer: u32, later: usize| {
        let text = module(&format!(
            ".shared .align 16 .b8 s[16];\nmov.u32 %r4, s;\nsetp.eq.u32 %p1, %r1, 0;\n\
             setp.eq.u32 %p2, %r1, {writer};\n\
             @!%p1 bra G; {} G: @%p1 mov.u32 %r7, 16; @%p1 cp.async.ca.shared.global [%r4], [%rd1], {bytes};\n{}\
             @%p2 st.global.u32 [%rd1+4], 9;\ncp.async.wait_all;\nbar.sync 0;\n\
             ld.shared.u32 %r5, [%r4+8];\n@%p1 st.global.u32 [%rd1+32], %r5;",
            "add.u32 %r6, %r6, 1;".repeat(16),
            "add.u32 %r6, %r6, 1;".repeat(later)
        ));
        let mut checked = Checked::new(&text, &Options::balanced(SINK));
        checked.machine.options.schedule = Schedule::RoundRobin { quantum: 1 };
        assert_eq!(checked.collided.unchecked.len(), 0);
        let words = checked.machine.upload(&[1, 2, 3, 4, 0, 0, 0, 0, 0]);
        checked.machine.finish("k", 1, 64, args![words]);
        assert_eq!(checked.machine.words(words, 9)[8], 3);
        let seen = checked.seen();
        for (line, kind, record) in &seen {
            let first = record.first.unwrap();
            assert_eq!((*line, *kind), (BODY + 4, 0));
            assert_eq!((first.address, first.expected, first.found), (words + 4, 2, 9));
        }
        !seen.is_empty()
    };
    // The number of bytes to copy, in the forms of the CUDA headers.
    for bytes in ["16", "16, 16", "16, %r7"] {
        assert!(
            (0..20).any(|later| run(bytes, 32, later)),
            "the writer comes while the copier looks: {bytes}"
        );
        assert!((0..20).all(|later| !run(bytes, 99, later)), "nobody writes: {bytes}");
    }
}

#[test]
fn bulk_copies_see_who_overwrites_their_source() {
    // A copy of 16 bytes is read as a whole, so the result does not depend on chance.
    let run = |writer: u32, later: usize| {
        let text = module(&format!(
            ".shared .align 16 .b8 s[16];\nmov.u32 %r4, s;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, {writer};\n\
             @!%p1 bra G;\nst.shared.v4.u32 [%r4], {{1, 2, 3, 4}};\n\
             cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nbra E;\nG: {}\
             @%p2 st.shared.u32 [%r4+8], 9;\nE:",
            "add.u32 %r6, %r6, 1;".repeat(later)
        ));
        let text = text.replace("7.0", "8.0").replace("sm_75", "sm_90");
        // With long sleeps the writer would precede the copy, whose source is written and checked, too.
        let options = Options { read_delay: 16, write_delay: 1, ..Options::patient(SINK) };
        let mut checked = Checked::new(&text, &options);
        checked.machine.options.schedule = Schedule::RoundRobin { quantum: 1 };
        assert_eq!(checked.collided.unchecked.len(), 0);
        let words = checked.machine.upload(&[0; 4]);
        checked.machine.finish("k", 1, 64, args![words]);
        assert_eq!(checked.machine.words(words, 2), [1, 2]);
        checked.seen().iter().any(|(line, kind, record)| {
            let first = record.first.unwrap();
            (*line, *kind, first.memory) == (BODY + 6, 0, Memory::Shared)
                && (first.address % 16, first.expected, first.found) == (8, 3 | 4 << 32, 9 | 4 << 32)
        })
    };
    assert!((0..120).any(|later| run(32, later)), "the writer comes while the copier looks");
    assert!((0..120).all(|later| !run(99, later)), "nobody writes");
}

#[test]
fn functions_that_no_kernel_reaches_stay_as_they_are() {
    let store = "{\nst.global.u32 [p], 1;\nret;\n}\n";
    let function = |name: &str| format!(".visible .func {name}(.reg .b64 p)\n{store}");
    // `named` is in a table, `called` is called by a function of the other text.
    let second = module("ld.global.u32 %r4, [%rd1];").replace(
        ".visible .entry",
        &(function("unused")
            + &function("called")
            + &function("named")
            + ".global .u64 t[1] = {named};\n.visible .entry"),
    );
    let first = module("{\ncall step, ();\n}").replace(
        ".visible .entry",
        ".extern .func called(.reg .b64 p);\n.func step()\n{\ncall called, (0);\nret;\n}\n.visible .entry",
    );
    let texts = [first.replace(".entry k", ".entry other"), second];
    let checks = |closed: bool| {
        let mut sites = SiteTable::default();
        let pass = Pass::Collide(Options { prune: false, ..Options::fastest(SINK) });
        let made = Instrumented::of(&texts, closed, &pass, 0, &mut sites, &|_| true).unwrap();
        let function = |check: &Check| sites.get(check.site).unwrap().function.clone();
        made.checks.iter().map(function).collect::<Vec<_>>()
    };
    assert_eq!(checks(true), ["called", "named", "k"]);
    assert_eq!(checks(false), ["unused", "called", "named", "k"]);
}

#[test]
fn what_cannot_be_checked_is_counted() {
    let text = module(
        ".shared .align 16 .b8 s[16];\nmov.u32 %r4, s;\ncp.async.ca.shared.global [%r4], [%rd1], 16, 8;\ncp.async.wait_all;",
    )
    .replace("sm_75", "sm_80");
    let collided = collide(&text, &Options::fastest(SINK)).unwrap();
    assert_eq!(collided.unchecked.into_iter().collect::<Vec<_>>(), [(Unchecked::Asynchronous, 1)]);
}

#[test]
fn texts_that_cannot_be_instrumented_say_why() {
    let ask = |text: &str| collide(text, &Options::fastest(SINK)).unwrap_err();
    let good = module("ld.global.u32 %r4, [%rd1];");
    let once = collide(&good, &Options::fastest(SINK)).unwrap().text;
    assert_eq!(ask(&once), Error::Twice("__warprace_collide".into()));
    assert_eq!(ask(&good.replace("sm_75", "sm_60")), Error::OldTarget("sm_60".into()));
    assert_eq!(ask(&good.replace("7.0", "6.0")), Error::OldVersion(6, 0));
    assert!(matches!(ask(&good.replace("ret;\n}", "ret;")), Error::Malformed { .. }));
}

/// The kernels of the virtual GPU's own tests behave the same when they check themselves.
#[test]
fn real_kernels_are_left_as_they_were() {
    let text = include_str!("../../simt/tests/fixtures/basics.ptx");
    for options in [Options::fastest(SINK), Options::balanced(SINK), Options::sampled(SINK)] {
        let options = Options { shuffle: Some(3), ..options };
        let checked = Checked::new(text, &options);
        let m = &checked.machine;
        let x = m.upload(&(0..1000).map(|i| (i as f32).to_bits()).collect::<Vec<_>>());
        let y = m.upload(&(0..1000).map(|i| (i as f32 * 0.5).to_bits()).collect::<Vec<_>>());
        m.finish("saxpy", 4, 256, args![1000u32, 2.0f32, x, y]);
        assert!(m.floats(y, 1000).into_iter().enumerate().all(|(i, v)| v == i as f32 * 2.5));
        let input = m.upload(&(0..1000).collect::<Vec<u32>>());
        let out = m.upload(&[0]);
        m.finish("block_sum", 4, 256, args![input, out, 1000u32]);
        assert_eq!(m.words(out, 1), [499_500]);
        let out = m.upload(&[0; 2]);
        m.finish("warp_sum", 2, 128, args![input, out]);
        assert_eq!(m.words(out, 2), [(0..128).sum::<u32>(), (128..256).sum::<u32>()]);
        assert_eq!(checked.seen(), []);
    }
}

#[test]
fn ptxas_takes_instrumented_text_for_every_architecture() {
    let Some(ptxas) = ptxas() else { return };
    let folder = std::env::temp_dir().join(format!("instrument-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = include_str!("../../simt/tests/fixtures/basics.ptx");
    let shuffled = Options { shuffle: Some(1), trap: true, equal_values: false, ..Options::sampled(SINK) };
    let written = folder.join("basics.ptx");
    for (arch, options) in [("sm_90", &shuffled), ("sm_100", &shuffled), ("sm_120", &Options::sampled(SINK))]
    {
        std::fs::write(&written, collide(text, options).unwrap().text).unwrap();
        let done = Command::new(&ptxas)
            .args(["-arch", arch, "-o"])
            .arg(folder.join("basics.cubin"))
            .arg(&written)
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{arch}: {said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
