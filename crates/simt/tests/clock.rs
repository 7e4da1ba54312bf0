//! Tests the clock of the virtual GPU: loops that wait for it, and code that is measured with it.

use crate::support;

use support::Machine;

/// `wait` loops until `cycles` cycles have passed; `work` takes the time of each of 32 turns of a loop.
const PTX: &str = r"
.version 8.0
.target sm_90
.address_size 64
.visible .entry wait(.param .u64 cycles, .param .u64 out)
{
    .reg .pred %p;
    .reg .b64 %r<6>;
    ld.param.u64 %r1, [cycles];
    ld.param.u64 %r2, [out];
    mov.u64 %r3, %clock64;
$again:
    mov.u64 %r4, %clock64;
    sub.s64 %r5, %r4, %r3;
    setp.lt.s64 %p, %r5, %r1;
    @%p bra $again;
    st.global.u64 [%r2], %r5;
    ret;
}
.visible .entry work(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %i<3>;
    .reg .b64 %r<6>;
    ld.param.u64 %r1, [out];
    mov.u32 %i1, 0;
$again:
    mov.u64 %r2, %clock64;
    ld.global.u32 %i2, [%r1+256];
    mov.u64 %r3, %clock64;
    sub.s64 %r4, %r3, %r2;
    st.global.u64 [%r1], %r4;
    add.s64 %r1, %r1, 8;
    add.u32 %i1, %i1, 1;
    setp.lt.u32 %p, %i1, 32;
    @%p bra $again;
    ret;
}
";

fn wait(cycles: u32) -> (u32, u64) {
    let m = Machine::new(PTX);
    let out = m.upload(&[0; 2]);
    let stats = m.finish("wait", 1, 32, args![u64::from(cycles), out]);
    (m.words(out, 1)[0], stats.warp_instructions)
}

#[test]
fn who_only_waits_for_the_clock_waits_little_longer() {
    for cycles in [0, 100, 1_000, 10_000, 1_000_000, 1_000_000_000] {
        let (waited, instructions) = wait(cycles);
        assert!(waited >= cycles, "{waited} < {cycles}");
        assert!(waited <= cycles + cycles / 4 + 128, "{waited} for {cycles}");
        assert!(instructions < 500, "{instructions} for {cycles}");
        assert_eq!((waited, instructions), wait(cycles), "deterministic");
    }
}

#[test]
fn short_waits_are_as_they_were() {
    assert!(wait(500).0 < 500 + 50);
}

#[test]
fn time_around_work_is_not_skipped() {
    let m = Machine::new(PTX);
    let out = m.upload(&[0; 128]);
    m.finish("work", 1, 32, args![out]);
    let times: Vec<u32> = m.words(out, 64).into_iter().step_by(2).collect();
    assert!(times.iter().all(|t| *t == times[0] && (1..100).contains(t)), "{times:?}");
}
