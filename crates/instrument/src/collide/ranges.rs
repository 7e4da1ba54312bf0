//! A kernel that checks a range before a copy or a memset by the host accesses it: it reads the range twice.
//!
//! The kernel runs in the call's stream, before the call, and only reads. A thread that changes a value
//! meanwhile is therefore ordered neither before nor behind the call: operations ordered before the call have
//! ended when the kernel begins, and those ordered behind it have not begun. The change is one that a copy
//! would have read (*clobbered read*), or that the call overwrites (*lost update*). SuperCollider §3 has this
//! check for a thread's accesses; it detects races with copies only from the kernels' side.
//!
//! The cost of a call does not depend on its size: of large ranges each block checks one piece of its share,
//! a different one in each launch.

use super::{KINDS, Options, emit, report};
use crate::sample::GOLDEN;

/// The kernel's name.
pub const NAME: &str = "__warprace_watched_range";
/// The number of threads of a block, and the largest number of blocks.
pub const THREADS: u32 = 128;
const MOST_BLOCKS: u64 = 64;
/// The number of bytes that a block checks.
const PIECE: u64 = THREADS as u64 * 4;
/// The offsets of its parameters: the address, the bytes, and the number of the check.
const PARAMETERS: [usize; 3] = [0, 8, 16];
/// The bytes of all parameters.
pub const BYTES: u32 = 20;

/// Returns the number of blocks for a range.
pub fn blocks((address, bytes): (u64, u64)) -> u32 {
    let first = address / PIECE;
    let end = address.saturating_add(bytes).div_ceil(PIECE);
    (end - first).clamp(1, MOST_BLOCKS) as u32
}

/// Returns the kernel's parameters: a range that a call accesses, and the check that represents the call.
pub fn parameters((address, bytes): (u64, u64), check: u32) -> [u8; BYTES as usize] {
    let mut out = [0; BYTES as usize];
    let [at, length, number] = PARAMETERS;
    out[at..at + 8].copy_from_slice(&address.to_le_bytes());
    out[length..length + 8].copy_from_slice(&bytes.to_le_bytes());
    out[number..].copy_from_slice(&check.to_le_bytes());
    out
}

/// Returns the module that contains the kernel, for that target, with the delays of `options`.
///
/// Of the words at both ends only the bytes in the range are compared.
pub fn text(options: &Options, target: &str) -> String {
    let delay = emit::delay(options.read_delay.max(options.write_delay)).join("\n\t");
    let call = emit::call_in("%wr_r1", "%wr_a0", report::GLOBAL);
    let function = report::function(options.sink, None, false);
    let version = if target == "sm_90" { "8.3" } else { "7.1" };
    format!(
        "\
.version {version}
.target {target}
.address_size 64
{function}\
.visible .entry {NAME}(
\t.param .u64 wr_from,
\t.param .u64 wr_bytes,
\t.param .u32 wr_number
)
{{
\t.reg .pred %p<3>;
\t.reg .b32 %wr_r<8>;
\t.reg .b64 %wr_a<8>, %wr_e, %wr_f;
\tld.param.u64 %wr_a1, [wr_from];
\tld.param.u64 %wr_a2, [wr_bytes];
\tadd.u64 %wr_a2, %wr_a2, %wr_a1;
\tadd.u64 %wr_a3, %wr_a2, {last};
\tshr.u64 %wr_a3, %wr_a3, {shift};
\tshr.u64 %wr_a4, %wr_a1, {shift};
\tsub.u64 %wr_a3, %wr_a3, %wr_a4;
\tmov.u32 %wr_r0, %nctaid.x;
\tmov.u32 %wr_r1, %ctaid.x;
\tcvt.u64.u32 %wr_a5, %wr_r0;
\tcvt.u64.u32 %wr_a6, %wr_r1;
\tmul.lo.u64 %wr_a6, %wr_a6, %wr_a3;
\tadd.u64 %wr_a7, %wr_a6, %wr_a3;
\tdiv.u64 %wr_a6, %wr_a6, %wr_a5;
\tdiv.u64 %wr_a7, %wr_a7, %wr_a5;
\tsub.u64 %wr_a7, %wr_a7, %wr_a6;
\tmov.u64 %wr_e, %gridid;
\tcvt.u32.u64 %wr_r2, %wr_e;
\tadd.u32 %wr_r2, %wr_r2, %wr_r1;
\tadd.u32 %wr_r2, %wr_r2, 1;
\tmul.lo.u32 %wr_r2, %wr_r2, {GOLDEN};
\tcvt.u64.u32 %wr_e, %wr_r2;
\tmul.lo.u64 %wr_e, %wr_e, %wr_a7;
\tshr.u64 %wr_e, %wr_e, 32;
\tadd.u64 %wr_a6, %wr_a6, %wr_e;
\tadd.u64 %wr_a6, %wr_a6, %wr_a4;
\tshl.b64 %wr_a6, %wr_a6, {shift};
\tmov.u32 %wr_r3, %tid.x;
\tmul.wide.u32 %wr_e, %wr_r3, 4;
\tadd.u64 %wr_a0, %wr_a6, %wr_e;
\tadd.u64 %wr_e, %wr_a0, 4;
\tmax.u64 %wr_a3, %wr_a0, %wr_a1;
\tmin.u64 %wr_a4, %wr_e, %wr_a2;
\tsetp.ge.u64 %p1, %wr_a3, %wr_a4;
\t@%p1 ret;
\tsub.u64 %wr_a4, %wr_a4, %wr_a3;
\tsub.u64 %wr_a3, %wr_a3, %wr_a0;
\tcvt.u32.u64 %wr_r3, %wr_a4;
\tcvt.u32.u64 %wr_r4, %wr_a3;
\tshl.b32 %wr_r3, %wr_r3, 3;
\tshl.b32 %wr_r4, %wr_r4, 3;
\tmov.u32 %wr_r6, 1;
\tshl.b32 %wr_r3, %wr_r6, %wr_r3;
\tsub.u32 %wr_r3, %wr_r3, 1;
\tshl.b32 %wr_r3, %wr_r3, %wr_r4;
\tld.relaxed.sys.global.u32 %wr_r6, [%wr_a0];
\t{delay}
\tld.relaxed.sys.global.u32 %wr_r7, [%wr_a0];
\tand.b32 %wr_r6, %wr_r6, %wr_r3;
\tand.b32 %wr_r7, %wr_r7, %wr_r3;
\tsetp.eq.u32 %p2, %wr_r6, %wr_r7;
\t@%p2 ret;
\tcvt.u64.u32 %wr_e, %wr_r6;
\tcvt.u64.u32 %wr_f, %wr_r7;
\tld.param.u32 %wr_r1, [wr_number];
\tmul.lo.u32 %wr_r1, %wr_r1, {KINDS};
\t{call}
\tret;
}}
",
        last = PIECE - 1,
        shift = PIECE.trailing_zeros(),
    )
}
