//! The function that every checked access calls, and the table that it keeps.
//!
//! # The table
//!
//! [`ENTRIES`] entries of [`ENTRY`] bytes; in front of them one entry's room for the clock of releases. A word's entry is
//! where a hash of its address says, and belongs to the word that was last accessed of all with that hash. It is taken by
//! one thread at a time, which tries a few times and then goes on without: nobody waits for anybody. Offsets in it:
//!
//! | | |
//! |---|---|
//! | 0 | `u32`: 1 while it is taken |
//! | 8 | `u64`: the word: its address over 4, or of shared memory the block and the offset over 4 |
//! | 16 | `u64`: `%gridid` |
//! | 24, 48, 72 | the last write; a read since the block's last barrier; the last read |
//!
//! An access has its block, then a word with the thread (bits 0 to 15), the bytes of the word (16 to 19), whether it is strong (20), wider than
//! a block (21), a write (22) and there at all (31), then the thread's counts of barriers of the block and of the warp, the
//! clock, and the number of its check.

use super::TABLE;
use crate::PREFIX;
use crate::collide::KINDS;
use crate::sink::{self, MOST, RECORD, field};

pub(super) const ENTRIES: u64 = 1 << 19;
pub(super) const ENTRY: u64 = 128;

/// Bits of the second parameter; the lowest eight are the access's bytes.
pub(super) const WRITES: u32 = 8;
pub(super) const STRONG: u32 = 9;
/// Is its scope wider than a block?
pub(super) const WIDE: u32 = 10;
pub(super) const BLOCKS: u32 = 11;
pub(super) const WARPS: u32 = 12;
pub(super) const SPACE: u32 = 13;

/// Values from bit [`SPACE`] on.
pub(super) const GLOBAL: u32 = 0;
pub(super) const SHARED: u32 = 1;
pub(super) const GENERIC: u32 = 2;

/// So often an entry is tried for.
const TRIES: u32 = 40;

/// Its name.
pub(super) fn name() -> String {
    format!("{PREFIX}guard")
}

/// Its parameters: name and type, in order.
pub(super) const PARAMETERS: [(&str, &str); 6] = [
    ("address", "b64"),
    ("what", "b32"),
    ("check", "b32"),
    ("block", "b32"),
    ("warp", "b32"),
    ("seen", "b32"),
];

/// Looks for races with what the table knows, and puts the access into it.
pub(super) fn function(sink: u64) -> String {
    let name = name();
    let parameters: Vec<String> =
        PARAMETERS.iter().map(|(parameter, ty)| format!(".param .{ty} {name}_{parameter}")).collect();
    let parameters = parameters.join(", ");
    let mut stores = String::new();
    for (at, register) in
        [(field::THREAD, "tid"), (field::BLOCK, "ctaid"), (field::THREADS, "ntid"), (field::BLOCKS, "nctaid")]
    {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            let at = at + 4 * i as u64;
            stores += &format!(
                "\tmov.u32 %r40, %{register}.{axis};\n\tst.volatile.global.u32 [%rd12+{at}], %r40;\n"
            );
        }
    }
    let (table, clock) = (sink + TABLE + ENTRY, sink + TABLE);
    let index = 64 - ENTRIES.ilog2();
    format!(
        "\
.func {name}({parameters})
{{
\t.reg .pred %p<20>;
\t.reg .b32 %r<60>;
\t.reg .b64 %rd<20>;
\tld.param.u64 %rd1, [{name}_address];
\tld.param.u32 %r1, [{name}_what];
\tld.param.u32 %r2, [{name}_check];
\tld.param.u32 %r3, [{name}_block];
\tld.param.u32 %r4, [{name}_warp];
\tld.param.u32 %r5, [{name}_seen];
\tmov.u32 %r6, %ctaid.z;
\tmov.u32 %r7, %nctaid.y;
\tmov.u32 %r8, %ctaid.y;
\tmad.lo.u32 %r6, %r6, %r7, %r8;
\tmov.u32 %r7, %nctaid.x;
\tmov.u32 %r8, %ctaid.x;
\tmad.lo.u32 %r6, %r6, %r7, %r8;
\tmov.u32 %r9, %tid.z;
\tmov.u32 %r7, %ntid.y;
\tmov.u32 %r8, %tid.y;
\tmad.lo.u32 %r9, %r9, %r7, %r8;
\tmov.u32 %r7, %ntid.x;
\tmov.u32 %r8, %tid.x;
\tmad.lo.u32 %r9, %r9, %r7, %r8;
\tshr.u32 %r10, %r1, {SPACE};
\tsetp.eq.u32 %p1, %r10, {GLOBAL};
\t@%p1 bra $global;
\tsetp.eq.u32 %p1, %r10, {SHARED};
\t@%p1 bra $shared;
\tisspacep.local %p1, %rd1;
\t@%p1 ret;
\tisspacep.shared %p1, %rd1;
\t@!%p1 bra $global;
\tcvta.to.shared.u64 %rd1, %rd1;
$shared:
\tmov.u32 %r11, {space_shared};
\tcvt.u64.u32 %rd2, %r6;
\tshl.b64 %rd2, %rd2, 24;
\tor.b64 %rd2, %rd2, 4611686018427387904;
\tshr.u64 %rd3, %rd1, 2;
\tadd.u64 %rd2, %rd2, %rd3;
\tbra $keyed;
$global:
\tmov.u32 %r11, {space_global};
\tshr.u64 %rd2, %rd1, 2;
$keyed:
\tmov.u64 %rd4, %gridid;
\tmov.u64 %rd5, {clock};
\tld.relaxed.gpu.global.u32 %r12, [%rd5];
\tcvt.u32.u64 %r13, %rd1;
\tand.b32 %r13, %r13, 3;
\tand.b32 %r14, %r1, 255;
\tbfe.u32 %r15, %r1, {WRITES}, 1;
\tsetp.ne.u32 %p2, %r15, 0;
\tbfe.u32 %r16, %r1, {STRONG}, 1;
\tbfe.u32 %r17, %r1, {WIDE}, 1;
$word:
\tmov.u32 %r18, 4;
\tsub.u32 %r18, %r18, %r13;
\tmin.u32 %r18, %r18, %r14;
\tmov.u32 %r19, 1;
\tshl.b32 %r19, %r19, %r18;
\tsub.u32 %r19, %r19, 1;
\tshl.b32 %r19, %r19, %r13;
\tmul.lo.u64 %rd6, %rd2, -7046029254386353131;
\tshr.u64 %rd6, %rd6, {index};
\tmul.lo.u64 %rd6, %rd6, {ENTRY};
\tadd.u64 %rd6, %rd6, {table};
\tmov.u32 %r20, 0;
$try:
\tatom.acquire.gpu.global.cas.b32 %r21, [%rd6], 0, 1;
\tsetp.eq.u32 %p3, %r21, 0;
\t@%p3 bra $taken;
\tadd.u32 %r20, %r20, 1;
\tnanosleep.u32 20;
\tsetp.lt.u32 %p3, %r20, {TRIES};
\t@%p3 bra $try;
\tbra $next;
$taken:
\tld.volatile.global.u64 %rd7, [%rd6+8];
\tld.volatile.global.u64 %rd8, [%rd6+16];
\tsetp.eq.u64 %p4, %rd7, %rd2;
\tsetp.eq.and.u64 %p4, %rd8, %rd4, %p4;
\t@%p4 bra $known;
\tst.volatile.global.u64 [%rd6+8], %rd2;
\tst.volatile.global.u64 [%rd6+16], %rd4;
\tst.volatile.global.u32 [%rd6+28], 0;
\tst.volatile.global.u32 [%rd6+52], 0;
\tst.volatile.global.u32 [%rd6+76], 0;
\tbra $put;
$known:
\tmov.u32 %r22, 0;
\tadd.u64 %rd9, %rd6, 24;
$look:
\tld.volatile.global.u32 %r23, [%rd9];
\tld.volatile.global.u32 %r24, [%rd9+4];
\tsetp.ge.s32 %p5, %r24, 0;
\t@%p5 bra $looked;
\tshr.u32 %r25, %r24, 16;
\tand.b32 %r25, %r25, %r19;
\tand.b32 %r25, %r25, 15;
\tsetp.eq.u32 %p5, %r25, 0;
\t@%p5 bra $looked;
\tand.b32 %r26, %r24, 65535;
\tbfe.u32 %r27, %r24, 20, 1;
\tand.b32 %r27, %r27, %r16;
\tbfe.u32 %r28, %r24, 21, 1;
\tand.b32 %r28, %r28, %r17;
\tsetp.ne.u32 %p6, %r23, %r6;
\t@%p6 bra $far;
\tsetp.eq.u32 %p7, %r26, %r9;
\t@%p7 bra $looked;
\tsetp.ne.u32 %p7, %r27, 0;
\t@%p7 bra $looked;
\tbfe.u32 %r29, %r1, {BLOCKS}, 1;
\tsetp.eq.u32 %p7, %r29, 0;
\t@%p7 bra $looked;
\tld.volatile.global.u32 %r30, [%rd9+8];
\tsetp.ne.u32 %p7, %r30, %r3;
\t@%p7 bra $looked;
\txor.b32 %r31, %r26, %r9;
\tsetp.ge.u32 %p7, %r31, 32;
\t@%p7 bra $unordered;
\tbfe.u32 %r29, %r1, {WARPS}, 1;
\tsetp.eq.u32 %p7, %r29, 0;
\t@%p7 bra $looked;
\tld.volatile.global.u32 %r30, [%rd9+12];
\tsetp.ne.u32 %p7, %r30, %r4;
\t@%p7 bra $looked;
\tbra $unordered;
$far:
\tand.b32 %r28, %r28, %r27;
\tsetp.ne.u32 %p7, %r28, 0;
\t@%p7 bra $looked;
$unordered:
\tld.volatile.global.u32 %r32, [%rd9+16];
\tsetp.gt.u32 %p7, %r5, %r32;
\t@%p7 bra $looked;
\tmin.u32 %r33, %r22, 1;
\tmad.lo.u32 %r33, %r2, {KINDS}, %r33;
\tmov.u64 %rd11, {sink};
\tmad.wide.u32 %rd12, %r33, {RECORD}, %rd11;
\tld.volatile.global.u32 %r34, [%rd12+{COUNT}];
\tsetp.ge.u32 %p8, %r34, {MOST};
\t@%p8 bra $looked;
\tatom.relaxed.sys.global.add.u32 %r35, [%rd12+{COUNT}], 1;
\tsetp.ne.u32 %p8, %r35, 0;
\t@%p8 bra $looked;
\tshl.b64 %rd13, %rd2, 2;
\tsetp.eq.u32 %p9, %r11, {space_global};
\t@%p9 bra $told;
\tand.b64 %rd13, %rd13, 67108863;
$told:
\tst.volatile.global.u64 [%rd12+{ADDRESS}], %rd13;
\tst.volatile.global.u32 [%rd12+{SPACE_FIELD}], %r11;
\tld.volatile.global.u32 %r36, [%rd9+20];
\tst.volatile.global.u32 [%rd12+{OTHER_CHECK}], %r36;
\tst.volatile.global.u32 [%rd12+{OTHER_BLOCK}], %r23;
\tst.volatile.global.u32 [%rd12+{OTHER}], %r24;
\tst.volatile.global.u32 [%rd12+{OWN}], %r1;
{stores}\tfence.acq_rel.sys;
\tst.volatile.global.u32 [%rd12+{VALID}], {with_other};
$looked:
\tadd.u32 %r22, %r22, 1;
\tadd.u64 %rd9, %rd9, 24;
\tsetp.lt.u32 %p10, %r22, 3;
\tand.pred %p10, %p10, %p2;
\t@%p10 bra $look;
$put:
\tshl.b32 %r37, %r19, 16;
\tor.b32 %r37, %r37, %r9;
\tshl.b32 %r38, %r16, 20;
\tor.b32 %r37, %r37, %r38;
\tshl.b32 %r38, %r17, 21;
\tor.b32 %r37, %r37, %r38;
\tshl.b32 %r38, %r15, 22;
\tor.b32 %r37, %r37, %r38;
\tor.b32 %r37, %r37, -2147483648;
\tadd.u64 %rd10, %rd6, 24;
\t@%p2 bra $store;
\tadd.u64 %rd10, %rd6, 48;
\tld.volatile.global.u32 %r24, [%rd10+4];
\tsetp.ge.s32 %p11, %r24, 0;
\t@%p11 bra $store;
\tld.volatile.global.u32 %r23, [%rd10];
\tsetp.ne.u32 %p11, %r23, %r6;
\t@%p11 bra $last;
\tld.volatile.global.u32 %r30, [%rd10+8];
\tsetp.ne.u32 %p11, %r30, %r3;
\t@%p11 bra $store;
$last:
\tadd.u64 %rd10, %rd6, 72;
$store:
\tst.volatile.global.u32 [%rd10], %r6;
\tst.volatile.global.u32 [%rd10+4], %r37;
\tst.volatile.global.u32 [%rd10+8], %r3;
\tst.volatile.global.u32 [%rd10+12], %r4;
\tst.volatile.global.u32 [%rd10+16], %r12;
\tst.volatile.global.u32 [%rd10+20], %r2;
\tst.release.gpu.global.u32 [%rd6], 0;
$next:
\tsub.u32 %r14, %r14, %r18;
\tmov.u32 %r13, 0;
\tadd.u64 %rd2, %rd2, 1;
\tsetp.ne.u32 %p12, %r14, 0;
\t@%p12 bra $word;
\tret;
}}
",
        space_shared = sink::SHARED,
        space_global = sink::GLOBAL,
        with_other = sink::WITH_OTHER,
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
