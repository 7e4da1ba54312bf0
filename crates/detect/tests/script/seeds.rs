//! How many random programs a test runs.

/// Returns the number of seeds that a test tries: a quarter of `all`, or all where `WARPRACE_EVERY` is set, as
/// `cargo xtask deep-test tests` does.
pub(crate) fn seeds(all: u64) -> u64 {
    if std::env::var_os("WARPRACE_EVERY").is_some() { all } else { all.div_ceil(4) }
}
