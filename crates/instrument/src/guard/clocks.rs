//! Clocks in the table.

use super::Options;
use super::runtime::{END, SPOKEN, WARPS_KEPT};
use super::table_address::{header, place, scope};
use super::thread::WHO;

/// Returns text that raises an entry of the table to the clock in a `register`: the entry whose number `number` sets in
/// `%wr_r1`, of 4 bytes, at `at`. Uses `%wr_r1`, `%wr_a0`, `%wr_a1` and `%wr_p0`.
///
/// The thread waits for the store by using what it replaced.
pub(super) fn noted_at(number: &str, at: u64, register: &str, options: &Options) -> String {
    let (ended, scope) = (options.sink + super::ENDED, scope(options.table));
    format!(
        "\
{number}\
\tmul.wide.u32 %wr_a1, %wr_r1, 4;
{}\
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tatom.relaxed.{scope}.global.max.u32 %wr_r1, [%wr_a0], {register};
\tsetp.lt.u32 %wr_p0, %wr_r1, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
",
        place(options, at, "%wr_a0")
    )
}

/// Returns text that advances the clock or, at its end, sets the sink's end mark. Uses `%wr_r0`, `%wr_a0` and
/// `%wr_p0`.
///
/// The thread waits for the increment by using its result: on an H100, releases to a block alone, such as
/// arrivals at an `mbarrier`, were observed to overtake a reduction without a result.
pub(super) fn tick(options: &Options) -> String {
    let (header, ended, scope) = (header(options), options.sink + super::ENDED, scope(options.table));
    format!(
        "{header}\tld.relaxed.{scope}.global.u32 %wr_r0, [%wr_a0];
\tsetp.lt.u32 %wr_p0, %wr_r0, {END};
\t@%wr_p0 atom.relaxed.{scope}.global.add.u32 %wr_r0, [%wr_a0], 1;
\tsetp.lt.u32 %wr_p0, %wr_r0, {END};
\tmov.u64 %wr_a0, {ended};
\t@!%wr_p0 st.relaxed.sys.global.u32 [%wr_a0], 1;
"
    )
}

/// Returns text that records a release by the thread's warp at the clock in a `register`.
pub(super) fn spoken(register: &str, options: &Options) -> String {
    let who = super::register(WHO);
    let mask = (1 << WARPS_KEPT) - 1;
    noted_at(
        &format!("\tshr.u32 %wr_r1, {who}, 5;\n\tand.b32 %wr_r1, %wr_r1, {mask};\n"),
        SPOKEN,
        register,
        options,
    )
}
