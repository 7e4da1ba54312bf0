//! Faults in instrumented texts, each of which is rejected for its reason.

use super::program::{COPIES, Lines, PROGRAM, with};
use validate::Reason;

const GUARD: &str = "guard:true:true:false";
const COLLIDE: &str = "collide:balanced:false";
const SHUFFLE: &str = "collide:balanced:shuffle:trap";
const SAMPLED: &str = "collide:sampled:true";

/// Makes a fault in a text with a pass; returns the reason of its rejection.
fn reason(original: &str, pass: &str, fault: impl FnOnce(Lines) -> Lines) -> Option<Reason> {
    let mut made = with(original, pass);
    made.validate().unwrap_or_else(|fault| panic!("{pass}: {fault}\n{}", made.text));
    made.text = fault(Lines::of(&made.text)).text();
    made.validate().err().map(|fault| fault.reason)
}

/// Asserts the reasons of faults.
macro_rules! rejected {
    ($original:expr, $pass:expr, $($name:literal: $fault:expr => $reason:pat,)*) => {
        $(
            let found = reason($original, $pass, $fault);
            assert!(matches!(&found, Some($reason)), "{}: {found:?}", $name);
        )*
    };
}

#[test]
fn changes_of_the_program_are_rejected() {
    rejected! { PROGRAM, GUARD,
        "a dropped barrier": |l| l.drop("bar.sync 0;") => Reason::Changed { .. },
        "a dropped store": |l| l.drop("st.shared.u32 [%r4+256]") => Reason::Changed { .. },
        "a swapped order": |l| l.swap("shl.b32 %r4, %r1, 2;") => Reason::Changed { .. },
        "a duplicated atomic": |l| l.repeat("atom.relaxed.gpu.global.add.u32 %r6") => Reason::Changed { .. },
        "another immediate": |l| l.replace("[%rd1+1028], 3;", "[%rd1+1028], 4;") => Reason::Changed { .. },
        "another offset": |l| l.replace("[%rd3+512]", "[%rd3+516]") => Reason::Changed { .. },
        "another type": |l| l.replace("setp.lt.u32 %p1", "setp.lt.s32 %p1") => Reason::Changed { .. },
        "another scope": |l| l.replace("atom.relaxed.gpu.global.add.u32 %r6", "atom.relaxed.cta.global.add.u32 %r6") => Reason::Changed { .. },
        "a weaker fence": |l| l.replace_behind("ld.volatile", "fence.acq_rel.gpu;", "fence.acq_rel.cta;") => Reason::Changed { .. },
        "a lost .volatile": |l| l.replace("ld.volatile.global.u32 %r7", "ld.global.u32 %r7") => Reason::Changed { .. },
        "another register": |l| l.replace("add.s32 %r8, %r8, %r9;", "add.s32 %r8, %r8, %r10;") => Reason::Changed { .. },
        "a wrong parameter": |l| l.replace("[n];", "[n+4];") => Reason::Changed { .. },
        "a lost guard": |l| l.replace("@%p1 st.global.u32", "st.global.u32") => Reason::Changed { .. },
        "a negated guard": |l| l.replace("@%p1 bra $END", "@!%p1 bra $END") => Reason::Changed { .. },
        "a branch elsewhere": |l| l.replace("@%p1 bra $END", "@%p1 bra $LOOP") => Reason::Changed { .. },
        "a missing label": |l| l.drop("$END:") => Reason::Changed { .. },
        "a label behind its instruction": |l| l.swap("$LOOP:") => Reason::Changed { .. },
        "another argument": |l| l.replace("st.param.b32 [a0], %r5", "st.param.b32 [a0], %r4") => Reason::Changed { .. },
        "another variable's size": |l| l.replace("s[512]", "s[1024]") => Reason::Changed { .. },
        "another limit of threads": |l| l.replace(".maxntid 64", ".maxntid 32") => Reason::Changed { .. },
        "another type of a parameter": |l| l.replace(".param .u32 n", ".param .u64 n") => Reason::Changed { .. },
        "more memory of the block": |l| l.before(".shared .align 16", ".shared .align 16 .b8 __warprace_s[512];") => Reason::Undeclared(_),
        "another target machine": |l| l.everywhere(".target sm_90", ".target sm_90a") => Reason::Changed { .. },
        "a lost variable of the module": |l| l.everywhere(".global .align 4 .u32 total;", "") => Reason::Changed { .. },
        "an instruction of the program in added code": |l| l.replace_behind("bar.sync 0;", "$wr_end:", "$wr_end:\nred.global.add.u32 [%rd1], 1;") => Reason::Instruction(_),
    }
}

#[test]
fn changes_of_the_program_by_added_code_are_rejected() {
    rejected! { PROGRAM, GUARD,
        "a clobbered register": |l| l.replace_behind("bar.sync 0;", "add.u32 %wr_r0", "add.u32 %r9") => Reason::Register(_),
        "a reused predicate": |l| l.replace_behind("bar.sync 0;", "setp.lt.u32 %wr_p0", "setp.lt.u32 %p1") => Reason::Register(_),
        "a clobbered address": |l| l.replace("add.s64 %wr_a0, %rd3, 256;", "add.s64 %rd3, %rd3, 0;") => Reason::Register(_),
        "a store to the program's memory": |l| l.replace("add.s64 %wr_a0, %rd3, 256;", "add.s64 %wr_a0, %rd3, 256;\nst.global.u32 [%wr_a0], %wr_r0;") => Reason::Memory(_),
        "a read of the program's memory": |l| l.replace("add.s64 %wr_a0, %rd3, 256;", "add.s64 %wr_a0, %rd3, 260;\nld.global.u32 %wr_r0, [%wr_a0];") => Reason::Memory(_),
        "a place outside of the table": |l| l.replace("bfe.u32 %wr_r1, %__warprace_who, 10, 12;", "bfe.u32 %wr_r1, %__warprace_who, 0, 32;") => Reason::Memory(_),
        "an address outside of the table": |l| l.everywhere("mov.u64 %rd2, 52776558133248;", "mov.u64 %rd2, 4096;") => Reason::Memory(_),
        "an index that is not masked": |l| l.everywhere("and.b32 %r40, %r40, 131071;", "and.b32 %r40, %r40, -1;") => Reason::Memory(_),
        "a place outside of the buffer": |l| l.replace("st.local.b32 [%__warprace_at+16]", "st.local.b32 [%__warprace_at+256]") => Reason::Memory(_),
        "a misaligned place": |l| l.replace("st.local.b32 [%__warprace_at+16]", "st.local.b32 [%__warprace_at+18]") => Reason::Memory(_),
        "a misaligned index": |l| l.everywhere("mul.wide.u32 %rd6, %r40, 1536;", "mul.wide.u32 %rd6, %r40, 1535;") => Reason::Memory(_),
        "a wrong buffer": |l| l.replace("st.param.b64 [__warprace_told", "st.param.b64 [__warprace_tola") => Reason::Malformed(_) | Reason::Memory(_),
        "a call without the buffer": |l| l.replace_behind("st.param.b32 [a0]", "(a0, __warprace_told", "(a0); //") => Reason::Call(_),
        "a skipped instruction": |l| l.before("add.s32 %r10, %r10, 1;", "{\n.reg .pred %wr_p0;\nbra $wr_end;\n}\n") => Reason::Branch(_),
        "a branch to the program's label": |l| l.replace_behind("bar.sync 0;", "bra $wr_end;", "bra $END;") => Reason::Branch(_),
        "an added return": |l| l.replace_behind("bar.sync 0;", "bra $wr_end;", "ret;") => Reason::Branch(_),
        "an added end of the thread": |l| l.replace_behind("bar.sync 0;", "bra $wr_end;", "exit;") => Reason::Branch(_),
        "an added trap": |l| l.replace_behind("bar.sync 0;", "bra $wr_end;", "trap;") => Reason::Instruction(_),
        "an added barrier": |l| l.behind("$wr_end:", "bar.sync 0;") => Reason::Instruction(_),
        "an added barrier of the warp": |l| l.behind("$wr_end:", "bar.warp.sync -1;") => Reason::Convergence(_),
        "a call of the program's function": |l| l.everywhere("call __warprace_guard, (", "call twice, (") => Reason::Call(_),
        "a missing argument": |l| l.everywhere("call __warprace_guard, (wr_address, ", "call __warprace_guard, (") => Reason::Call(_),
        "an argument that is not set": |l| l.drop("st.param.b32 [wr_who]") => Reason::Call(_),
        "an added function that calls itself": |l| l.everywhere("call __warprace_tell, (a0, a1, a2, a3, a4, a5)", "call __warprace_guard, (a0, a1, a2, a3, a4, a5)") => Reason::Call(_),
        "a loop without a bound": |l| l.everywhere("sub.u32 %r14, %r14, %r18;", "sub.u32 %r14, %r14, 0;") => Reason::Loop(_),
        "a loop that may stand still": |l| l.everywhere("mov.u32 %r18, 4;", "mov.u32 %r18, 3;") => Reason::Loop(_),
        "a variable of the module": |l| l.everywhere(".address_size 64", ".address_size 64\n.global .u32 __warprace_more;") => Reason::Changed { .. },
        "another function's name": |l| l.everywhere("__warprace_tell", "tell") => Reason::Changed { .. },
    }
}

#[test]
fn faults_around_an_access_are_rejected() {
    rejected! { PROGRAM, COLLIDE,
        "a second read elsewhere": |l| l.replace("ld.relaxed.sys.shared.b32 %wr_n0, [%wr_a0];", "ld.relaxed.sys.shared.b32 %wr_n0, [%wr_a0+4];") => Reason::Memory(_),
        "a wider second read": |l| l.replace("ld.relaxed.sys.shared.b32 %wr_n0", "ld.relaxed.sys.shared.b64 %wr_m0") => Reason::Memory(_),
        "a second read of other memory": |l| l.replace("ld.relaxed.sys.shared.b32 %wr_n0", "ld.relaxed.sys.global.b32 %wr_n0") => Reason::Memory(_),
        "a store instead of a read": |l| l.replace("ld.relaxed.sys.shared.b32 %wr_n0, [%wr_a0];", "st.relaxed.sys.shared.b32 [%wr_a0], %wr_n0;") => Reason::Memory(_),
        "a read where the store is not executed": |l| l.drop("@!%p1 bra $wr_end;") => Reason::Memory(_),
        "a skipped access": |l| l.replace_behind(".reg .b64 %wr_a<2>", "@%wr_p1 bra $wr_access;", "@%wr_p1 bra $wr_end;") => Reason::Branch(_),
        "a mask of all lanes": |l| l.replace("activemask.b32 %wr_r1;", "mov.u32 %wr_r1, -1;") => Reason::Convergence(_),
        "a division before an exchange": |l| l.replace("vote.sync.all.pred", "@%wr_p0 bra $wr_access;\nvote.sync.all.pred") => Reason::Convergence(_),
        "a guarded exchange": |l| l.replace("vote.sync.all.pred", "@%wr_p0 vote.sync.all.pred") => Reason::Convergence(_),
        "a division by other values": |l| l.replace("@%wr_p1 bra $wr_access;", "@%wr_p0 bra $wr_access;") => Reason::Convergence(_),
        "a record outside of the sink": |l| l.replace("st.param.b32 [wr_record], ", "st.param.b32 [wr_record], 99") => Reason::Memory(_),
        "two accesses in one block": |l| l.repeat("st.shared.u32 [%r4], %r1;") => Reason::Changed { .. },
    }
    rejected! { COPIES, COLLIDE,
        "an early copy elsewhere": |l| l.replace("st.shared.v4.b32 [%wr_a1]", "st.shared.v4.b32 [%wr_a1+16]") => Reason::Memory(_),
        "an early copy to the source": |l| l.replace("st.shared.v4.b32 [%wr_a1]", "st.global.v4.b32 [%wr_a0]") => Reason::Memory(_),
    }
    rejected! { COPIES, GUARD,
        "a barrier that lanes avoid": |l| l.replace_behind("wait_group", "bra $wr_left;", "bra $wr_end;") => Reason::Convergence(_) | Reason::Branch(_),
        "a loop of copies that proceeds by nothing": |l| l.replace("add.u32 %__warprace_copy, %__warprace_copy, 1;", "add.u32 %__warprace_copy, %__warprace_copy, 0;") => Reason::Loop(_),
    }
}

#[test]
fn faults_of_the_choice_and_of_names_of_blocks_are_rejected() {
    const ALONE: &str = ".version 7.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    rejected! { ALONE, SAMPLED,
        "a choice by the thread": |l| l.replace("mov.u32 %wr_r2, %ctaid.x;", "mov.u32 %wr_r2, %tid.x;") => Reason::Choice(_),
        "a choice behind the program's begin": |l| l.before("{", "").replace_behind("@!%wr_p bra $__warprace_plain;", "ld.param.u64 %rd1, [p];", "") => Reason::Changed { .. },
        "a change of the second body": |l| l.replace_behind("$__warprace_plain:", "st.global.u32 [%rd1], %r1;", "st.global.u32 [%rd1+4], %r1;") => Reason::Changed { .. },
        "no return before the second body": |l| l.replace_behind("$wr_end:", "ret;", "").replace_behind("$wr_end:", "ret;", "") => Reason::Undeclared(_) | Reason::Changed { .. },
    }
    rejected! { ALONE, SHUFFLE,
        "a block beyond the grid": |l| l.replace("rem.u64 %wr_x3, %wr_x2, %wr_x1;", "add.u64 %wr_x3, %wr_x2, %wr_x1;") => Reason::Register(_),
        "another register renamed": |l| l.replace("cvt.u32.u64 %r1, %wr_x3;", "cvt.u32.u64 %r2, %wr_x3;") => Reason::Register(_),
    }
    let mut made = with(ALONE, SHUFFLE);
    (made.declared.renames, made.declared.traps) = (false, true);
    assert!(matches!(made.validate().unwrap_err().reason, Reason::Register(_)));
    (made.declared.renames, made.declared.traps) = (true, false);
    assert!(matches!(made.validate().unwrap_err().reason, Reason::Instruction(_)));
}

#[test]
fn a_program_with_names_of_the_tool_is_not_validated() {
    let mut made = with(PROGRAM, GUARD);
    made.original = PROGRAM.replace("total", "wr_total");
    assert!(matches!(made.validate().unwrap_err().reason, Reason::Named(_)));
}
