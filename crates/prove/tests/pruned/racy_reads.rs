//! Launches in which all threads read a word that races: what does not depend on its value is apart nevertheless.

use super::super::random::Dice;
use super::super::random::launches::observed;
use kernels::Source;
use prove::Prover;
use prove::facts::spread::Spread;
use std::sync::Arc;

/// Every thread does `count[0]++`, and `data[i] += i` for a number `i` that `INDEX` makes of the thread's number `%r3` and of
/// the count `%r1`.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 count, .param .u32 n) {
  .reg .pred %p<2>; .reg .u32 %r<9>; .reg .u64 %rd<9>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [count];
  mov.u32 %r2, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.s32 %r3, %r4, %r5, %r2;
  ld.global.u32 %r1, [%rd2]; // races
  add.u32 %r6, %r1, 1;
  st.global.u32 [%rd2], %r6; // races
  INDEX
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r8, [%rd4]; // data
  add.u32 %r8, %r8, %r7;
  st.global.u32 [%rd4], %r8; // data
  ret;
}";

/// Returns which lines are left out, of those with a comment, by this.
fn left_out(index: &str) -> Vec<String> {
    let text = KERNEL.replace("INDEX", index);
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "racy reads" };
    let prover = Prover::new(&[source]).expect("it links");
    let launch = observed(prover.kernels()[0].uses, 32, 2, 0, &mut Dice(2));
    assert_ne!(launch.facts.bytes[..8], launch.facts.bytes[8..16], "two arrays");
    let free = prover.apart(0, &Arc::new(launch), &Spread::default(), false, &|| false);
    let lines: Vec<&str> = text.lines().collect();
    let comment = |line: u32| lines[line as usize - 1].split_once("// ").map_or("", |(_, comment)| comment);
    free.lines().into_iter().map(|line| comment(line).to_owned()).collect()
}

#[test]
fn what_does_not_depend_on_a_racy_read_is_left_out() {
    assert_eq!(left_out("mov.u32 %r7, %r3;"), ["data", "data"]);
}

/// Two threads may have read different counts, so that the sums of numbers and counts are equal.
#[test]
fn elements_that_a_racy_read_chooses_are_checked() {
    for index in
        ["add.u32 %r7, %r3, %r1;", "and.b32 %r1, %r1, 1; add.u32 %r7, %r3, %r1;", "mov.u32 %r7, %r1;"]
    {
        assert_eq!(left_out(index), Vec::<String>::new(), "{index}");
    }
}

/// Threads share elements in pairs. If all had read one count, one of each pair would end before its accesses.
#[test]
fn a_racy_condition_keeps_nothing_apart() {
    let halves = "shr.u32 %r7, %r3, 1;
  and.b32 %r6, %r3, 1;
  setp.ne.u32 %p1, %r6, %r1;
  @%p1 ret;";
    assert_eq!(left_out(halves), Vec::<String>::new());
}

#[test]
fn a_racy_condition_on_elements_of_their_own_does_no_harm() {
    let own = "mov.u32 %r7, %r3;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 ret;";
    assert_eq!(left_out(own), ["data", "data"]);
}
