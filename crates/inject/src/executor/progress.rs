//! The line on a terminal that tells what takes long.

use crate::output::complain;
use std::time::Duration;

/// What takes longer is spoken of.
const SLOW: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(1);

/// Progress of one piece of work.
pub(super) struct Line {
    due: Duration,
    shown: bool,
}

impl Line {
    /// Of work that begins. `wanted` tells whether anybody looks.
    pub(super) fn new(wanted: bool) -> Line {
        Line { due: if wanted { SLOW } else { Duration::MAX }, shown: false }
    }

    /// Shows what `text` says, if it is time to, of work that has taken `spent`.
    pub(super) fn show(&mut self, spent: Duration, text: impl FnOnce() -> String) {
        if spent < self.due {
            return;
        }
        self.due = spent + EVERY;
        self.shown = true;
        complain(format_args!("\r\x1b[Kwarprace: {}, {:.0} s", text(), spent.as_secs_f64()));
    }

    /// What comes next begins on an empty line.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            complain("\r\x1b[K");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}
