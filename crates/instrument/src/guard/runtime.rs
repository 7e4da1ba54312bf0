//! The functions that checked accesses call, and the table that they maintain.
//!
//! # The table
//!
//! The table is a header followed by lines of [`LINE`] bytes, for 32 adjacent words each: a word is 4 bytes
//! at a multiple of 4. The index of a line is its address modulo the number of lines, permuted by a hash of
//! the rest; each of its slots belongs to the last word stored there, of all words with that index (a
//! direct-mapped cache). A word has three slots of 16 bytes: the last write, a read of the current interval
//! between barriers, and the last read. In kernels that may acquire, a thread that reads again the word of
//! its own slot reuses that slot, and does not replace another thread's. Slots of a kind are adjacent, so
//! that a warp writes whole sectors. A slot is read and written whole, by one instruction, so that no thread
//! waits: two threads may overwrite each other, which loses one access, and never mixes them. (PTX guarantees
//! that aligned accesses of 16 bytes do not tear for `.b128` only; GPUs perform vectors of that size the same
//! way.) The words of a slot:
//!
//! | | |
//! |---|---|
//! | 0 | the rest of the address (bits 0 to 23), bytes of the word (24 to 27; of a strong element that is longer than a word [`WHOLE`], of shorter ones that fill it [`HALVES`]), strong (28), wider than a block, or, of a weak one, a pending copy (29), valid (30), by a thread that had observed the word, or strong and of several elements that do not fill it (31) |
//! | 1 | the number of its check (0 to 15), the thread's barrier counts of its warp (16 to 21) and of its block (22 to 31) |
//! | 2 | its thread (0 to 9) and block (10 to 31) |
//! | 3 | the clock (0 to 27) and the launch's lane (28 to 31) |
//!
//! Two words with the same index and the same rest are indistinguishable. Addresses from 2^47 on, and blocks
//! from 2^22 - 1 on, have no slot and are not checked.
//!
//! # Counts that wrap
//!
//! Barrier counts are compared for equality, modulo 64 and 1,024. The clock advances before they wrap, which
//! orders older accesses. The clock does not wrap: when it reaches its end, checking stops, and a mark in the
//! sink records that.
//!
//! # Launches
//!
//! The header begins with the clock. Each launch has one of 16 lanes. The host assigns the first [`LANES`] to
//! launches that are ordered one after the other, each with its number ([`super::launches`]); launches
//! without a launch parameter use the other lanes, by the last bits of `%gridid`. [`STARTED`] has, for each
//! lane, the number of its last launch and the clock at which it began. A thread that begins and finds
//! another launch there advances the clock and stores its own launch, so that older accesses in that lane are
//! ordered before it. Threads read the entry weakly, since all do; a thread that finds another launch reads
//! it again.
//!
//! An access of another lane races unless its launch is ordered before this one. [`KNOWN`] has, for each lane
//! and each other lane, the last number that is ordered before the lane's present launch (with that launch's
//! own number, so that an entry of an older launch is not used). [`BEGUN`] has, for the last [`KEPT`]
//! launches of each lane, the clock at which they began: an access with an older clock than the first
//! unordered launch is of an older launch. Launches without an entry there count as ordered, as do all
//! accesses of lanes without a launch parameter. For the launch beside which this one may have begun, order
//! begins when the thread has waited: until then the last number of that lane counts as one less.
//!
//! # Blocks
//!
//! An operation of one block is ordered before one of another block in the same launch only if some thread of
//! the first has released by a scope wider than a block since, and some thread of the second has acquired by
//! such a scope since: chains through other threads begin and end with these. [`RELEASED`] and [`ACQUIRED`]
//! have, for blocks by the last bits of their number, the clock of the last such operation. Blocks that share
//! an entry count as one. [`super::flags`] describes the additional tracking for kernels whose flags are all
//! known.
//!
//! **Size:** one text whose parts share register names.

use super::launches::LANES;
use super::place::{TOLD, in_function};
use super::told::{APART, OVERLAPPED, OVERLAPS, parameters, tell, told};
use crate::PREFIX;
use crate::collide::KINDS;

/// The bytes of a slot, of the slots of one kind in a line, and of a line.
const SLOT: u64 = 16;
pub(super) const ROW: u64 = 32 * SLOT;
pub(super) const LINE: u64 = 3 * ROW;
/// The bytes in front of the lines.
pub(super) const HEADER: u64 = 334 * LINE;
/// The offset in the header of `{clock, number}` of the last launch of each lane.
pub(super) const STARTED: u64 = 128;
/// The offset, for each of the first [`LANES`] lanes, of the lane beside which its last launch may have
/// begun, plus 1.
pub(super) const BESIDE: u64 = 64;
/// The offset, for each lane, of [`LANES`] entries `{own number, number}`.
pub(super) const KNOWN: u64 = 256;
/// The offset, for each lane, of [`KEPT`] entries `{clock, number}`, indexed by the number modulo [`KEPT`].
pub(super) const BEGUN: u64 = 1024;
pub(super) const KEPT: u64 = 256;
/// The offset of the release entries of blocks, 2 to [`BLOCKS_KEPT`] of 8 bytes: a clock in the upper half;
/// in the lower half the launch and block, and the number of barriers it had passed ([`super::flags`]).
pub(super) const RELEASED: u64 = BEGUN + LANES as u64 * KEPT * 8;
/// The offset of the acquire clocks of blocks.
pub(super) const ACQUIRED: u64 = RELEASED + (8 << BLOCKS_KEPT);
/// The offset of the clocks at which some thread of a block last waited for bulk copies; [`DRAINED`] has
/// those of waits for at least their reads.
pub(super) const WAITED: u64 = ACQUIRED + (4 << BLOCKS_KEPT);
pub(super) const DRAINED: u64 = WAITED + (4 << BLOCKS_KEPT);
pub(super) const BLOCKS_KEPT: u32 = 12;
/// The offset of the sets of blocks from which a block may have acquired, each below the clock of a launch's
/// beginning; [`FLAGS`] has the sets of the 2 to [`FLAGS_KEPT`] flags.
pub(super) const KNOWN_OF: u64 = DRAINED + (4 << BLOCKS_KEPT);
pub(super) const FLAGS: u64 = KNOWN_OF + (8 << BLOCKS_KEPT);
pub(super) const FLAGS_KEPT: u32 = 13;
/// The offset of the clocks of the last release of each warp, 2 to [`WARPS_KEPT`] entries.
pub(super) const SPOKEN: u64 = FLAGS + (8 << FLAGS_KEPT);
pub(super) const WARPS_KEPT: u32 = 14;
/// The offset of the entries of partial and named barriers, 2 to [`MEETINGS_KEPT`] of 16 bytes
/// ([`super::meetings`]): a set of lanes, a set of warps, and a clock.
pub(super) const MEETINGS: u64 = SPOKEN + (4 << WARPS_KEPT);
pub(super) const MEETINGS_KEPT: u32 = 13;
/// The offset of two entries for each place of blocks with the pending releases of its fences
/// ([`super::pending`]), in the format of [`RELEASED`]; [`LOOKED`] has two clocks for each, of the beginning
/// of the launch that last read a flag.
pub(super) const PENDING: u64 = MEETINGS + (16 << MEETINGS_KEPT);
pub(super) const LOOKED: u64 = PENDING + (16 << BLOCKS_KEPT);
const _: () = assert!(LOOKED + (8 << BLOCKS_KEPT) <= HEADER);
/// The number of bits of a line's address: 2^45 words of global memory, as many of shared memory, 32 in each
/// line.
const BITS: u32 = 41;
/// The logarithm of the smallest number of lines: the part of the hash that the index does not determine must
/// fit into a slot.
pub(super) const FEWEST: u32 = BITS - 24;

/// Bits of the second parameter; the lowest eight are the access's bytes.
pub(super) const WRITES: u32 = 8;
pub(super) const STRONG: u32 = 9;
/// The access has a scope wider than a block.
pub(super) const WIDE: u32 = 10;
/// The access is of an asynchronous copy. With [`WIDE`] and without [`STRONG`], the copy is pending.
pub(super) const COPY: u32 = 11;
/// Blocks of the kernel may be ordered while it runs.
pub(super) const FAR: u32 = 12;
/// The clock may advance while the kernel runs.
pub(super) const CLOCK: u32 = 13;
/// The elements of a strong access are longer than a word.
pub(super) const LONG: u32 = 14;
/// A strong access is divided into parts of a word.
pub(super) const DIVIDED: u32 = 15;
pub(super) const SPACE: u32 = 16;

/// The byte mask of a word in a longer element that is accessed strongly: no other access has this mask, and
/// all but one share a byte with it.
const WHOLE: u32 = 0b1011;
/// The byte mask of a word that is accessed strongly as two halves, or four bytes; all but a few shorter
/// accesses share a byte with it.
const HALVES: u32 = 0b1101;

/// The position of the last bits of the launch's number in a thread's time.
pub(super) const NUMBER: u32 = 20;

/// No proxy fence makes the launch's writes visible to the copy of this access.
pub(super) const UNFENCED: u32 = SPACE + 2;

/// The kernel's flags are all known.
pub(super) const FINE: u32 = SPACE + 3;

/// Four bits: the lane whose last launch the thread has not waited for, plus 1 ([`super::early`]).
pub(super) const EARLY: u32 = 24;

/// Values from bit [`SPACE`] on.
pub(super) const GLOBAL: u32 = 0;
pub(super) const SHARED: u32 = 1;
pub(super) const GENERIC: u32 = 2;

/// The clock's end, with a margin for late increments.
pub(super) const END: u32 = (1 << 28) - (1 << 22);
/// The largest number of checks of a process.
pub(super) const CHECKS: u32 = 1 << 16;

/// The attributes common to all calls of a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) sink: u64,
    /// The table's address; `None` if callers pass it.
    pub(super) base: Option<u64>,
    pub(super) lines: u32,
    /// Whether the target has exchanges of 16 bytes.
    pub(super) exchange: bool,
    /// Whether copies are tracked until they are waited for ([`super::copies`]).
    pub(super) copies: bool,
    /// Whether bulk copies are tracked ([`super::bulk`]).
    pub(super) bulk: bool,
    /// Whether threads may access the shared memory of other blocks of their cluster.
    pub(super) clusters: bool,
    /// Whether there are partial or named barriers ([`super::meetings`]).
    pub(super) meetings: bool,
}

pub(super) fn name() -> String {
    format!("{PREFIX}guard")
}

/// Its parameters: name and type, in order.
pub(super) const PARAMETERS: [(&str, &str); 8] = [
    ("address", "b64"),
    ("what", "b32"),
    ("check", "b32"),
    ("who", "b32"),
    ("when", "b32"),
    ("seen", "b32"),
    ("observed", "b32"),
    // The clock at the launch's beginning; older accesses precede the launch.
    ("begun", "b32"),
];

/// Returns text that rotates an observation bit in a `register` by the distance between the rank of the block
/// whose shared memory is at the address in `%wr_a0` and the thread's own rank; `generic` if the address may
/// be of other memory.
pub(super) fn turned_by_rank(register: &str, generic: bool) -> String {
    let (asks, converted) = match generic {
        true => (
            "\tisspacep.shared::cluster %wr_p0, %wr_a0;\n\t@!%wr_p0 bra $wr_own;\n",
            "\tcvta.to.shared::cluster.u64 %wr_a1, %wr_a0;\n",
        ),
        false => ("", "\tmov.u64 %wr_a1, %wr_a0;\n"),
    };
    format!(
        "\t{{\n\t.reg .b32 %wr_rank<2>;\n{asks}{converted}\tgetctarank.shared::cluster.u64 %wr_rank0, %wr_a1;\n\tmov.u32 %wr_rank1, %cluster_ctarank;\n\tsub.u32 %wr_rank0, %wr_rank0, %wr_rank1;\n\tshf.l.wrap.b32 {register}, {register}, {register}, %wr_rank0;\n$wr_own:\n\t}}\n"
    )
}

/// The additional parameters of the check function in modules with barriers of some threads, by name and
/// type.
pub(super) const MEETS: [(&str, &str); 2] = [("met", "b64"), ("base", "b32")];

/// Returns text that sets a 32-bit `register` to the observation bit of the word at an address in the 64-bit
/// register `address`: by its low bits, which are equal in generic and shared addresses. Threads that read a
/// word strongly observe other threads' writes to it.
pub(super) fn bit(address: &str, register: &str) -> String {
    format!(
        "\tcvt.u32.u64 {register}, {address};\n\tand.b32 {register}, {register}, 262140;\n\tmul.lo.u32 {register}, {register}, -1640531535;\n\tshr.u32 {register}, {register}, 27;\n\tshl.b32 {register}, 1, {register};\n"
    )
}

/// Returns both functions.
pub(super) fn functions(table: Table) -> String {
    told(table.sink) + &looked(table)
}

/// Returns text for pending accesses: a pending copy races with every conflicting access except copies of the
/// same thread, launch and bytes. (`%p13`: the present access is a copy's.) A bulk copy is pending until its
/// block has waited; threads' writes race with copies without a known proxy fence. The clock of the `slot` is
/// in `%r40`.
fn pending(n: u32, slot: &str, Table { base, bulk, .. }: Table) -> String {
    let meets = format!(
        "\
\tand.b32 %r42, {slot}0, %r21;
\tand.b32 %r42, %r42, 251658240;
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $no{n};
\tbra $race{n};
"
    );
    // Reads of a copy complete earlier than its writes.
    let done = if slot == "%w" { WAITED } else { DRAINED };
    let waited = match bulk {
        true => format!(
            "\
{}\
\tbfe.u32 %r42, {slot}2, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd12, %r42, 4;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u32 %r42, [%rd12];
\tsetp.gt.u32 %p10, %r42, %r40;
\t@%p10 bra $made{n};
",
            in_function(&name(), base, done, "%rd13")
        ),
        false => String::new(),
    };
    let unfenced = match bulk && slot == "%w" {
        true => format!(
            "\tand.b32 %r42, %r2, {};\n\tsetp.eq.u32 %p10, %r42, 0;\n\t@%p10 bra $made{n};\n{meets}",
            1u32 << UNFENCED
        ),
        false => String::new(),
    };
    format!(
        "\
\tand.b32 %r42, {slot}0, 805306368;
\tsetp.ne.u32 %p10, %r42, 536870912;
\t@%p10 bra $usual{n};
\txor.b32 %r42, {slot}2, %r4;
\tsetp.eq.and.u32 %p10, %r42, 0, %p13;
\t@%p10 bra $no{n};
{waited}{meets}\
$usual{n}:
{unfenced}\
$made{n}:
"
    )
}

/// Returns text that reports a race if the access in `slot` and the present one race. `n` distinguishes
/// labels.
fn judged(n: u32, slot: &str, table: Table) -> String {
    let Table { base, copies, meetings, .. } = table;
    let pending = match copies {
        true => pending(n, slot, table),
        false => String::new(),
    };
    format!(
        "\
\tand.b32 %r40, {slot}0, 1090519039;
\tsetp.ne.u32 %p10, %r40, %r20;
\t@%p10 bra $no{n};
\tmov.u32 %r44, %r2;
\txor.b32 %r40, {slot}3, %r24;
\tshr.u32 %r40, %r40, 28;
\tsetp.ne.u32 %p10, %r40, 0;
\t@%p10 bra $apart{n};
\tand.b32 %r40, {slot}3, 268435455;
\tsetp.gt.u32 %p10, %r8, %r40;
\t@%p10 bra $no{n};
{pending}\
\txor.b32 %r42, {slot}2, %r4;
\tsetp.ge.u32 %p11, %r42, 1024;
\tsetp.gt.u32 %p10, %r6, %r40;
\t@!%p10 bra $bytes{n};
{met}\
\t@!%p11 bra $no{n};
\tand.b32 %r42, %r2, {far};
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $bytes{n};
{released}\
\tbfe.u32 %r42, {slot}2, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd12, %r42, 8;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u64 %rd12, [%rd12];
\tmov.b64 {{%r43, %r42}}, %rd12;
\tsetp.le.u32 %p10, %r42, %r40;
\t@%p10 bra $bytes{n};
\tbfe.u32 %r45, %r4, 10, {BLOCKS_KEPT};
\tmul.wide.u32 %rd12, %r45, 4;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u32 %r42, [%rd12+{acquired}];
\tsetp.le.u32 %p10, %r42, %r40;
\t@%p10 bra $bytes{n};
\tand.b32 %r42, %r2, {fine};
\tsetp.eq.u32 %p10, %r42, 0;
\tshr.u32 %r46, %r24, 28;
\tsetp.ge.or.u32 %p10, %r46, {LANES}, %p10;
\t@%p10 bra $no{n};
\tmul.wide.u32 %rd12, %r45, 8;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u64 %rd12, [%rd12+{known_of}];
\tmov.b64 {{%r42, %r45}}, %rd12;
\tsetp.gt.u32 %p10, %r45, %r8;
\t@%p10 bra $no{n};
\tsetp.lt.u32 %p10, %r45, %r8;
\t@%p10 bra $bytes{n};
\tbfe.u32 %r45, {slot}2, 10, 5;
\tshr.u32 %r42, %r42, %r45;
\tand.b32 %r42, %r42, 1;
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $bytes{n};
\tshl.b32 %r42, %r8, 4;
\tor.b32 %r42, %r42, %r46;
\tshl.b32 %r42, %r42, 10;
\tshr.u32 %r45, {slot}2, 22;
\tor.b32 %r42, %r42, %r45;
\tshl.b32 %r42, %r42, 10;
\tshr.u32 %r45, {slot}1, 22;
\tor.b32 %r42, %r42, %r45;
\tsetp.ne.u32 %p10, %r42, %r43;
\t@%p10 bra $no{n};
\tbfe.u32 %r42, {slot}2, 5, {WARPS_KEPT};
\tmul.wide.u32 %rd12, %r42, 4;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u32 %r42, [%rd12+{spoken}];
\tsetp.gt.u32 %p10, %r42, %r40;
\t@%p10 bra $no{n};
$bytes{n}:
\tand.b32 %r41, {slot}0, %r21;
\tand.b32 %r40, %r41, 251658240;
\tsetp.eq.u32 %p10, %r40, 0;
\t@%p10 bra $no{n};
\txor.b32 %r40, {slot}0, %r21;
\tshl.b32 %r42, {slot}0, 3;
\tlop3.b32 %r42, {slot}0, %r42, %r26, 186;
\tshr.u32 %r42, %r42, 3;
\tand.b32 %r42, %r42, %r40;
\tand.b32 %r42, %r42, 268435456;
\tsetp.ne.u32 %p10, %r42, 0;
\t@%p10 bra $no{n};
\tand.b32 %r42, %r41, 268435456;
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $alike{n};
\tand.b32 %r40, %r40, 251658240;
\tsetp.eq.u32 %p10, %r40, 0;
\tor.b32 %r40, {slot}0, %r21;
\tsetp.lt.or.s32 %p10, %r40, 0, %p10;
\tbfe.u32 %r42, {slot}0, 24, 4;
\tbfe.u32 %r43, %r21, 24, 4;
\tmax.u32 %r40, %r42, %r43;
\tmin.u32 %r42, %r42, %r43;
\tsetp.ne.u32 %p14, %r42, {WHOLE};
\tsetp.eq.and.u32 %p14, %r40, {HALVES}, %p14;
\tor.pred %p10, %p10, %p14;
\t@!%p10 and.b32 %r41, %r41, -805306369;
$alike{n}:
\txor.b32 %r42, {slot}2, %r4;
\t@%p11 bra $far{n};
\tand.b32 %r40, %r41, 268435456;
\tsetp.ne.u32 %p10, %r40, 0;
\t@%p10 bra $no{n};
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $no{n};
\txor.b32 %r43, {slot}1, %r22;
\tshr.u32 %r40, %r43, 22;
\tsetp.ne.u32 %p10, %r40, 0;
\t@%p10 bra $no{n};
\tsetp.ge.u32 %p10, %r42, 32;
\t@%p10 bra $race{n};
\tshr.u32 %r40, %r43, 16;
\tsetp.ne.u32 %p10, %r40, 0;
\t@%p10 bra $no{n};
\tbra $race{n};
$apart{n}:
\tshr.u64 %rd12, %rd2, 45;
\tsetp.ne.u64 %p10, %rd12, 0;
\tshr.u32 %r40, {slot}3, 28;
\tshr.u32 %r41, %r24, 28;
\tmax.u32 %r42, %r40, %r41;
\tsetp.ge.or.u32 %p10, %r42, {LANES}, %p10;
\t@%p10 bra $no{n};
\tmul.wide.u32 %rd12, %r41, {row};
\tmul.wide.u32 %rd13, %r40, 8;
\tadd.u64 %rd12, %rd12, %rd13;
{known}\
\tadd.u64 %rd12, %rd12, %rd13;
\tld.global.v2.u32 {{%r42, %r43}}, [%rd12];
\tbfe.u32 %r45, %r2, {EARLY}, 4;
\tsub.u32 %r45, %r45, 1;
\tsetp.eq.u32 %p10, %r45, %r40;
\tselp.u32 %r45, 1, 0, %p10;
\tsub.u32 %r43, %r43, %r45;
\tshr.u32 %r41, %r5, {NUMBER};
\txor.b32 %r42, %r42, %r41;
\tand.b32 %r42, %r42, {number_mask};
\tadd.u32 %r43, %r43, 1;
\tsetp.ne.u32 %p10, %r42, 0;
\tsetp.eq.or.u32 %p10, %r43, 0, %p10;
\t@%p10 bra $no{n};
\tmul.wide.u32 %rd12, %r40, {begun_row};
\tand.b32 %r41, %r43, {kept_mask};
\tmul.wide.u32 %rd13, %r41, 8;
\tadd.u64 %rd12, %rd12, %rd13;
{begun}\
\tadd.u64 %rd12, %rd12, %rd13;
\tld.global.v2.u32 {{%r41, %r42}}, [%rd12];
\tand.b32 %r40, {slot}3, 268435455;
\tsetp.ne.u32 %p10, %r42, %r43;
\tsetp.lt.or.u32 %p10, %r40, %r41, %p10;
\t@%p10 bra $no{n};
\tor.b32 %r44, %r2, {apart};
\tshr.u32 %r40, {slot}3, 28;
\tshr.u32 %r41, %r24, 28;
{beside}\
\tmul.wide.u32 %rd12, %r40, 4;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u32 %r42, [%rd12];
\tadd.u32 %r45, %r41, 1;
\tsetp.eq.u32 %p10, %r42, %r45;
\t@%p10 or.b32 %r44, %r44, {overlapped};
\tmul.wide.u32 %rd12, %r41, 4;
\tadd.u64 %rd12, %rd12, %rd13;
\tld.relaxed.gpu.global.u32 %r42, [%rd12];
\tadd.u32 %r45, %r40, 1;
\tsetp.eq.u32 %p10, %r42, %r45;
\t@%p10 or.b32 %r44, %r44, {overlaps};
\tsetp.eq.u32 %p11, %r43, %r43;
\tbra $bytes{n};
$far{n}:
\tand.b32 %r40, %r41, 805306368;
\tsetp.eq.u32 %p10, %r40, 805306368;
\t@%p10 bra $no{n};
$race{n}:
\t{{
\t.param .b64 a0;
\t.param .b32 a1;
\t.param .b32 a2;
\t.param .b32 a3;
\t.param .b32 a4;
\t.param .b32 a5;
\tst.param.b64 [a0], %rd2;
\tst.param.b32 [a1], %r44;
\tst.param.b32 [a2], %r30;
\tst.param.b32 [a3], {slot}0;
\tst.param.b32 [a4], {slot}1;
\tst.param.b32 [a5], {slot}2;
\tcall {tell}, (a0, a1, a2, a3, a4, a5);
\t}}
$no{n}:
",
        tell = tell(),
        met = if meetings { met(n, slot) } else { String::new() },
        far = 1u32 << FAR,
        released = in_function(&name(), base, RELEASED, "%rd13"),
        acquired = ACQUIRED - RELEASED,
        fine = 1u32 << FINE,
        known_of = KNOWN_OF - RELEASED,
        spoken = SPOKEN - RELEASED,
        row = 8 * LANES,
        known = in_function(&name(), base, KNOWN, "%rd13"),
        begun = in_function(&name(), base, BEGUN, "%rd13"),
        begun_row = 8 * KEPT,
        kept_mask = KEPT - 1,
        number_mask = (1u32 << (32 - NUMBER)) - 1,
        apart = 1u32 << APART,
        overlaps = 1u32 << OVERLAPS,
        overlapped = 1u32 << OVERLAPPED,
        beside = in_function(&name(), base, BESIDE, "%rd13"),
    )
}

/// Returns text for a thread that has advanced its clock only by barriers of some threads: decides whether it
/// may have synchronised with the other thread. The clock of the `slot` is in `%r40`.
fn met(n: u32, slot: &str) -> String {
    format!(
        "\
\t@%p11 bra $across{n};
\tsetp.gt.u32 %p10, %r50, %r40;
\t@%p10 bra $no{n};
\txor.b32 %r42, {slot}2, %r4;
\tsetp.lt.u32 %p10, %r42, 32;
\tmov.b64 {{%r42, %r43}}, %rd15;
\tselp.b32 %r42, %r42, %r43, %p10;
\tselp.b32 %r43, 0, 5, %p10;
\tshr.u32 %r43, {slot}2, %r43;
\tand.b32 %r43, %r43, 31;
\tshr.u32 %r42, %r42, %r43;
\tand.b32 %r42, %r42, 1;
\tsetp.eq.u32 %p10, %r42, 0;
\t@%p10 bra $bytes{n};
\tbra $no{n};
$across{n}:
"
    )
}

/// Returns text that sets `%r11` to the number of the block whose shared memory contains the address in
/// `%rd1`.
///
/// On GPUs such an address has the block's rank in its cluster above the offset, in all forms: generic, own
/// or another's.
fn owner(clusters: bool) -> &'static str {
    if !clusters {
        return "\tshr.u32 %r11, %r4, 10;\n";
    }
    "\
\tgetctarank.shared::cluster.u64 %r13, %rd1;
\tmov.u32 %r14, %cluster_ctarank;
\tsub.u32 %r52, %r13, %r14;
\tand.b64 %rd1, %rd1, 262143;
\tmov.u32 %r14, %cluster_nctaid.x;
\trem.u32 %r11, %r13, %r14;
\tdiv.u32 %r13, %r13, %r14;
\tmov.u32 %r14, %cluster_ctaid.x;
\tsub.u32 %r11, %r11, %r14;
\tmov.u32 %r14, %ctaid.x;
\tadd.u32 %r11, %r11, %r14;
\tmov.u32 %r14, %cluster_nctaid.y;
\trem.u32 %r15, %r13, %r14;
\tdiv.u32 %r13, %r13, %r14;
\tmov.u32 %r14, %cluster_ctaid.y;
\tsub.u32 %r15, %r15, %r14;
\tmov.u32 %r14, %ctaid.y;
\tadd.u32 %r15, %r15, %r14;
\tmov.u32 %r14, %cluster_ctaid.z;
\tsub.u32 %r13, %r13, %r14;
\tmov.u32 %r14, %ctaid.z;
\tadd.u32 %r13, %r13, %r14;
\tmov.u32 %r14, %nctaid.y;
\tmad.lo.u32 %r13, %r13, %r14, %r15;
\tmov.u32 %r14, %nctaid.x;
\tmad.lo.u32 %r11, %r13, %r14, %r11;
"
}

/// Returns the function that compares an access with the table and stores it there.
fn looked(table: Table) -> String {
    let Table { base, lines, exchange, clusters, copies, meetings, .. } = table;
    let owner = owner(clusters);
    let shared = if clusters { "shared::cluster" } else { "shared" };
    let name = name();
    let more = if meetings { &MEETS[..] } else { &[] };
    let all: Vec<_> =
        PARAMETERS.into_iter().chain(more.iter().copied()).chain(base.is_none().then_some(TOLD)).collect();
    let parameters = parameters(&name, &all);
    let (header, lines_at) = (in_function(&name, base, 0, "%rd4"), in_function(&name, base, HEADER, "%rd5"));
    // The slots that a write reads and stores. Strong writes of words with a wide scope are exceptions: they
    // seldom race, and many threads write one address. Such a write exchanges the slot only if it contains an
    // access of another kind or one older than the launch: an access in between is then compared by one of
    // the two, or has itself found an equivalent one. Without an exchange weak writes read the slot again,
    // which finds most of these.
    let unlike = match exchange {
        true => {
            "\
\txor.b32 %r40, %w0, %r21;
\tand.b32 %r40, %r40, 2147483647;
\txor.b32 %r41, %w3, %r24;
\tshr.u32 %r41, %r41, 28;
\tor.b32 %r40, %r40, %r41;
\tand.b32 %r41, %w3, 268435455;
\tsetp.lt.u32 %p9, %r41, %r8;
\tsetp.ne.or.u32 %p9, %r40, 0, %p9;
\t@%p9 bra $weak;
"
        }
        false => "",
    };
    let (write, again) = match exchange {
        true => (
            "\
\tmov.b64 %rd10, {%r21, %r23};
\tmov.b64 %rd11, {%r4, %r24};
\tmov.b128 %q0, {%rd10, %rd11};
\tatom.relaxed.gpu.global.exch.b128 %q1, [%rd5], %q0;
\tmov.b128 {%rd10, %rd11}, %q1;
\tmov.b64 {%w0, %w1}, %rd10;
\tmov.b64 {%w2, %w3}, %rd11;
"
            .to_owned(),
            String::new(),
        ),
        false => (
            "\
\tld.relaxed.gpu.global.v4.u32 {%w0, %w1, %w2, %w3}, [%rd5];
\tst.relaxed.gpu.global.v4.u32 [%rd5], {%r21, %r23, %r4, %r24};
"
            .to_owned(),
            format!(
                "\
\t@%p3 bra $no4;
\tld.relaxed.gpu.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%rd5];
{}",
                judged(4, "%w", table)
            ),
        ),
    };
    // A copying thread is compared with its own accesses, too.
    let [copy, mine] = match copies {
        true => [
            format!("\tand.b32 %r16, %r2, {};\n\tsetp.ne.u32 %p13, %r16, 0;\n", 1u32 << COPY),
            "\tsetp.eq.and.u32 %p5, %f2, %r4, %p13;\n\t@%p5 bra $put;\n".to_owned(),
        ],
        false => [String::new(), String::new()],
    };
    let others = match meetings {
        true => format!("\tld.param.u64 %rd15, [{name}_met];\n\tld.param.u32 %r50, [{name}_base];\n"),
        false => String::new(),
    };
    let quads = if exchange { "\t.reg .b128 %q<2>;\n" } else { "" };
    format!(
        "\
.func {name}({parameters})
{{
\t.reg .pred %p<20>;
\t.reg .b32 %r<60>, %w<4>, %f<4>, %l<4>;
\t.reg .b64 %rd<20>;
{quads}\
\tld.param.u64 %rd1, [{name}_address];
\tld.param.u32 %r2, [{name}_what];
\tld.param.u32 %r3, [{name}_check];
\tld.param.u32 %r4, [{name}_who];
\tld.param.u32 %r5, [{name}_when];
\tld.param.u32 %r6, [{name}_seen];
\tld.param.u32 %r7, [{name}_observed];
\tld.param.u32 %r8, [{name}_begun];
{others}\
\tsetp.eq.u32 %p1, %r4, -1;
\tsetp.ge.or.u32 %p1, %r6, {END}, %p1;
\t@%p1 ret;
{own_rank}\
\tbfe.u32 %r10, %r2, {SPACE}, 2;
\tsetp.eq.u32 %p1, %r10, {GLOBAL};
\t@%p1 bra $global;
\tsetp.eq.u32 %p1, %r10, {SHARED};
\t@%p1 bra $shared;
\tisspacep.local %p1, %rd1;
\t@%p1 ret;
\tisspacep.{shared} %p1, %rd1;
\t@!%p1 bra $global;
\tcvta.to.{shared}.u64 %rd1, %rd1;
$shared:
{owner}\
\tcvt.u64.u32 %rd2, %r11;
\tshl.b64 %rd2, %rd2, 16;
\tor.b64 %rd2, %rd2, 35184372088832;
\tshr.u64 %rd3, %rd1, 2;
\tadd.u64 %rd2, %rd2, %rd3;
\tbra $keyed;
$global:
\tshr.u64 %rd2, %rd1, 2;
\tsetp.ge.u64 %p1, %rd2, 35184372088832;
\t@%p1 ret;
$keyed:
\tcvt.u32.u64 %r13, %rd1;
\tand.b32 %r13, %r13, 3;
\tand.b32 %r14, %r2, 255;
\tand.b32 %r15, %r2, {writes};
\tsetp.ne.u32 %p2, %r15, 0;
\tand.b32 %r16, %r2, {strong};
\tsetp.ne.u32 %p3, %r16, 0;
\tand.b32 %r16, %r2, {long};
\tsetp.ne.u32 %p7, %r16, 0;
\tand.b32 %r16, %r2, {divided};
\tsetp.ne.u32 %p8, %r16, 0;
{copy}\
\tmov.u32 %r12, %r6;
\tand.b32 %r17, %r2, {clock};
\tsetp.eq.u32 %p4, %r17, 0;
\t@%p4 bra $timed;
{header}\
\tld.global.u32 %r17, [%rd4];
\tmax.u32 %r12, %r12, %r17;
\tmin.u32 %r12, %r12, 268435455;
$timed:
\tshl.b32 %r22, %r5, 16;
\tor.b32 %r23, %r22, %r3;
\tshl.b32 %r24, %r5, 12;
\tand.b32 %r24, %r24, -268435456;
\tor.b32 %r24, %r24, %r12;
\tbfe.u32 %r25, %r2, {STRONG}, 2;
\tshl.b32 %r25, %r25, 28;
$word:
\tmov.u32 %r18, 4;
\tsub.u32 %r18, %r18, %r13;
\tmin.u32 %r18, %r18, %r14;
\tmov.u32 %r19, 1;
\tshl.b32 %r19, %r19, %r18;
\tsub.u32 %r19, %r19, 1;
\tshl.b32 %r19, %r19, %r13;
\tshl.b32 %r19, %r19, 24;
\tselp.b32 %r19, {whole}, %r19, %p7;
\tsetp.eq.and.u32 %p14, %r18, 4, %p8;
\tselp.b32 %r19, {halves}, %r19, %p14;
\tshr.u64 %rd6, %rd2, 5;
\tshr.u64 %rd7, %rd6, {lines};
\tcvt.u32.u64 %r20, %rd7;
\tcvt.u32.u64 %r40, %rd6;
\tmul.lo.u32 %r41, %r20, -1640531535;
\tshr.u32 %r41, %r41, {turned};
\txor.b32 %r40, %r40, %r41;
\tand.b32 %r40, %r40, {place_mask};
\tmul.wide.u32 %rd6, %r40, {LINE};
\tor.b32 %r20, %r20, 1073741824;
\tor.b32 %r21, %r20, %r19;
\tor.b32 %r21, %r21, %r25;
\tshl.b64 %rd9, %rd2, 2;
{bit}{turned_bit}\
\tand.b32 %r40, %r40, %r7;
\tsetp.ne.u32 %p6, %r40, 0;
\tsetp.ne.and.u32 %p14, %r18, 4, %p8;
\tor.pred %p6, %p6, %p14;
\tselp.b32 %r40, -2147483648, 0, %p6;
\tor.b32 %r21, %r21, %r40;
\tselp.b32 %r26, 0, %r40, %p3;
\tand.b64 %rd7, %rd2, 31;
\tshl.b64 %rd7, %rd7, 4;
\tadd.u64 %rd6, %rd6, %rd7;
{lines_at}\
\tadd.u64 %rd5, %rd6, %rd5;
\t@%p2 bra $write;
\t@%p4 bra $last;
\tld.relaxed.gpu.global.v4.u32 {{%f0, %f1, %f2, %f3}}, [%rd5+{first}];
\txor.b32 %r40, %f0, %r21;
\tand.b32 %r40, %r40, 2147483647;
\txor.b32 %r41, %f2, %r4;
\tor.b32 %r40, %r40, %r41;
\txor.b32 %r41, %f3, %r24;
\tshr.u32 %r41, %r41, 28;
\tor.b32 %r40, %r40, %r41;
\tsetp.eq.u32 %p5, %r40, 0;
\t@!%p5 bra $last;
\tst.relaxed.gpu.global.v4.u32 [%rd5+{first}], {{%r21, %r23, %r4, %r24}};
\tbra $read;
$last:
\tst.relaxed.gpu.global.v4.u32 [%rd5+{last}], {{%r21, %r23, %r4, %r24}};
$read:
\tld.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%rd5];
\tld.global.v4.u32 {{%f0, %f1, %f2, %f3}}, [%rd5+{first}];
\tmul.lo.u32 %r30, %r3, {KINDS};
{write_and_me}\
{mine}\
\tand.b32 %r40, %f0, 1090519039;
\tsetp.ne.u32 %p5, %r40, %r20;
\t@%p5 bra $put;
\txor.b32 %r40, %f3, %r24;
\tshr.u32 %r40, %r40, 28;
\tsetp.ne.u32 %p5, %r40, 0;
\t@%p5 bra $put;
\tand.b32 %r40, %f3, 268435455;
\tsetp.gt.u32 %p5, %r6, %r40;
\t@%p5 bra $put;
\txor.b32 %r40, %f2, %r4;
\tsetp.ge.u32 %p5, %r40, 1024;
\t@%p5 bra $next;
\txor.b32 %r41, %f1, %r22;
\tshr.u32 %r41, %r41, 22;
\tsetp.eq.u32 %p5, %r41, 0;
\t@%p5 bra $next;
$put:
\tst.relaxed.gpu.global.v4.u32 [%rd5+{first}], {{%r21, %r23, %r4, %r24}};
\tbra $next;
$write:
\tand.b32 %r40, %r2, {kinds};
\tsetp.eq.u32 %p9, %r40, {alike};
\t@%p9 bra $strong;
$weak:
{write}\
\tbra $written;
$strong:
\tld.relaxed.gpu.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%rd5];
{unlike}\
\tst.relaxed.gpu.global.v4.u32 [%rd5], {{%r21, %r23, %r4, %r24}};
$written:
\tld.relaxed.gpu.global.v4.u32 {{%f0, %f1, %f2, %f3}}, [%rd5+{first}];
\tld.relaxed.gpu.global.v4.u32 {{%l0, %l1, %l2, %l3}}, [%rd5+{last}];
\tmul.lo.u32 %r30, %r3, {KINDS};
{write_and_write}\
{again}\
\tadd.u32 %r30, %r30, 1;
{first_and_write}\
{last_and_write}\
$next:
\tsub.u32 %r14, %r14, %r18;
\tmov.u32 %r13, 0;
\tadd.u64 %rd2, %rd2, 1;
\tsetp.ne.u32 %p12, %r14, 0;
\t@%p12 bra $word;
\tret;
}}
",
        bit = bit("%rd9", "%r40"),
        own_rank = if clusters { "\tmov.u32 %r52, 0;\n" } else { "" },
        turned_bit = if clusters { "\tshf.l.wrap.b32 %r40, %r40, %r40, %r52;\n" } else { "" },
        writes = 1u32 << WRITES,
        strong = 1u32 << STRONG,
        clock = 1u32 << CLOCK,
        long = 1u32 << LONG,
        divided = 1u32 << DIVIDED,
        kinds = 1u32 << STRONG | 1 << WIDE | 1 << LONG | 1 << DIVIDED,
        alike = 1u32 << STRONG | 1 << WIDE,
        whole = WHOLE << 24,
        halves = HALVES << 24,
        turned = 32 - lines,
        place_mask = (1u32 << lines) - 1,
        first = ROW,
        last = 2 * ROW,
        write_and_me = judged(0, "%w", table),
        write_and_write = judged(1, "%w", table),
        first_and_write = judged(2, "%f", table),
        last_and_write = judged(3, "%l", table),
    )
}
