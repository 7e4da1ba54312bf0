//! Clocks in the table.

use super::Options;
use super::runtime::END;
use super::table_address::{place, scope};

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
