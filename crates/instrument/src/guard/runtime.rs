//! The functions that checked accesses call, and the table that they maintain. Their text is in `runtime/check.ptx`, and, for
//! each slot that an access is compared with, in `runtime/judge.ptx`.
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
//! | 1 | the number of its check (0 to 15), the thread's barrier counts of its warp (16 to 21) and of its block (22 to 31), or the ticket of a bulk copy or product (16 to 31; [`super::tickets`]) |
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
//! unordered launch is of an older launch. A launch that stores nothing (it is proved and runs without checks, or
//! is a copy of memory that no kernel reaches) gets an entry from the next one of its lane that does: the
//! accesses behind that clock are of later launches. Launches without an entry there count as ordered, as do all
//! accesses of lanes without a launch parameter. For the launch beside which this one may have begun, order
//! begins when the thread has waited: until then the last number of that lane counts as one less.
//!
//! # Devices
//!
//! Launches of several devices may share a table, if they receive its address. A lane belongs to one device, which
//! [`DEVICES`] has. Strong accesses by two devices race unless both have system scope: the last bit of a check's number
//! says so ([`SYSTEM`]). A launch that acquires with a scope of its device may learn of launches of another device only
//! through launches of its own that acquire with system scope: the host marks in the sink ([`super::WIDENED`]) each
//! device that such a launch has begun on, before it begins. No such mark is taken back.
//!
//! # Blocks
//!
//! An operation of one block is ordered before one of another block in the same launch only if some thread of
//! the first has released by a scope wider than a block since, and some thread of the second has acquired by
//! such a scope since: chains through other threads begin and end with these. [`RELEASED`] and [`ACQUIRED`]
//! have, for blocks by the last bits of their number, the clock of the last such operation. Blocks that share
//! an entry count as one. [`super::flags`] describes the additional tracking for kernels whose flags are all
//! known.

use super::launches::LANES;
use super::launches::{DEVICE_MASK, DEVICES_AT};
use super::objects::{BYTES, PLACES};
use super::report::{self, APART, ELSEWHERE, OVERLAPPED, OVERLAPS, UNKEPT, parameters};
use super::table_address::{TOLD, in_function, scope};
use super::template::Values;
use super::tickets::{BARRIERS, TICKET_AT};
use crate::PREFIX;
use crate::collide::KINDS;

/// The bytes of a slot, of the slots of one kind in a line, and of a line.
const SLOT: u64 = 16;
pub(super) const ROW: u64 = 32 * SLOT;
pub(super) const LINE: u64 = 3 * ROW;
/// The offset in the header of the operations on tensor memory ([`super::tensor`]).
pub(super) const TENSOR: u64 = 848 * LINE;
/// The bytes in front of the lines.
pub(super) const HEADER: u64 = TENSOR + super::tensor_layout::BYTES.next_multiple_of(LINE);
/// The offset in the header of `{clock, number}` of the last launch of each lane.
pub(super) const STARTED: u64 = 128;
/// The offset, for each of the first [`LANES`] lanes, of the lane beside which its last launch may have
/// begun, plus 1.
pub(super) const BESIDE: u64 = 64;
/// The offset, for each of the first [`LANES`] lanes, of the word at [`super::launches::DEVICE`] of its last launch.
pub(super) const DEVICES: u64 = BESIDE + 4 * LANES as u64;
const _: () = assert!(DEVICES + 4 * LANES as u64 <= STARTED);
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
pub(super) const BLOCKS_KEPT: u32 = 12;
/// The offset of 2 to [`WAITS_KEPT`] clocks before which the operations of a ticket are complete
/// ([`super::completion`]).
pub(super) const WAITED: u64 = ACQUIRED + (4 << BLOCKS_KEPT);
pub(super) const WAITS_KEPT: u32 = 15;
/// The offset of the clocks at which a thread of a block last had a proxy fence for shared memory; [`MAPPED`] has those
/// of acquiring ones for tensor maps.
pub(super) const PROXIED: u64 = WAITED + (4 << WAITS_KEPT);
pub(super) const MAPPED: u64 = PROXIED + (4 << BLOCKS_KEPT);
/// The offset of the entries of `mbarrier`s, 2 to [`OBJECTS_KEPT`] of 16 bytes ([`super::transactions`]).
pub(super) const BARRIER_OBJECTS: u64 = MAPPED + (4 << BLOCKS_KEPT);
pub(super) const OBJECTS_KEPT: u32 = 14;
/// The offset of the sets of blocks from which a block may have acquired, each below the clock of a launch's
/// beginning; [`FLAGS`] has the sets of the 2 to [`FLAGS_KEPT`] flags.
pub(super) const KNOWN_OF: u64 = BARRIER_OBJECTS + (16 << OBJECTS_KEPT);
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
/// The offset of 2 to [`ARRIVED_KEPT`] pairs of clocks up to which waits acquire ([`super::arrivals`]).
pub(super) const ARRIVED: u64 = LOOKED + (8 << BLOCKS_KEPT);
pub(super) const ARRIVED_KEPT: u32 = 15;
/// The offset of the textures and surfaces ([`super::objects`]).
pub(super) const OBJECTS: u64 = ARRIVED + (8 << ARRIVED_KEPT);
const _: () = assert!(OBJECTS.is_multiple_of(BYTES) && OBJECTS + (BYTES << PLACES) <= TENSOR);
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

/// The access needs a proxy fence behind earlier accesses of threads.
pub(super) const UNFENCED: u32 = SPACE + 2;

/// The access is the read of a tensor map, which needs an acquiring proxy fence for maps behind earlier writes of threads.
pub(super) const MAP: u32 = SPACE + 6;

/// The kernel's flags are all known.
pub(super) const FINE: u32 = SPACE + 3;

/// The access is a read that no order puts behind an earlier write of its launch ([`super::fetches`]).
pub(super) const FETCH: u32 = SPACE + 4;

/// Four bits: the lane whose last launch the thread has not waited for, plus 1 ([`super::early`]).
pub(super) const EARLY: u32 = 24;

/// Values from bit [`SPACE`] on.
pub(super) const GLOBAL: u32 = 0;
pub(super) const SHARED: u32 = 1;
pub(super) const GENERIC: u32 = 2;

/// The bit of a check's number that says that a strong access has system scope, in kernels whose launches receive the
/// table's address.
pub(super) const SYSTEM: u32 = 1;

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
    /// Whether there are fetches or loads of surfaces ([`super::fetches`]).
    pub(super) fetches: bool,
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
    report::function(table.sink) + &looked(table)
}

/// Constants of the templates: the fields of a slot, shared memory's part of the words, and the size of an access.
const FIELDS: [(&str, i64); 24] = [
    // Word 0 of a slot.
    ("KEY", 0x40ff_ffff),
    ("BYTES", 0x0f00_0000),
    ("BYTES_AT", 24),
    ("STRONG", 1 << STRONG_AT),
    ("STRONG_AT", STRONG_AT),
    ("STRONG_AND_WIDE", 3 << STRONG_AT),
    ("NEITHER_STRONG_NOR_WIDE", !(3 << STRONG_AT)),
    ("PENDING", 1 << 29),
    ("VALID", 1 << 30),
    ("OBSERVED", -(1 << 31)),
    ("ALL_BUT_OBSERVED", (1 << 31) - 1),
    // Words 1 and 2.
    ("WARP_BARRIERS_AT", 16),
    ("BARRIERS_AT", 22),
    ("BLOCK_AT", 10),
    ("BLOCK", 1 << 10),
    // Word 3.
    ("CLOCK", (1 << LANE_AT) - 1),
    ("LANE", -(1 << LANE_AT)),
    ("LANE_AT", LANE_AT),
    // Words of shared memory: from 2^45 on, 2^16 for each block.
    ("SHARED_AT", 45),
    ("SHARED_WORDS", 1 << 45),
    ("SHARED_BLOCK_AT", 16),
    ("SHARED_WINDOW", (1 << 18) - 1),
    ("HASH", HASH),
    // A truth table of `lop3`.
    ("A_AND_NOT_B_OR_C", (0xf0 & !0xcc | 0xaa) & 0xff),
];
/// Factors of hashes of addresses, and of tickets.
pub(super) const HASH: i64 = 0x9e37_79b1_u32 as i32 as i64;
pub(super) const TICKET_HASH: i32 = 0x85eb_ca6b_u32 as i32;
const STRONG_AT: i64 = 28;
const LANE_AT: i64 = 28;

/// Returns text that reports a race if the access in `slot` and the present one race. `n` distinguishes
/// labels.
fn judged(n: u32, slot: &str, table: Table) -> String {
    let at = |offset| in_function(&name(), table.base, offset, "%rd13");
    Values::default()
        .constants(&FIELDS)
        .constants(&[
            ("WHOLE", WHOLE.into()),
            ("HALVES", HALVES.into()),
            ("BLOCKS_KEPT", BLOCKS_KEPT.into()),
            ("WARPS_KEPT", WARPS_KEPT.into()),
            ("TICKET_AT", TICKET_AT.into()),
            ("TICKET_HASH", TICKET_HASH.into()),
            ("OBJECT_TICKETS", ((BARRIERS << TICKET_AT) as i32).into()),
            ("WAITS_TURNED", (32 - WAITS_KEPT).into()),
            ("LANES", LANES as i64),
            ("KNOWN_ROW", 8 * LANES as i64),
            ("BEGUN_ROW", 8 * KEPT as i64),
            ("KEPT_MASK", KEPT as i64 - 1),
            ("NUMBER", NUMBER.into()),
            ("NUMBER_MASK", (1 << (32 - NUMBER)) - 1),
            ("EARLY", EARLY.into()),
            ("FAR", 1 << FAR),
            ("FINE", 1 << FINE),
            ("UNFENCED_OR_MAP", 1 << UNFENCED | 1 << MAP),
            ("MAP", 1 << MAP),
            ("MAPPED", (1 << BLOCKS_KEPT)),
            ("FETCH", 1 << FETCH),
            ("UNKEPT", 1 << UNKEPT),
            ("FETCH_TO_UNKEPT", (UNKEPT - FETCH).into()),
            // A bit that says nothing in a report.
            ("LATE", 1 << COPY),
            ("APART", 1 << APART),
            ("OVERLAPS", 1 << OVERLAPS),
            ("OVERLAPPED", 1 << OVERLAPPED),
            ("ELSEWHERE", 1 << ELSEWHERE),
            ("DEVICE_MASK", DEVICE_MASK.into()),
            ("DEVICES_AT", DEVICES_AT.into()),
            ("WIDENED", (table.sink + super::WIDENED) as i64),
            ("SYSTEM", SYSTEM.into()),
            ("ACQUIRED", (ACQUIRED - RELEASED) as i64),
            ("KNOWN_OF", (KNOWN_OF - RELEASED) as i64),
            ("SPOKEN", (SPOKEN - RELEASED) as i64),
        ])
        .set("n", n)
        .set("slot", slot)
        .set("tell", report::name())
        .set("at_released", at(RELEASED))
        .set("at_known", at(KNOWN))
        .set("at_begun", at(BEGUN))
        .set("at_beside", at(BESIDE))
        .set("at_devices", at(DEVICES))
        .set("scope", scope(table.base))
        .when("several", table.base.is_none())
        .set("at_waited", at(WAITED))
        .set("at_proxied", at(PROXIED))
        .when("copies", table.copies)
        .when("bulk", table.bulk)
        .when("reads", slot != "%w")
        .when("meetings", table.meetings)
        .when("clusters", table.clusters)
        .when("fetches", table.fetches && n == 0)
        .when("unkept", table.fetches && n == 0 || table.bulk)
        .fill(include_str!("runtime/judge.ptx"))
}

/// Returns the function that compares an access with the table and stores it there.
fn looked(table: Table) -> String {
    let Table { base, lines, exchange, clusters, copies, meetings, .. } = table;
    let name = name();
    let more = if meetings { &MEETS[..] } else { &[] };
    let all: Vec<_> =
        PARAMETERS.into_iter().chain(more.iter().copied()).chain(base.is_none().then_some(TOLD)).collect();
    Values::default()
        .constants(&FIELDS)
        .constants(&[
            ("END", END.into()),
            ("GLOBAL", GLOBAL.into()),
            ("SHARED", SHARED.into()),
            ("SPACE_BIT", SPACE.into()),
            ("STRONG_BIT", STRONG.into()),
            ("WHAT_SIZE", 255),
            ("WHAT_WRITES", 1 << WRITES),
            ("WHAT_STRONG", 1 << STRONG),
            ("WHAT_COPY", 1 << COPY),
            ("WHAT_CLOCK", 1 << CLOCK),
            ("WHAT_LONG", 1 << LONG),
            ("WHAT_DIVIDED", 1 << DIVIDED),
            ("WHAT_KINDS", 1 << STRONG | 1 << WIDE | 1 << LONG | 1 << DIVIDED),
            ("WHAT_WIDE_WORDS", 1 << STRONG | 1 << WIDE),
            ("WHOLE", i64::from(WHOLE) << 24),
            ("HALVES", i64::from(HALVES) << 24),
            ("LINES", lines.into()),
            ("TURNED", (32 - lines).into()),
            ("LINES_MASK", (1 << lines) - 1),
            ("LINE", LINE as i64),
            ("FIRST", ROW as i64),
            ("LAST", 2 * ROW as i64),
            ("KINDS", KINDS.into()),
            ("TICKET", -(1 << TICKET_AT)),
            ("CHECK", (CHECKS - 1).into()),
        ])
        .set("shared", if clusters { "shared::cluster" } else { "shared" })
        .set("parameters", parameters(&name, &all))
        .set("at_header", in_function(&name, base, 0, "%rd4"))
        .set("at_lines", in_function(&name, base, HEADER, "%rd5"))
        .set("observation_bit", bit("%rd9", "%r40"))
        .set("scope", scope(base))
        .set("write_and_me", judged(0, "%w", table))
        .set("write_and_write", judged(1, "%w", table))
        .set("first_and_write", judged(2, "%f", table))
        .set("last_and_write", judged(3, "%l", table))
        .set("write_again", judged(4, "%w", table))
        .set("name", name)
        .when("copies", copies)
        .when("bulk", table.bulk)
        .when("clusters", clusters)
        .when("meetings", meetings)
        .when("exchange", exchange)
        .when("reads_again", !exchange)
        .when("several", base.is_none())
        .fill(include_str!("runtime/check.ptx"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_functions_that_are_ptx() {
        for bits in 0..128u32 {
            let is = |bit: u32| bits >> bit & 1 != 0;
            let text = functions(Table {
                sink: 1 << 20,
                base: is(5).then_some(1 << 30),
                lines: FEWEST,
                exchange: is(0),
                copies: is(1),
                bulk: is(2),
                clusters: is(3),
                meetings: is(4),
                fetches: is(6),
            });
            let parsed_text = format!(".version 8.3\n.target sm_90\n.address_size 64\n{text}");
            let parsed = ptx::parse(&parsed_text);
            assert!(parsed.errors.is_empty(), "{bits:#b}: {:?}\n{text}", parsed.errors);
        }
    }
}
