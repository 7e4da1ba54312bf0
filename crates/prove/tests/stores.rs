//! Kernels of `tests/prove/stores.cu`: tensor copies out of shared memory. With a change to the synchronisation they must not be
//! proved.

use crate::one_kernel::{decided, is_proved, kernel};
use prove::Verdict;

const STORES: &str = include_str!("../../../tests/prove/stores.ptx");

#[test]
fn tensor_copies_out_of_shared_memory_are_proved() {
    let names = STORES.split(".visible .entry ").skip(1).filter_map(|e| e.split('(').next());
    let mut asked = 0;
    for name in names {
        let (verdict, assumed) = decided(&kernel(STORES, name));
        let is_proved = matches!(verdict, Verdict::Proved);
        assert_eq!(is_proved, name.ends_with("_clean"), "{name}: {verdict:?}");
        for text in ["each box that a tensor copy takes from", "each tensor that it copies to is memory"] {
            assert!(!is_proved || assumed.iter().any(|a| a.starts_with(text)), "{name}: {assumed:?}");
        }
        asked += 1;
    }
    assert!(asked >= 8, "{asked}");
}

/// The place of a reduction, which `prove` does not follow.
const REDUCTION: &str = "REDUCTION";

/// Changes a kernel; the result must not be proved.
#[test]
fn a_tensor_copy_with_a_change_is_not_proved() {
    for (name, what, with) in [
        ("tile_clean", "cp.async.bulk.commit_group;", ""),
        ("tile_clean", "cp.async.bulk.wait_group.read 0;", ""),
        ("tile_clean", "cp.async.bulk.wait_group.read 0;", "cp.async.wait_group 0;"),
        ("tile_clean", "fence.proxy.async.shared::cta;", "fence.proxy.async.global;"),
        // All blocks copy to one box, or a block does so in each iteration.
        ("tile_clean", "{%r16, %r3}", "{%r16, 0}"),
        ("tile_clean", "{%r16, %r3}", "{%r3, %r3}"),
        // The map may be changed in memory.
        ("tile_clean", "mov.b64 \t%rd2, tile_clean_param_0;", "ld.param.u64 %rd2, [tile_clean_param_0];"),
        // It adds to the tensor, by the instruction's other name.
        ("tile_clean", "cp.async.bulk.tensor.2d", REDUCTION),
        // All threads wait, and the one that copies does not.
        ("stages_clean", "setp.ne.s32 \t%p2, %r1, 0;", "setp.ne.s32 %p2, %r1, 0; setp.eq.s32 %p3, %r1, 0;"),
        ("stages_clean", "cp.async.bulk.wait_group.read 1;", ""),
        ("stages_clean", "and.b32  \t%r9, %r8, 512;", "mov.b32 %r9, 512;"),
    ] {
        let whole = kernel(STORES, name);
        let mut changed = whole.replacen(what, with, 1);
        assert_ne!(changed, whole, "{name}: {what}");
        if with.contains("%p3") {
            changed = changed.replacen("@%p2 bra", "@%p3 bra", 1);
        }
        if with == REDUCTION {
            changed = changed.replacen(REDUCTION, &what.replacen("cp", "cp.reduce", 1), 1);
            changed = changed.replacen("shared::cta.tile", "shared::cta.add.tile", 1);
        }
        assert!(!is_proved(&changed), "{name}: {what} -> {with}");
    }
}
