//! Launches that are proved as a whole, and ones that differ from these in what a proof needs.

use events::{
    AllocKind, Dim3, LaunchFacts, LaunchInfo, ObservedLaunch, ObservedMemory,
    task::{Parameter, SyncUse},
};
use kernels::Source;
use prove::Prover;
use prove::launches::Open;
use std::sync::Arc;

/// A block's threads add up their words in shared memory, by halves, and one stores the sum.
const SUM: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
.reg .pred %p<5>;
.reg .b32 %r<12>;
.reg .b64 %rd<9>;
.shared .align 4 .b8 tile[1024];
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
mov.u32 %r1, %ntid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r2, %r1, %r3;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd2, %rd3;
ld.global.u32 %r5, [%rd4];
shl.b32 %r6, %r3, 2;
mov.u32 %r7, tile;
add.s32 %r8, %r7, %r6;
st.shared.u32 [%r8], %r5;
bar.sync 0;
shr.u32 %r9, %r1, 1;
LOOP:
setp.ge.u32 %p1, %r3, %r9;
@%p1 bra NEXT;
shl.b32 %r10, %r9, 2;
add.s32 %r10, %r8, %r10;
ld.shared.u32 %r5, [%r8];
ld.shared.u32 %r11, [%r10];
add.u32 %r5, %r5, %r11;
st.shared.u32 [%r8], %r5;
NEXT:
bar.sync 0;
shr.u32 %r9, %r9, 1;
setp.ne.s32 %p2, %r9, 0;
@%p2 bra LOOP;
setp.ne.s32 %p3, %r3, 0;
@%p3 bra DONE;
ld.shared.u32 %r5, [tile];
mul.wide.u32 %rd5, %r2, 4;
add.s64 %rd6, %rd1, %rd5;
st.global.u32 [%rd6], %r5;
DONE:
ret;
}
";

/// Asks about 16 blocks of 256 threads, with arrays of so many bytes.
fn asked(text: &str, [out, input]: [u64; 2]) -> Result<String, Open> {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let prover = Prover::new(&[Source { tree: &parsed.module, text, name: "" }]).expect("it links");
    let (first, second) = (1u64 << 40, 1u64 << 41);
    let array =
        |base, bytes| ObservedMemory { base, bytes, kind: AllocKind::Device, name: None, contents: None };
    let bytes = [&first.to_le_bytes()[..], &second.to_le_bytes(), &7u32.to_le_bytes()].concat();
    let parameters = [(0, 8), (8, 8), (16, 4)].map(|(offset, bytes)| Parameter { offset, bytes }).to_vec();
    let info = LaunchInfo {
        kernel: "k".into(),
        grid: Dim3::new(16, 1, 1),
        block: Dim3::new(256, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 1024,
        uses: SyncUse::default(),
    };
    let facts = LaunchFacts { bytes, parameters, ..LaunchFacts::default() };
    let launch = ObservedLaunch { info, facts, memory: vec![array(first, out), array(second, input)] };
    prover.whole(0, &Arc::new(launch), false, &|| false).map(|constants| constants.join(" "))
}

/// The bytes that the launch accesses.
const BYTES: [u64; 2] = [64, 16 * 256 * 4];

#[test]
fn a_sum_by_halves_is_proved_for_the_threads_of_a_launch() {
    assert_eq!(asked(SUM, BYTES), Ok(String::new()));
}

#[test]
fn a_launch_is_not_proved_that_leaves_an_array() {
    assert_eq!(asked(SUM, [BYTES[0] - 1, BYTES[1]]), Err(Open::Outside));
    assert_eq!(asked(SUM, [BYTES[0], BYTES[1] - 4]), Err(Open::Outside));
}

#[test]
fn a_launch_is_not_proved_without_one_of_its_barriers() {
    for nth in 0..2 {
        let at = SUM.match_indices("bar.sync 0;\n").nth(nth).expect("there are two").0;
        let text = [&SUM[..at], &SUM[at + "bar.sync 0;\n".len()..]].concat();
        assert_eq!(asked(&text, BYTES), Err(Open::Pairs), "{text}");
    }
}

#[test]
fn a_launch_is_not_proved_whose_blocks_store_to_one_word() {
    let text = SUM.replace("mul.wide.u32 %rd5, %r2, 4;", "mov.u64 %rd5, 0;");
    assert_eq!(asked(&text, BYTES), Err(Open::Pairs));
}

#[test]
fn a_kernel_that_names_a_variable_of_its_module_is_not_proved_unless_that_is_constant() {
    let with = |space: &str, name: &str| {
        let kernel = ".visible .entry";
        let text = SUM.replace(kernel, &format!(".visible .{space} .u32 {name} = 1;\n{kernel}"));
        let barrier = "bar.sync 0;\nshr.u32 %r9, %r1, 1;";
        text.replace(barrier, &format!("ld.{space}.u32 %r5, [{name}];\n{barrier}"))
    };
    assert_eq!(asked(&with("global", "factor"), BYTES), Err(Open::Variables));
    assert_eq!(asked(&with("const", "factor"), BYTES), Ok("factor".into()));
    // Nothing writes the compiler's own strings.
    assert_eq!(asked(&with("const", "$str"), BYTES), Ok(String::new()));
}

#[test]
fn a_kernel_with_volatile_accesses_is_not_proved() {
    let text = SUM.replacen("ld.global.u32", "ld.volatile.global.u32", 1);
    assert_eq!(asked(&text, BYTES), Err(Open::Assumptions));
}
