//! Kernels of `tests/prove/delayed.cu`: stages that are given back some iterations behind their own, and stages that are used
//! before the loop. With a change to the synchronisation they must not be proved.

use crate::one_kernel::{decided, is_proved, kernel};
use kernels::Source;
use prove::Verdict;
use prove::replay::{Argument, Bench, Contents, Outcome, Value, Witness};

const DELAYED: &str = include_str!("../../../tests/prove/delayed.ptx");

#[test]
fn stages_that_are_given_back_later_are_proved() {
    let names = DELAYED.split(".visible .entry ").skip(1).filter_map(|e| e.split('(').next());
    let mut asked = 0;
    for name in names {
        let (verdict, _) = decided(&kernel(DELAYED, name));
        assert_eq!(matches!(verdict, Verdict::Proved), name.ends_with("_clean"), "{name}: {verdict:?}");
        asked += 1;
    }
    assert!(asked >= 10, "{asked}");
}

/// Launches both kernels of each pair: the racy ones race, the others do not.
#[test]
fn launches_of_stages_that_are_given_back_later_race_as_named() {
    let source = |text| Source { tree: text, text: DELAYED, name: "delayed.ptx" };
    let parsed = ptx::parse(DELAYED);
    let mut bench = Bench::load(&[source(&parsed.module)]).expect("it loads");
    for name in DELAYED.split(".visible .entry ").skip(1).filter_map(|e| e.split('(').next()) {
        let kernel = bench.kernel(name).expect("it is there");
        let arrays = if ["filled", "refilled"].iter().any(|n| name.starts_with(n)) { 2 } else { 3 };
        let argument = |index, bytes, value| Argument { index, offset: 0, bytes, value };
        let mut arguments: Vec<Argument> = (0..arrays).map(|n| argument(n, 8, Value::Array)).collect();
        arguments.push(argument(arrays, 4, Value::Scalar(9)));
        let races = |order: &u64| {
            let witness = Witness {
                grid: [1, 1, 1],
                block: [160, 1, 1],
                dynamic_shared: 0,
                arguments: arguments.clone(),
                contents: Contents::Zeros,
                order: *order,
            };
            match bench.run(kernel, &witness, 1 << 20, &|| false).0 {
                Outcome::Ended(findings) => !findings.is_empty(),
                // A racy thread may wait for a phase that is over.
                Outcome::Stuck(findings) if !findings.is_empty() => true,
                other => panic!("{name}: {other:?}"),
            }
        };
        let found = (0..3).filter(races).count();
        assert_eq!(found > 0, name.ends_with("_race"), "{name}");
    }
}

/// A kernel's name, and changes to it: the text in this place is replaced by another one.
type Changes = (&'static str, &'static [(usize, &'static str, &'static str)]);

/// Changes kernels whose stages are given back some iterations behind their own; the result must not be proved.
#[test]
fn a_stage_that_is_given_back_otherwise_is_not_proved() {
    let changes: &[Changes] = &[
        (
            "guarded_clean",
            &[
                // The stage of the iteration itself, or of two before.
                (0, "add.s32 \t%r72, %r71, -8;", "mov.b32 %r72, %r71;"),
                (0, "add.s32 \t%r72, %r71, -8;", "add.s32 %r72, %r71, -16;"),
                // One stage is given back before its first use.
                (0, "setp.eq.s32 \t%p11, %r80, 0;", "setp.eq.s32 %p11, %r80, -1;"),
                // No group, or one less, is waited for.
                (0, "wgmma.wait_group.sync.aligned 1;", ""),
                (0, "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;"),
                (0, "wgmma.commit_group.sync.aligned;", ""),
                // The consumers wait for the phase before.
                (0, "and.b32  \t%r55, %r58, 1;", "not.b32 %r55, %r58; and.b32 %r55, %r55, 1;"),
                (0, "mbarrier.arrive.shared::cta", "mbarrier.arrive.relaxed.cta.shared::cta"),
                (1, "mbarrier.try_wait.parity.shared", "mbarrier.try_wait.parity.relaxed.cta.shared"),
                // A phase ends by two arrivals, or any thread's.
                (0, "[%r13], %r26;", "[%r13], 2;"),
                (0, "or.pred  \t%p12, %p1, %p11;", "mov.pred %p12, %p11;"),
            ],
        ),
        (
            "two_later_clean",
            &[
                // The stage of one iteration before, whose product may go on, or of the iteration itself.
                (0, "add.s32 \t%r69, %r80, -2;", "add.s32 %r69, %r80, -1;"),
                (0, "add.s32 \t%r69, %r80, -2;", "mov.b32 %r69, %r80;"),
                (0, "setp.lt.u32 \t%p11, %r80, 2;", "setp.lt.u32 %p11, %r80, 1;"),
                (0, "wgmma.wait_group.sync.aligned 2;", "wgmma.wait_group.sync.aligned 3;"),
            ],
        ),
        (
            "prologue_clean",
            &[
                // The loop begins with another stage, or gives another one back first.
                (0, "mov.u32 \t%r98, %r97;", "mov.u32 %r98, 1;"),
                (0, "mov.u32 \t%r98, %r97;", "mov.u32 %r98, 3;"),
                (0, "mov.u32 \t%r99, %r96;", "mov.u32 %r99, 2;"),
                (0, "mov.u32 \t%r99, %r96;", "mov.u32 %r99, 0;"),
                // It waits for the phase before.
                (0, "mov.u32 \t%r97, 0;", "mov.u32 %r97, 1;"),
                (0, "mov.u32 \t%r59, 0;", "mov.u32 %r59, 1;"),
                (0, "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;"),
            ],
        ),
        (
            "refilled_clean",
            &[
                (0, "fence.proxy.async.shared::cta;", ""),
                (1, "mbarrier.arrive.expect_tx", "mbarrier.arrive.expect_tx.relaxed.cta"),
                (3, "], %r69;", "], 256;"),
                (0, "[%r17], %r30;", "[%r17], 127;"),
            ],
        ),
    ];
    for (name, changes) in changes {
        let whole = kernel(DELAYED, name);
        for (n, what, with) in *changes {
            let (at, _) = whole.match_indices(what).nth(*n).unwrap_or_else(|| panic!("{name}: no {what}"));
            let changed = format!("{}{with}{}", &whole[..at], &whole[at + what.len()..]);
            assert!(!is_proved(&changed), "{name}: {what} -> {with}");
        }
    }
}

/// Consumers read `ntid - tid` words behind the beginning of their stage, which has 64, and give it back an iteration later.
const BESIDE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 n) .maxntid 128
{
.reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<3>;
.shared .align 8 .b8 s[4096]; .shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];
ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x; sub.s32 %r4, %r3, 1;
mov.u32 %r5, full; mov.u32 %r6, empty; mov.u32 %r7, s;
setp.le.s32 %p1, %r3, 1;
@%p1 bra END;
setp.eq.s32 %p2, %r2, 0;
@%p2 mbarrier.init.shared.b64 [full], 1;
@%p2 mbarrier.init.shared.b64 [full+8], 1;
@%p2 mbarrier.init.shared.b64 [empty], %r4;
@%p2 mbarrier.init.shared.b64 [empty+8], %r4;
bar.sync 0;
mov.u32 %r8, 0;
@!%p2 bra TAKE;
FILL:
setp.ge.s32 %p3, %r8, %r1;
@%p3 bra END;
and.b32 %r9, %r8, 1; shr.u32 %r10, %r8, 1; and.b32 %r10, %r10, 1; xor.b32 %r10, %r10, 1;
mad.lo.s32 %r11, %r9, 8, %r6; mad.lo.s32 %r12, %r9, 8, %r5; mad.lo.s32 %r13, %r9, 256, %r7;
W1:
mbarrier.test_wait.parity.shared.b64 %p4, [%r11], %r10;
@!%p4 bra W1;
st.shared.u32 [%r13], 7;
mbarrier.arrive.shared.b64 %rd1, [%r12];
add.s32 %r8, %r8, 1;
bra FILL;
TAKE:
setp.ge.s32 %p5, %r8, %r1;
@%p5 bra END;
and.b32 %r9, %r8, 1; shr.u32 %r10, %r8, 1; and.b32 %r10, %r10, 1;
mad.lo.s32 %r12, %r9, 8, %r5; sub.s32 %r14, %r3, %r2; mad.lo.s32 %r13, %r9, 64, %r14; mad.lo.s32 %r13, %r13, 4, %r7;
W2:
mbarrier.test_wait.parity.shared.b64 %p6, [%r12], %r10;
@!%p6 bra W2;
ld.shared.u32 %r15, [%r13];
setp.lt.s32 %p7, %r8, 1;
@%p7 bra NEXT;
sub.s32 %r16, %r8, 1; and.b32 %r16, %r16, 1; mad.lo.s32 %r11, %r16, 8, %r6;
mbarrier.arrive.shared.b64 %rd2, [%r11];
NEXT:
add.s32 %r8, %r8, 1;
bra TAKE;
END:
ret;
}
";

/// A read in the first iteration was taken to come before an arrival that no thread makes, as the first stage is given back in
/// the second one.
#[test]
fn no_phase_ends_by_an_arrival_that_the_first_iteration_leaves_out() {
    assert!(!is_proved(BESIDE));
    assert!(is_proved(&BESIDE.replace(".maxntid 128", ".maxntid 64")));
}
