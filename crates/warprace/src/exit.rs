//! Exit codes. They are documented in the help text and in the README; tests pin them.

/// Wrong options, or the program cannot be started.
pub(crate) const USAGE: u8 = 64;
/// The program's device code cannot be checked: no PTX, stripped, damaged, or no CUDA at all.
pub(crate) const UNCHECKABLE: u8 = 65;
/// Races were found; `--error-exitcode` changes it.
pub(crate) const RACES: u8 = 66;
/// The program succeeded and no race was found, but not all of it could be checked.
pub(crate) const INCONCLUSIVE: u8 = 67;
/// The report could not be written to the file it was meant for.
pub(crate) const OUTPUT: u8 = 74;
