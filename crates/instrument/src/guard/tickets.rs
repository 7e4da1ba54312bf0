//! Tickets: what completes an asynchronous operation, in 16 bits.

use super::register;
use super::thread::WHO;

/// Tickets of products of warpgroups, and of tensor cores.
pub(super) const WARPGROUP: u32 = 2;
pub(super) const PRODUCTS: u32 = 3;
/// The tickets of a thread's bulk groups, to which its number is added: for the writes, and for the reads.
pub(super) const GROUPS: u32 = 0x4000;
pub(super) const READS: u32 = 0x6000;
/// The tickets of `mbarrier`s, to which the number of the object in shared memory is added, of so many bits.
pub(super) const BARRIERS: u32 = 0x8000;
pub(super) const NUMBERS: u32 = 14;

/// The position of a ticket in a check's number.
pub(super) const TICKET_AT: u32 = 16;

/// Returns text that sets a 32-bit `register` to the number of the `mbarrier` at the address in `%wr_a0`: addresses
/// have the same low bits in all forms.
pub(super) fn number(register: &str) -> String {
    format!("\tcvt.u32.u64 {register}, %wr_a0;\n\tbfe.u32 {register}, {register}, 3, {NUMBERS};\n")
}

/// Returns text that sets a 32-bit `register` to the ticket, shifted to its place, of a thread's bulk group.
pub(super) fn of_group(register: &str, writes: bool) -> String {
    let (who, base) = (self::register(WHO), if writes { GROUPS } else { READS });
    format!(
        "\tand.b32 {register}, {who}, 1023;\n\tor.b32 {register}, {register}, {base};\n\tshl.b32 {register}, {register}, {TICKET_AT};\n"
    )
}

/// Returns text that sets a 32-bit `register` to the ticket, shifted to its place, of the `mbarrier` at the address in
/// `%wr_a0`.
pub(super) fn of_barrier(register: &str) -> String {
    format!(
        "{}\tor.b32 {register}, {register}, {BARRIERS};\n\tshl.b32 {register}, {register}, {TICKET_AT};\n",
        number(register)
    )
}
