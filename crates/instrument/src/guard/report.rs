//! The function that reports a race, in a record of the sink.

use crate::PREFIX;
use crate::sink::{self, MOST, RECORD, field};

/// The bit of the second parameter for an access of another launch. (The other bits are those of an access.)
pub(super) const APART: u32 = 30;
/// The bit for a launch that may have begun beside that one; `OVERLAPPED` is the bit for the converse.
pub(super) const OVERLAPS: u32 = 29;
pub(super) const OVERLAPPED: u32 = 28;
/// The bit for an access of another device.
pub(super) const ELSEWHERE: u32 = 23;
/// The bit for an access through another proxy of what its launch has written before: a fetch, or a copy that no
/// proxy fence precedes. It races although the two may be ordered.
pub(super) const UNKEPT: u32 = sink::UNKEPT;

/// Returns the parameters of a function, by name and type.
pub(super) fn parameters(name: &str, all: &[(&str, &str)]) -> String {
    let all: Vec<String> = all.iter().map(|(one, ty)| format!(".param .{ty} {name}_{one}")).collect();
    all.join(", ")
}

/// Returns the function's name.
pub(super) fn name() -> String {
    format!("{PREFIX}tell")
}

/// Returns the function's text: it fills in a record on the first call for it.
pub(super) fn function(sink: u64) -> String {
    let name = name();
    let all = [
        ("word", "b64"),
        ("what", "b32"),
        ("record", "b32"),
        ("how", "b32"),
        ("check", "b32"),
        ("who", "b32"),
    ];
    let parameters = parameters(&name, &all);
    format!(
        "\
.func {name}({parameters})
{{
\t.reg .pred %p<5>;
\t.reg .b32 %r<20>;
\t.reg .b64 %rd<8>;
\tld.param.u64 %rd1, [{name}_word];
\tld.param.u32 %r1, [{name}_what];
\tld.param.u32 %r2, [{name}_record];
\tld.param.u32 %r3, [{name}_how];
\tld.param.u32 %r4, [{name}_check];
\tld.param.u32 %r5, [{name}_who];
\tmov.u64 %rd2, {sink};
\tmad.wide.u32 %rd3, %r2, {RECORD}, %rd2;
\tld.volatile.global.u32 %r6, [%rd3+{COUNT}];
\tsetp.ge.u32 %p1, %r6, {MOST};
\t@%p1 ret;
\tatom.relaxed.sys.global.add.u32 %r6, [%rd3+{COUNT}], 1;
\tsetp.ne.u32 %p1, %r6, 0;
\t@%p1 ret;
\tshl.b64 %rd4, %rd1, 2;
\tshr.u64 %rd5, %rd1, 45;
\tsetp.eq.u64 %p2, %rd5, 0;
\tselp.u32 %r7, {space_global}, {space_shared}, %p2;
\t@%p2 bra $placed;
\tand.b64 %rd4, %rd4, 262143;
$placed:
\tst.volatile.global.u64 [%rd3+{ADDRESS}], %rd4;
\tst.volatile.global.u32 [%rd3+{SPACE_FIELD}], %r7;
\tand.b32 %r8, %r4, 65535;
\tst.volatile.global.u32 [%rd3+{OTHER_CHECK}], %r8;
\tshr.u32 %r8, %r5, 10;
\tst.volatile.global.u32 [%rd3+{OTHER_BLOCK}], %r8;
\tand.b32 %r8, %r5, 1023;
\tbfe.u32 %r9, %r3, 28, 1;
\tshl.b32 %r9, %r9, 20;
\tor.b32 %r8, %r8, %r9;
\tand.b32 %r10, %r2, 1;
\txor.b32 %r10, %r10, 1;
\tshl.b32 %r10, %r10, 22;
\tor.b32 %r8, %r8, %r10;
\tbfe.u32 %r10, %r1, {APART}, 1;
\tshl.b32 %r10, %r10, 21;
\tor.b32 %r8, %r8, %r10;
\tbfe.u32 %r10, %r1, {OVERLAPPED}, 2;
\tshl.b32 %r10, %r10, 23;
\tor.b32 %r8, %r8, %r10;
\tbfe.u32 %r10, %r1, {ELSEWHERE}, 1;
\tshl.b32 %r10, %r10, 25;
\tor.b32 %r8, %r8, %r10;
\tst.volatile.global.u32 [%rd3+{OTHER}], %r8;
\tst.volatile.global.u32 [%rd3+{OWN}], %r1;
{place}\
\tfence.acq_rel.sys;
\tst.volatile.global.u32 [%rd3+{VALID}], {with_other};
\tret;
}}
",
        space_shared = sink::SHARED,
        space_global = sink::GLOBAL,
        with_other = sink::WITH_OTHER,
        place = sink::place("%rd3", "%r11"),
        COUNT = field::COUNT,
        VALID = field::VALID,
        ADDRESS = field::ADDRESS,
        SPACE_FIELD = field::SPACE,
        OTHER_CHECK = field::OTHER_CHECK,
        OTHER_BLOCK = field::OTHER_BLOCK,
        OTHER = field::OTHER,
        OWN = field::OWN,
    )
}
