//! Which hazards beside those of the lens are looked for (`--check`).

use std::fmt::{self, Display};
use std::str::FromStr;

/// The checks of compute-sanitizer's synccheck and initcheck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Barriers and masks that CUDA forbids.
    pub sync: bool,
    /// Reads of shared memory that no thread has written.
    pub init: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { sync: true, init: false }
    }
}

impl Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.sync, self.init) {
            (true, true) => "sync,init",
            (true, false) => "sync",
            (false, true) => "init",
            (false, false) => "none",
        })
    }
}

/// The text names no checks. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected sync, init, sync,init or none")]
pub struct UnknownCheck;

impl FromStr for Checks {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let mut checks = Checks { sync: false, init: false };
        if text == "none" {
            return Ok(checks);
        }
        for name in text.split(',') {
            match name {
                "sync" => checks.sync = true,
                "init" => checks.init = true,
                _ => return Err(UnknownCheck),
            }
        }
        Ok(checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_print_what_they_parse() {
        for text in ["sync", "init", "sync,init", "none"] {
            assert_eq!(text.parse::<Checks>().unwrap().to_string(), text);
        }
        for wrong in ["", "race", "sync,none", "sync,"] {
            assert!(wrong.parse::<Checks>().is_err(), "{wrong}");
        }
    }
}
