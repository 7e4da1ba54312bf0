//! The functions that checked accesses call, and the table that they keep.
//!
//! # The table
//!
//! First its header, then lines of [`LINE`] bytes, for 32 adjacent words each: a word is 4 bytes at a multiple of 4. A line is where its
//! address modulo their number says, turned by a hash of the rest, and each of its slots belongs to the word that was put there last, of
//! all that have that place. A word has three slots of 16 bytes: the last write, a read of the current interval between
//! barriers, and the last read. Where threads may acquire, one that reads again what it has read there puts itself in its own place, not in another's. Slots of a kind lie together, so that a warp writes whole sectors. A slot is
//! read and written whole, by one instruction, so that nobody waits for anybody: two threads may overwrite each other, which
//! loses one of them, and never mixes them. (That aligned accesses of 16 bytes are not torn PTX says of `.b128` only; GPUs make
//! vectors of that size the same way.) Words of a slot:
//!
//! | | |
//! |---|---|
//! | 0 | the rest of the address (bits 0 to 23), bytes of the word (24 to 27; of a strong element that is longer than a word [`WHOLE`], of shorter ones that fill it [`HALVES`]), strong (28), wider than a block, or, of a weak one, a pending copy (29), there at all (30), by a thread that had observed the word, or strong and of several elements that do not fill it (31) |
//! | 1 | the number of its check (0 to 15), of the thread's barriers those of its warp (16 to 21) and of its block (22 to 31) |
//! | 2 | its thread (0 to 9) and block (10 to 31) |
//! | 3 | the clock (0 to 27) and the launch's lane (28 to 31) |
//!
//! Two words with the same place and the same rest are one. Addresses from 2^47 on, and
//! blocks from 2^22 - 1 on, have no slot and are not looked at.
//!
//! # Counts that wrap
//!
//! Barriers are compared for equality, modulo 64 and 1,024. Before they wrap, the clock goes on: what is older is ordered by it. The
//! clock does not wrap: when it has come to its end, nothing is looked at any more, and the sink is told so.
//!
//! # Launches
//!
//! The header begins with the clock. Each launch has a lane, of which there are 16. The first [`LANES`] are given by the host to launches that are ordered
//! one after the other, each with its number ([`super::launches`]); in the others are those of which the host says nothing, by the last bits of
//! `%gridid`. At [`STARTED`] is, for each lane, what the clock was when its last launch began, and which that was. Whoever begins and finds another launch there
//! has the clock go on and puts its own, so that what is older in that lane is ordered before it. Threads read it weakly, for all do; who finds another launch there asks again.
//!
//! An access of another lane races unless the launch that made it is ordered before this one. At [`KNOWN`] stands, for each lane and each other one, up to which number that is so
//! for the launch that the lane has now (with the launch's own number, so that nobody takes what an older one knew). At [`BEGUN`] stands, of each lane's last [`KEPT`] launches, what the clock was when they began:
//! what has an older clock than the first launch that is not ordered is older than that. What is not found there any more counts as ordered, as does all that lanes without the host's word have to do with.
//! Of the launch beside which this one may have begun that is so once the thread has waited: until then the last number of that lane counts for one less.
//!
//! # Blocks
//!
//! What one block did is ordered before what another one does in the same launch only if some thread of the first has released by a scope wider than a block since,
//! and some thread of the second has acquired so since: whatever passes within a block, or through others, begins and ends there. At [`RELEASED`] and
//! [`ACQUIRED`] stands, for blocks by the last bits of their number, what the clock was when they last did. Blocks that share a place count as one. What is known besides, of
//! kernels whose flags are all known, [`super::flags`] tells.
//!
//! **Size:** one text, of which each part names registers of the others.

use super::launches::LANES;
use super::place::{TOLD, in_function};
use super::told::{APART, OVERLAPPED, OVERLAPS, parameters, tell, told};
use crate::PREFIX;
use crate::collide::KINDS;

/// Bytes of a slot, of one kind of slots of a line, and of a line.
const SLOT: u64 = 16;
pub(super) const ROW: u64 = 32 * SLOT;
pub(super) const LINE: u64 = 3 * ROW;
/// In front of the lines.
pub(super) const HEADER: u64 = 334 * LINE;
/// There, in the header: `{clock, number}` of the last launch of each lane.
pub(super) const STARTED: u64 = 128;
/// For each of the first [`LANES`] lanes beside which other one its last launch may have begun, plus 1.
pub(super) const BESIDE: u64 = 64;
/// For each lane [`LANES`] times `{own number, number}`.
pub(super) const KNOWN: u64 = 256;
/// For each lane [`KEPT`] times `{clock, number}`, where the number modulo that says.
pub(super) const BEGUN: u64 = 1024;
pub(super) const KEPT: u64 = 256;
/// For each place of blocks, of which there are 2 to [`BLOCKS_KEPT`], a clock in the upper half of 8 bytes; in the lower one which launch's and block's that is, and how
/// many barriers it had passed ([`super::flags`]).
pub(super) const RELEASED: u64 = BEGUN + LANES as u64 * KEPT * 8;
/// For each a clock.
pub(super) const ACQUIRED: u64 = RELEASED + (8 << BLOCKS_KEPT);
/// Likewise when some thread of theirs last waited for bulk copies, and for what these read at least.
pub(super) const WAITED: u64 = ACQUIRED + (4 << BLOCKS_KEPT);
pub(super) const DRAINED: u64 = WAITED + (4 << BLOCKS_KEPT);
pub(super) const BLOCKS_KEPT: u32 = 12;
/// For each place of blocks the set of those of which they may know, below the clock of a launch's beginning; for each flag, of which there are 2 to
/// [`FLAGS_KEPT`], that of blocks of which it tells.
pub(super) const KNOWN_OF: u64 = DRAINED + (4 << BLOCKS_KEPT);
pub(super) const FLAGS: u64 = KNOWN_OF + (8 << BLOCKS_KEPT);
pub(super) const FLAGS_KEPT: u32 = 13;
/// For each place of warps, of which there are 2 to [`WARPS_KEPT`], the clock of their last release.
pub(super) const SPOKEN: u64 = FLAGS + (8 << FLAGS_KEPT);
pub(super) const WARPS_KEPT: u32 = 14;
/// 16 bytes for each place of groups that meet, of which there are 2 to [`MEETINGS_KEPT`] ([`super::meetings`]): a set of lanes, one of warps, and a clock.
pub(super) const MEETINGS: u64 = SPOKEN + (4 << WARPS_KEPT);
pub(super) const MEETINGS_KEPT: u32 = 13;
/// For each place of blocks twice what its fences may release ([`super::pending`]), as at [`RELEASED`], and twice the clock of the beginning of the launch that last read a flag.
pub(super) const PENDING: u64 = MEETINGS + (16 << MEETINGS_KEPT);
pub(super) const LOOKED: u64 = PENDING + (16 << BLOCKS_KEPT);
const _: () = assert!(LOOKED + (8 << BLOCKS_KEPT) <= HEADER);
/// Bits of a line's address: words of 2^45 for global memory, as many for shared memory, 32 in each line.
const BITS: u32 = 41;
/// Fewest lines, as a power of two: what the place does not tell of the hash must fit into a slot.
pub(super) const FEWEST: u32 = BITS - 24;

/// Bits of the second parameter; the lowest eight are the access's bytes.
pub(super) const WRITES: u32 = 8;
pub(super) const STRONG: u32 = 9;
/// Is its scope wider than a block?
pub(super) const WIDE: u32 = 10;
/// Is it of an asynchronous copy? With [`WIDE`], and not [`STRONG`], of one that is pending.
pub(super) const COPY: u32 = 11;
/// May blocks of the kernel be ordered while it runs?
pub(super) const FAR: u32 = 12;
/// May the clock go on while the kernel runs?
pub(super) const CLOCK: u32 = 13;
/// Are the elements of a strong access longer than a word?
pub(super) const LONG: u32 = 14;
/// Is a strong access divided into parts of a word?
pub(super) const DIVIDED: u32 = 15;
pub(super) const SPACE: u32 = 16;

/// The bytes of a word of which a longer element is accessed strongly: no other access has these, and all but one share some.
const WHOLE: u32 = 0b1011;
/// Those of which two halves, or four bytes, are; all but a few shorter accesses share some.
const HALVES: u32 = 0b1101;

/// Where in a thread's time the last bits of its launch's number stand.
pub(super) const NUMBER: u32 = 20;

/// Has nothing that the launch wrote been made known to the copy that this is an access of?
pub(super) const UNFENCED: u32 = SPACE + 2;

/// And is known by which memory?
pub(super) const FINE: u32 = SPACE + 3;

/// Four bits: the lane whose last launch the thread has not waited for, plus 1 ([`super::early`]).
pub(super) const EARLY: u32 = 24;

/// Values from bit [`SPACE`] on.
pub(super) const GLOBAL: u32 = 0;
pub(super) const SHARED: u32 = 1;
pub(super) const GENERIC: u32 = 2;

/// The clock's end, with room for those that are late.
pub(super) const END: u32 = (1 << 28) - (1 << 22);
/// Most checks of a process.
pub(super) const CHECKS: u32 = 1 << 16;

/// What all calls of a module have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) sink: u64,
    /// `None`: callers say where it is.
    pub(super) base: Option<u64>,
    pub(super) lines: u32,
    /// Has the target exchanges of 16 bytes?
    pub(super) exchange: bool,
    /// Are copies followed until they are waited for ([`super::copies`])?
    pub(super) copies: bool,
    /// And bulk copies ([`super::bulk`])?
    pub(super) bulk: bool,
    /// May threads access the shared memory of other blocks of their cluster?
    pub(super) clusters: bool,
    /// Are there barriers of some lanes, or with names ([`super::meetings`])?
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
    // What is older was there before the launch.
    ("begun", "b32"),
];

/// Text that turns such a bit in a `register` by how far the rank of the block whose shared memory is at the address in `%wr_a0` is from the own one; `generic` if it may be
/// other memory.
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

/// Where there are barriers of some threads, one more parameter each of the function that looks, by name and type.
pub(super) const MEETS: [(&str, &str); 2] = [("met", "b64"), ("base", "b32")];

/// Text that sets in a 32-bit `register` which bit of what a thread has observed stands for the word at an address in the 64-bit
/// register `address`: by its last bits, which generic and shared addresses have in common. Threads that read a word strongly observe what others wrote there.
pub(super) fn bit(address: &str, register: &str) -> String {
    format!(
        "\tcvt.u32.u64 {register}, {address};\n\tand.b32 {register}, {register}, 262140;\n\tmul.lo.u32 {register}, {register}, -1640531535;\n\tshr.u32 {register}, {register}, 27;\n\tshl.b32 {register}, 1, {register};\n"
    )
}

/// Both functions.
pub(super) fn functions(table: Table) -> String {
    told(table.sink) + &looked(table)
}

/// What is pending races with whatever comes, but for other copies of its own thread: this launch's, of the same bytes. (`%p13`: the own access is a copy's.)
/// Of bulk copies, until its block has waited; and what threads have written with copies of which no proxy fence is known. The clock of the `slot` is in `%r40`.
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
    // What was read waits for less.
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

/// Tells of a race if the access in `slot` and the own one are one. `n` keeps labels apart.
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

/// Who has seen the clock go on by barriers of some threads alone: may it have met the other one? The clock of the `slot` is in `%r40`.
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

/// Leaves the number of the block whose shared memory an address in `%rd1` belongs to in `%r11`.
///
/// On GPUs such an address has the block's rank in its cluster above the offset, wherever it is: generic, own or another's.
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

/// Looks for races with what the table knows, and puts the access into it.
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
    // What a write finds, and leaves, unless it is strong with a wide scope and of a word: those seldom race, and many have one address.
    // What they find of another kind, or older than the launch, they exchange, too: who comes in between is seen by one of the two, or has seen one like them.
    // Without an exchange weak writes look again, which sees most of these.
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
    // Who has copied looks at his own again.
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
