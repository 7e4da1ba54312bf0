//! Tests launches that leave out checks of accesses that are proved.

use crate::guardian::{BODY, Guardian, TABLE, module, options};
use instrument::guard::Options;
use instrument::guard::launches::{Before, Launches};
use simt::Schedule;

/// All threads write the first word of shared memory and, behind a barrier, one of global memory. Between them each reads a
/// word that nothing writes, in a loop: most of the accesses.
const BOTH: &str = "st.shared.u32 [%r3], %r1;\nbar.sync 0;\nmad.lo.u32 %r5, %r2, 64, %r1;\nmul.wide.u32 %rd2, %r5, 4;\n\
                    add.s64 %rd3, %rd1, %rd2;\nmov.u32 %r6, 0;\nL: ld.global.u32 %r5, [%rd3+4];\nadd.u32 %r6, %r6, 1;\n\
                    setp.lt.u32 %p3, %r6, 20;\n@%p3 bra L;\nst.global.u32 [%rd1], %r1;";

/// The lines of its accesses behind [`BODY`].
const STORE: u32 = 0;
const LOAD: u32 = 6;
const LAST: u32 = 10;

/// Runs it, without the checks of accesses that are proved. Returns the races, by their lines behind [`BODY`], and the
/// instructions of threads.
fn run(is_proved: &dyn Fn(u32, bool) -> bool) -> (Vec<(u32, u32)>, u64) {
    let options = Options { told: true, prune: true, table: Some(TABLE), ..options() };
    let guardian = Guardian::with(&module(BOTH), Schedule::ConvergedFirst, &options);
    let words = guardian.machine.upload(&[0; 512]);
    let mut all = Launches::default();
    all.lane();
    let told = all.next(0, &Before::default()).1;
    let left_out = guardian.guarded.groups["k"].left_out(is_proved);
    let stats = guardian.machine.finish("k", 2, 64, args![words, Launches::without(told, left_out.groups)]);
    let mut seen: Vec<_> = guardian.seen().into_iter().map(|(a, b, _)| (a - BODY, b - BODY)).collect();
    seen.sort_unstable();
    (seen, stats.thread_instructions)
}

#[test]
fn a_launch_leaves_out_what_is_proved_of_it_and_nothing_else() {
    // Lines are counted from that of the body's brace.
    let of = |line: u32| line + BODY - 5;
    let (all, whole) = run(&|_, _| false);
    assert_eq!(all, [(STORE, STORE), (LAST, LAST)]);
    assert_eq!(run(&|line, _| line == of(STORE)).0, [(LAST, LAST)]);
    assert_eq!(run(&|_, is_shared| is_shared).0, [(LAST, LAST)]);
    assert_eq!(run(&|line, _| line == of(LAST)).0, [(STORE, STORE)]);
    let (same, fewer) = run(&|line, _| line == of(LOAD));
    assert_eq!(same, all);
    assert!(whole > 3 * fewer, "{whole} and {fewer} instructions");
    let (none, least) = run(&|_, _| true);
    assert_eq!(none, []);
    assert!(fewer > least, "{fewer} and {least} instructions");
}
