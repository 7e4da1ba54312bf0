//! Tests launches of other streams, launch parameters, and the kernel that represents copies.

use crate::guardian::{BODY, Guardian, TABLE, module, options};
use crate::support::Machine;
use events::SiteTable;
use events::task::AllocKind;
use instrument::Error;
use instrument::collide::KINDS;
use instrument::guard::chain::Chain;
use instrument::guard::launches::{BYTES, Before, Devices, Early, Launched, Launches};
use instrument::guard::{Options, WIDENED, guard, ranges};
use instrument::sink::{ADDRESS, First, RECORD, Record};
use simt::{Region, Schedule};
use std::sync::atomic::Ordering;

#[test]
fn a_sample_of_large_launches_has_both_sides() {
    let sampling = Options { prune: true, ..options() };
    let seen = |body: &str, blocks: u32| {
        let guardian = Guardian::with(&module(body), Schedule::RoundRobin { quantum: 3 }, &sampling);
        let words = guardian.machine.upload(&vec![0; 64 * blocks as usize]);
        guardian.machine.finish("k", blocks, 64, args![words]);
        guardian.seen().iter().map(|(a, b, first)| (a - BODY, b - BODY, first.block[0])).collect::<Vec<_>>()
    };
    // Shared memory: a neighbour's word, in the first of many blocks, and behind a hundred barriers in one of
    // sixteen intervals.
    let turns = |race: &str| {
        format!(
            "mov.u32 %r6, 0;\nL: bar.sync 0;\nst.shared.u32 [%r4], %r6;\n{race}\nld.shared.u32 %r5, [%r3+4];\n\
             add.u32 %r6, %r6, 1;\nbar.sync 0;\nsetp.lt.u32 %p3, %r6, 50;\n@%p3 bra L;"
        )
    };
    assert_eq!(seen(&turns("bar.sync 0;"), 1), []);
    assert!(!seen(&turns(""), 1).is_empty());
    let late = "mov.u32 %r6, 0;\nL: bar.sync 0;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 40;\n@%p3 bra L;\n\
         M: bar.sync 0;\nst.shared.u32 [%r4], %r6;\nld.shared.u32 %r5, [%r3+4];\nadd.u32 %r6, %r6, 1;\nbar.sync 0;\n\
         setp.lt.u32 %p3, %r6, 140;\n@%p3 bra M;";
    assert!(!seen(late, 1).is_empty());
    // Global memory: each thread writes the word of one in the next block; some pieces of 512 bytes are
    // checked.
    let global = "mad.lo.u32 %r5, %r2, 64, %r1;\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r5;\nmov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, %r6;\n\
         @%p3 ret;\nst.global.u32 [%rd3+256], %r5;";
    assert!(!seen(global, 4).is_empty());
    assert!(!seen(global, 4096).is_empty(), "2^18 threads");
}

/// Consecutive launches are ordered.
#[test]
fn a_launch_is_ordered_behind_another() {
    let last = "mov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, %r6;\n@%p3 st.global.u32 [%rd1], %r1;";
    let guardian = Guardian::new(&module(last), Schedule::ConvergedFirst);
    let words = guardian.machine.upload(&[0; 4]);
    for n in 0..80 {
        guardian.machine.task.store(n, Ordering::Relaxed);
        guardian.machine.finish("k", 1 + n % 2, 1, args![words]);
    }
    assert_eq!(guardian.seen(), []);
}

/// A body, its lane, and the launches ordered before it.
type Told<'a> = (&'a str, usize, &'a [(usize, u32)]);

/// Returns the races of consecutive launches, each of a body, in a lane, and after some others: `(lane,
/// number)`. Each race names its launches, the earlier one first, and whether the report marks the other
/// access as of another launch.
fn races_of_launches(launches: &[Told<'_>]) -> Vec<(usize, usize, bool)> {
    races_with_table(launches, None)
}

/// Returns the races of launches whose launch parameters contain the table address `at`.
fn races_with_table(launches: &[Told<'_>], at: Option<u64>) -> Vec<(usize, usize, bool)> {
    let mut all = Launches::default();
    for _ in 0..3 {
        all.lane();
    }
    let mut told = |lane: usize, after: &[(usize, u32)]| {
        let mut before = Before::default();
        for &(lane, number) in after {
            before.numbers[lane] = number;
        }
        if lane == 9 { Launches::UNKNOWN } else { all.next(lane, &before).1 }
    };
    let launches: Vec<_> = launches.iter().map(|&(body, lane, after)| (body, told(lane, after))).collect();
    races_of_told(&launches, at)
}

/// Returns the races of launches with these launch parameters.
fn races_of_told(launches: &[(&str, [u8; BYTES as usize])], at: Option<u64>) -> Vec<(usize, usize, bool)> {
    let launches: Vec<_> = launches.iter().map(|&(body, told)| (body, told, 0)).collect();
    let apart = |(first, second, found): (_, _, First)| (first, second, found.other.unwrap().apart);
    races_on(&launches, at, None).into_iter().map(apart).collect()
}

/// Returns the races of launches with these launch parameters, each on a device. `widened` is the word of the sink for
/// devices that acquire from others.
fn races_on(
    launches: &[(&str, [u8; BYTES as usize], u32)],
    at: Option<u64>,
    widened: Option<u32>,
) -> Vec<(usize, usize, First)> {
    // All kernels in one text.
    let (mut text, mut ends) = (String::new(), Vec::new());
    for (i, (body, ..)) in launches.iter().enumerate() {
        let whole = module(body).replace(".entry k(", &format!(".entry k{i}("));
        let from = if i == 0 { 0 } else { whole.find(".visible").unwrap() };
        text += &whole[from..];
        ends.push(text.lines().count() as u32);
    }
    let table = if at.is_some() { None } else { Some(TABLE) };
    let mut guardian =
        Guardian::with(&text, Schedule::ConvergedFirst, &Options { told: true, table, ..options() });
    let words = guardian.machine.upload(&[0; 512]);
    if let Some(word) = widened {
        guardian.mark(WIDENED, word);
    }
    for (i, (_, told, device)) in launches.iter().enumerate() {
        let told = Launches::with_table(*told, at.unwrap_or(0), *device);
        // Each launch is also a different task of the machine.
        guardian.machine.task.fetch_add(1, Ordering::Relaxed);
        guardian.machine.finish(&format!("k{i}"), 2, 64, args![words, told]);
    }
    let which = |line: u32| ends.partition_point(|&end| end < line);
    let of = |first: u32, second: u32, found: First| (which(first), which(second), found);
    let mut seen: Vec<_> = guardian.seen().into_iter().map(|(a, b, found)| of(a, b, found)).collect();
    seen.sort_unstable_by_key(|&(first, second, _)| (first, second));
    seen
}

/// A kernel without PTX, one behind it, and one that begins before that has ended: the last two are compared.
#[test]
fn an_early_launch_is_compared_behind_an_unchecked_one() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let read = "and.pred %p2, %p1, %p2;\n@%p2 ld.global.u32 %r5, [%rd1];";
    // The launch parameters of two consecutive launches, with an unchecked one before the first or the
    // second.
    let told = |unchecked: [bool; 2], overlaps: bool| {
        let (mut all, mut chain) = (Launches::default(), Chain::default());
        let kernel = Launched { early: Early::Throughout, ..Launched::plain(1) };
        let mut launch = |unchecked: bool, overlaps: bool| {
            if unchecked {
                chain.unknown();
            }
            let mut before = Before { all: true, ..all.so_far() };
            all.launched(&mut chain, (&kernel, overlaps), &mut before).unwrap().1
        };
        // Lanes exist from the second time on.
        launch(false, false);
        launch(false, true);
        [launch(unchecked[0], false), launch(unchecked[1], overlaps)]
    };
    let [first, second] = told([true, false], true);
    assert_eq!(races_of_told(&[(write, first), (read, second)], None), [(0, 1, true)]);
    // The later launch may be the first to reach the table.
    assert_eq!(races_of_told(&[(read, second), (write, first)], None), [(0, 1, true)]);
    for (unchecked, overlaps) in [([true, false], false), ([true, true], true), ([false, true], false)] {
        let [first, second] = told(unchecked, overlaps);
        assert_eq!(races_of_told(&[(write, first), (read, second)], None), [], "{unchecked:?} {overlaps}");
    }
}

#[test]
fn launches_race_unless_the_host_has_ordered_them() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let read = "and.pred %p2, %p1, %p2;\n@%p2 ld.global.u32 %r5, [%rd1];";
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 1, &[])]), [(0, 1, true)]);
    assert_eq!(races_of_launches(&[(read, 0, &[]), (write, 1, &[])]), [(0, 1, true)]);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 1, &[(0, 1)])]), []);
    // One stream.
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 0, &[])]), []);
    // A launch without a lane of the host.
    assert_eq!(races_of_launches(&[(write, 9, &[]), (read, 0, &[])]), []);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 9, &[])]), []);
    assert_eq!(races_of_launches(&[(write, 9, &[]), (read, 9, &[])]), []);
    // A launch after the second launch of a lane is also after its first one.
    let nothing = "mov.u32 %r5, 1;\nmov.u32 %r5, 2;";
    assert_eq!(races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[(0, 2)])]), []);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[(0, 1)])]), []);
    let behind = races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[])]);
    assert_eq!(behind, [(0, 2, true)]);
    // Two strong accesses do not race.
    let add = "red.relaxed.gpu.global.add.u32 [%rd1], 1;\nmov.u32 %r5, 1;";
    assert_eq!(races_of_launches(&[(add, 0, &[]), (add, 1, &[])]), []);
    assert_eq!(races_of_launches(&[(add, 0, &[]), (read, 1, &[])]).len(), 1);
    // Each launch has shared memory of its own.
    let shared = "st.shared.u32 [%r4], 1;\nmov.u32 %r5, 1;";
    assert_eq!(races_of_launches(&[(shared, 0, &[]), (shared, 1, &[])]), []);
}

/// Launches that are proved, and copies that no kernel can race with, have numbers and no entries in the table. An entry
/// was looked for in vain then, and all later launches of the lane counted as ordered.
#[test]
fn launches_without_entries_hide_no_race_of_later_ones() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let read = "and.pred %p2, %p1, %p2;\n@%p2 ld.global.u32 %r5, [%rd1];";
    let nothing = "mov.u32 %r5, 1;";
    // In the first lane launches of `bodies`, with `without` numbers before each that have no entry; in the second lane a
    // read behind the first `known` numbers.
    let races = |bodies: &[&str], without: u32, known: u32| {
        let mut all = Launches::default();
        let lanes = [(); 2].map(|()| all.lane().unwrap());
        let mut next = |lane: usize, known: u32| {
            let mut before = Before::default();
            before.numbers[lanes[0]] = known;
            all.next(lane, &before).1
        };
        let mut told: Vec<_> = Vec::new();
        for &body in bodies {
            (0..without).for_each(|_| _ = next(lanes[0], 0));
            told.push((body, next(lanes[0], 0)));
        }
        told.push((read, next(lanes[1], known)));
        races_of_told(&told, None)
    };
    for without in [1, 2, 200] {
        // The write has number `without + 1`.
        assert_eq!(races(&[write], without, 0), [(0, 1, true)], "{without}");
        assert_eq!(races(&[write], without, without), [(0, 1, true)], "{without}");
        assert_eq!(races(&[write], without, without + 1), [], "{without}");
        // It is ordered, and what follows reads nothing.
        assert_eq!(races(&[write, nothing], without, without + 1), [], "{without}");
        assert_eq!(races(&[nothing, write], without, without + 1), [(1, 2, true)], "{without}");
        assert_eq!(races(&[nothing, write], without, 2 * without + 1), [(1, 2, true)], "{without}");
        assert_eq!(races(&[nothing, write], without, 2 * without + 2), [], "{without}");
    }
    // Launches that are too old to have an entry count as ordered.
    assert_eq!(races(&[write], 300, 0), []);
    assert_eq!(races(&[write], 300, 100), [(0, 1, true)]);
}

#[test]
fn a_parameter_is_added_to_kernels_of_any_form() {
    let told = Options { told: true, ..options() };
    for (kernel, at, number) in [
        (".visible .entry k(.param .u64 p)\n{\nret;\n}", 8, 1),
        (".visible .entry k()\n{\nret;\n}", 0, 0),
        (".visible .entry k\n{\nret;\n}", 0, 0),
        (".visible .entry k(\n.param .u32 a,\n.param .align 4 .b8 b[6]\n)\n.maxntid 64\n{\nret;\n}", 16, 2),
    ] {
        let text = format!(".version 7.1\n.target sm_80\n.address_size 64\n{kernel}\n");
        let guarded = guard(&text, &told, &mut SiteTable::default(), &|_| true).unwrap();
        let launched = guarded.launched["k"];
        assert_eq!((launched.at, launched.parameters), (at, number), "{kernel}");
        let machine = Machine::try_new(&guarded.text).unwrap_or_else(|e| panic!("{e}\n{}", guarded.text));
        let index = machine.module.kernel("k").unwrap();
        let last = *machine.module.kernels()[index].params.last().unwrap();
        assert_eq!((last.offset, machine.module.kernels()[index].params.len()), (at, number as usize + 1));
    }
    // Kernels that are launched by other kernels receive their parameters from these.
    let text = module("// __cudaCDP2LaunchDeviceV2");
    assert!(guard(&text, &told, &mut SiteTable::default(), &|_| true).unwrap().launched.is_empty());
}

#[test]
fn a_kernel_that_launches_kernels_is_left_out_by_name() {
    let text = module(
        ".param .b64 buffer;\n.param .b64 stream;\n.param .b32 error;\n\
         call (error), __cudaCDP2LaunchDeviceV2, (buffer, stream);",
    );
    let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap();
    assert!(guarded.left_out[0].1.contains("dynamic parallelism"), "{:?}", guarded.left_out);
}

#[test]
fn what_a_kernel_may_learn_or_tell_is_known() {
    let of = |body: &str| {
        let told = Options { told: true, ..options() };
        let launched =
            guard(&module(body), &told, &mut SiteTable::default(), &|_| true).unwrap().launched["k"];
        (launched.acquires, launched.tells)
    };
    assert_eq!(of("st.global.u32 [%rd1], 1;"), (false, false));
    assert_eq!(of("fence.acq_rel.cta;"), (false, false));
    assert_eq!(of("membar.gl;"), (true, false));
    assert_eq!(of("membar.sys;"), (true, true));
    assert_eq!(of("ld.acquire.gpu.global.u32 %r5, [%rd1];"), (true, false));
    assert_eq!(of("st.release.sys.global.u32 [%rd1], 1;"), (false, true));
    assert_eq!(of("red.relaxed.sys.global.add.u32 [%rd1], 1;"), (false, false));
}

/// PTX §9.7.13, `griddepcontrol`: from `sm_90` on.
#[test]
fn what_a_kernel_does_before_it_has_waited_is_known() {
    let of = |target: &str, body: &str| {
        let text = format!(
            ".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p;\n{body}\nret;\n}}\n"
        );
        let told = Options { told: true, ..options() };
        let launched = guard(&text, &told, &mut SiteTable::default(), &|_| true).unwrap().launched["k"];
        (launched.early, launched.gates)
    };
    let (wait, lets_begin) = ("griddepcontrol.wait;", "griddepcontrol.launch_dependents;");
    assert_eq!(of("sm_80", ""), (Early::Never, false));
    assert_eq!(of("sm_90", ""), (Early::Throughout, false));
    assert_eq!(of("sm_90a", lets_begin), (Early::Throughout, false));
    assert_eq!(of("sm_90", wait), (Early::UntilWaited, true));
    assert_eq!(of("sm_90", &format!("{wait}\n{lets_begin}")), (Early::UntilWaited, true));
    assert_eq!(of("sm_90", &format!("{lets_begin}\n{wait}")), (Early::UntilWaited, false));
    // Some threads wait.
    assert_eq!(of("sm_90", &format!("@%p {wait}")), (Early::UntilWaited, false));
    assert_eq!(of("sm_90", &format!("@%p bra L;\n{wait}\nL:")), (Early::UntilWaited, false));
    assert_eq!(of("sm_90", &format!("@%p bra L;\n{wait}\nret;\nL:\n{wait}")), (Early::UntilWaited, true));
}

/// Returns the number of races of a kernel and a range in another lane, one of which comes first; the other
/// one is ordered after the number `after` of its lane.
fn races_with_a_range(body: &str, range: (u64, u64), writes: bool, first: bool, after: u32) -> usize {
    let text = module(body);
    let options = Options { told: true, ..options() };
    let mut sites = SiteTable::default();
    let guarded = guard(&text, &options, &mut sites, &|_| true).unwrap();
    // Both kernels are in one module, with one copy of the functions that they call.
    let ranges_text = ranges::text(&options, "sm_80");
    let entry = &ranges_text[ranges_text.find(".visible .entry").unwrap()..];
    let mut guardian = Guardian::with(&text, Schedule::ConvergedFirst, &options);
    let both = guarded.text + entry;
    let old = std::mem::replace(&mut guardian.machine, Machine::try_new(&both).unwrap());
    for (base, words) in [ADDRESS, TABLE].into_iter().zip(&mut guardian._memory) {
        let (bytes, host) = (words.len() as u64 * 8, words.as_mut_ptr().cast());
        let (kind, accessible_from) = (AllocKind::Device, 1);
        let region = Region { base, bytes, host, kind, device: 0, accessible_from, read_only: false };
        guardian.machine.memory.map(region).unwrap();
    }
    drop(old);
    let machine = &guardian.machine;
    let words = machine.upload(&[0; 4096]);
    let mut all = Launches::default();
    assert_eq!((all.lane(), all.lane()), (Some(0), Some(1)));
    let run_kernel = |all: &mut Launches, after: u32| {
        let mut before = Before::default();
        before.numbers[1] = after;
        machine.task.fetch_add(1, Ordering::Relaxed);
        machine.finish("k", 1, 64, args![words, all.next(0, &before).1]);
    };
    let run_range = |all: &mut Launches, after: u32| {
        let mut before = Before::default();
        before.numbers[0] = after;
        let told = all.next(1, &before).1;
        machine.task.fetch_add(1, Ordering::Relaxed);
        let (address, bytes) = (words + range.0, range.1);
        let what = ranges::parameters((address, bytes), writes, 7, &told);
        let whole = |at: usize| u64::from_le_bytes(what[at..at + 8].try_into().unwrap());
        let half = |at: usize| u32::from_le_bytes(what[at..at + 4].try_into().unwrap());
        let [from, length, kind, number, _] = ranges::PARAMETERS.map(|at| at as usize);
        let arguments = args![whole(from), whole(length), half(kind), half(number), told];
        machine.finish(ranges::NAME, ranges::blocks(bytes), ranges::THREADS, arguments);
    };
    if first {
        run_range(&mut all, 0);
        run_kernel(&mut all, after);
    } else {
        run_kernel(&mut all, 0);
        run_range(&mut all, after);
    }
    // The check of the range has a record of its own, like those of the kernel.
    (0..8)
        .flat_map(|check| (0..KINDS).map(move |kind| check * KINDS + kind))
        .filter(|record| {
            let mut bytes = [0; RECORD as usize];
            machine.memory.read(ADDRESS + u64::from(*record) * RECORD, &mut bytes).unwrap();
            Record::read(&bytes).and_then(|record| record.first).is_some()
        })
        .count()
}

#[test]
fn ranges_are_accessed_by_byte() {
    let write = "@%p1 st.global.u8 [%rd1+5], 1;\nmov.u32 %r5, 1;\nmov.u32 %r5, 2;\nmov.u32 %r5, 1;";
    let seven = "@%p1 ld.global.u32 %r5, [%rd1+2048];\n@%p1 ld.global.u32 %r5, [%rd1+2048];";
    for first in [true, false] {
        assert_eq!(races_with_a_range(write, (5, 1), true, first, 0), 1);
        assert_eq!(races_with_a_range(write, (0, 5), true, first, 0), 0);
        assert_eq!(races_with_a_range(write, (6, 100), true, first, 0), 0);
        assert_eq!(races_with_a_range(write, (0, 3000), false, first, 0), 1);
        assert_eq!(races_with_a_range(write, (0, 3000), false, first, 1), 0);
        assert_ne!(races_with_a_range(seven, (1, 3000), true, first, 0), 0);
        assert_eq!(races_with_a_range(seven, (1, 3000), false, first, 0), 0);
        assert_eq!(races_with_a_range(seven, (2052, 3000), true, first, 0), 0);
    }
}

#[test]
fn launches_may_be_told_where_the_table_is() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let all = "st.global.u32 [%rd1], 1;\nbar.sync 0;\nfence.acq_rel.gpu;";
    assert_eq!(races_with_table(&[(write, 0, &[]), (write, 1, &[])], Some(TABLE)), [(0, 1, true)]);
    assert_eq!(races_with_table(&[(write, 0, &[]), (write, 1, &[(0, 1)])], Some(TABLE)), []);
    assert!(!races_with_table(&[(all, 9, &[])], Some(TABLE)).is_empty());
    // Without a table nothing is checked.
    assert_eq!(races_with_table(&[(all, 0, &[]), (write, 1, &[]), (all, 9, &[])], Some(0)), []);
}

#[test]
fn who_is_told_nothing_needs_a_table() {
    let untold = Options { told: false, table: None, ..options() };
    let done = |text: &str, options: &Options| guard(text, options, &mut SiteTable::default(), &|_| true);
    assert_eq!(done(&module("bar.sync 0;"), &untold), Err(Error::Untold));
    let wide = module("bar.sync 0;").replace("k(.param .u64 p", "k(.param .u64 p, .param .b8 q[4080]");
    let guarded = done(&wide, &Options { told: true, ..untold }).unwrap();
    assert_eq!(guarded.left_out.len(), 1);
    assert!(guarded.launched.is_empty() && guarded.checks.is_empty());
}

/// Launches of two devices share a table.
#[test]
fn launches_of_two_devices_are_compared() {
    let nothing = Before::default();
    let within = |device| {
        let mut before = Before::default();
        before.within.join(Devices::of(device).unwrap());
        before
    };
    let races = |bodies: [&str; 2], devices: [u32; 2], second: Before, widened: u32| {
        let mut all = Launches::default();
        let lanes = [all.lane().unwrap(), all.lane().unwrap()];
        let told = [all.next(lanes[0], &nothing).1, all.next(lanes[1], &second).1];
        let launches = [(bodies[0], told[0], devices[0]), (bodies[1], told[1], devices[1])];
        let found = races_on(&launches, Some(TABLE), Some(widened));
        found.iter().map(|(.., found)| found.other.unwrap().elsewhere).collect::<Vec<_>>()
    };
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let near = "and.pred %p2, %p1, %p2;\n@%p2 red.relaxed.gpu.global.add.u32 [%rd1], 1;";
    let far = near.replace("gpu", "sys");
    assert_eq!(races([write, write], [0, 1], nothing, 0), [true]);
    assert_eq!(races([write, write], [1, 1], nothing, 0), [false]);
    // Two devices need system scope, in both.
    assert_eq!(races([near, near], [0, 1], nothing, 0), [true]);
    assert_eq!(races([near, &far], [0, 1], nothing, 0), [true]);
    assert_eq!(races([&far, near], [0, 1], nothing, 0), [true]);
    assert_eq!(races([&far, &far], [0, 1], nothing, 0), []);
    assert_eq!(races([near, near], [1, 1], nothing, 0), []);
    // An acquire with the scope of a device orders launches of that device, and others once one of them acquires further.
    assert_eq!(races([write, write], [1, 1], within(1), 0), []);
    assert_eq!(races([write, write], [0, 1], within(1), 0), [true]);
    assert_eq!(races([write, write], [0, 1], within(1), 0b01), [true]);
    assert_eq!(races([write, write], [0, 1], within(1), 0b10), []);
}

#[test]
fn acquires_from_other_devices_need_system_scope_on_both_sides_of_the_read() {
    let told = Options { told: true, table: None, ..options() };
    let of = |body: &str| {
        let guarded = guard(&module(body), &told, &mut SiteTable::default(), &|_| true).unwrap();
        (guarded.launched["k"].acquires, guarded.launched["k"].acquires_far)
    };
    let volatile = "ld.volatile.global.u32 %r5, [%rd1];\n";
    assert_eq!(of(&format!("{volatile}fence.acq_rel.sys;")), (true, true));
    assert_eq!(of(&format!("{volatile}fence.acq_rel.gpu;")), (true, false));
    assert_eq!(of("atom.relaxed.gpu.global.add.u32 %r5, [%rd1], 0;\nfence.acq_rel.sys;"), (true, false));
    assert_eq!(of("ld.acquire.sys.global.u32 %r5, [%rd1];"), (true, true));
    assert_eq!(of("ld.acquire.gpu.global.u32 %r5, [%rd1];"), (true, false));
    assert_eq!(of(volatile), (false, false));
}
