//! A kernel that represents the accesses of a copy, a memset or the host: it does not access their memory,
//! but checks and updates the table like the program's threads.

use super::launches::{Launches, parameter};
use super::{Options, emit, runtime};
use std::fmt::Write;

/// The kernel's name.
pub const NAME: &str = "__warprace_range";
/// The number of threads of a block, and the largest number of blocks.
pub const THREADS: u32 = 128;
const MOST_BLOCKS: u64 = 256;
/// The number of bytes that a block checks or skips at once.
const PIECE: u64 = 512;
/// The offsets of its parameters: the address, the bytes, whether they are written, the number of the check,
/// and the launch parameter.
pub const PARAMETERS: [u32; 5] = [0, 8, 16, 20, 24];
/// The bytes of all parameters.
pub const BYTES: u32 = PARAMETERS[4] + super::launches::BYTES;

/// Returns the number of blocks for a range.
pub fn blocks(bytes: u64) -> u32 {
    (bytes / PIECE + 2).min(MOST_BLOCKS) as u32
}

/// Returns the kernel's parameters: the accessed range, the check, and the launch parameter.
pub fn parameters(
    (address, bytes): (u64, u64),
    writes: bool,
    check: u32,
    told: &[u8; super::launches::BYTES as usize],
) -> [u8; BYTES as usize] {
    let mut out = [0; BYTES as usize];
    let [at, length, what, number, launch] = PARAMETERS.map(|at| at as usize);
    out[at..at + 8].copy_from_slice(&address.to_le_bytes());
    out[length..length + 8].copy_from_slice(&bytes.to_le_bytes());
    out[what..what + 4].copy_from_slice(&(u32::from(writes) << runtime::WRITES).to_le_bytes());
    out[number..number + 4].copy_from_slice(&check.to_le_bytes());
    out[launch..].copy_from_slice(told);
    debug_assert_ne!(told, &Launches::UNKNOWN);
    out
}

/// Returns the module that contains the kernel, for that target. It uses the table of `options`.
pub fn text(options: &Options, target: &str) -> String {
    let &Options { sink, table: base, lines, exchange, .. } = options;
    let table = runtime::Table {
        sink,
        base,
        lines,
        exchange,
        copies: false,
        bulk: false,
        clusters: false,
        meetings: false,
        fetches: false,
    };
    let version = match (exchange, base) {
        (true, None) => "8.4",
        (true, Some(_)) => "8.3",
        (false, _) => "7.1",
    };
    let mut out = format!(".version {version}\n.target {target}\n.address_size 64\n");
    out += &runtime::functions(table);
    let launch = parameter();
    let launch_bytes = super::launches::BYTES;
    let _ = write!(
        out,
        "\
.visible .entry {NAME}(
\t.param .u64 wr_from,
\t.param .u64 wr_bytes,
\t.param .u32 wr_kind,
\t.param .u32 wr_number,
\t.param .align 8 .b8 {launch}[{launch_bytes}]
)
{{
\t.reg .pred %p<4>;
\t.reg .b32 %r<10>;
\t.reg .b64 %rd<16>;
{begin}\
\tld.param.u64 %rd1, [wr_from];
\tld.param.u64 %rd2, [wr_bytes];
\tadd.u64 %rd2, %rd2, %rd1;
\tand.b64 %rd3, %rd1, {pieces};
\tmov.u32 %r1, %ctaid.x;
\tmul.wide.u32 %rd4, %r1, {PIECE};
\tadd.u64 %rd3, %rd3, %rd4;
\tmov.u32 %r1, %nctaid.x;
\tmul.wide.u32 %rd5, %r1, {PIECE};
\tmov.u32 %r1, %tid.x;
\tmul.wide.u32 %rd6, %r1, 4;
$wr_piece:
\tsetp.ge.u64 %p1, %rd3, %rd2;
\t@%p1 ret;
\tadd.u64 %rd7, %rd3, %rd6;
\tadd.u64 %rd8, %rd7, 4;
\tmax.u64 %rd7, %rd7, %rd1;
\tmin.u64 %rd8, %rd8, %rd2;
\tadd.u64 %rd3, %rd3, %rd5;
\tsetp.ge.u64 %p1, %rd7, %rd8;
\t@%p1 bra $wr_piece;
{sampled}\
\tsub.u64 %rd8, %rd8, %rd7;
\tcvt.u32.u64 %r2, %rd8;
\tld.param.u32 %r3, [wr_kind];
\tor.b32 %r2, %r2, %r3;
\tld.param.u32 %r3, [wr_number];
{call}\
\tbra $wr_piece;
}}
",
        begin = emit::range_begins(options),
        pieces = -(PIECE as i64),
        sampled = emit::range_sampled("%rd7", "$wr_piece"),
        call = emit::range_call(options),
    );
    out
}
