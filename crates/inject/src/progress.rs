//! The progress line on a terminal for slow work.

use crate::output::complain;
use std::time::Duration;

/// Work that takes longer than this is shown.
const SLOW: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(1);

/// Progress of one piece of work.
pub(super) struct Line {
    due: Duration,
    shown: bool,
}

impl Line {
    /// Creates the progress of work that begins; `wanted` means that it may be shown.
    pub(super) fn new(wanted: bool) -> Line {
        Line { due: if wanted { SLOW } else { Duration::MAX }, shown: false }
    }

    /// Shows `text` if an update is due, for work that has taken `spent`.
    pub(super) fn show(&mut self, spent: Duration, text: impl FnOnce() -> String) {
        if spent < self.due {
            return;
        }
        self.due = spent + EVERY;
        self.shown = true;
        complain(format_args!("\r\x1b[Kwarprace: {}, {:.0} s", text(), spent.as_secs_f64()));
    }

    /// Clears the line for subsequent output.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            complain("\r\x1b[K");
        }
    }
}

/// Returns a kernel's progress, its speed, and an estimate of the remaining time if enough blocks are done:
/// `12 of 64 blocks (18%), 310 M instructions/s, about 2 min left`.
pub(super) fn pace(done: u64, blocks: u64, instructions: u64, spent: Duration) -> String {
    let seconds = spent.as_secs_f64().max(1e-3);
    let rate = instructions as f64 / seconds / 1e6;
    let share = done as f64 / blocks.max(1) as f64;
    let mut text =
        format!("{done} of {blocks} blocks ({:.0}%), {rate:.0} M instructions/s", (share * 100.0).floor());
    if done > 0 && done < blocks {
        let left = seconds * (1.0 - share) / share;
        text += &match left {
            ..100.0 => format!(", about {left:.0} s left"),
            ..6000.0 => format!(", about {:.0} min left", left / 60.0),
            _ => format!(", about {:.0} h left", left / 3600.0),
        };
    }
    text
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_tells_what_is_left() {
        let told = |done, seconds| pace(done, 64, 3_000_000_000, Duration::from_secs(seconds));
        assert_eq!(told(0, 10), "0 of 64 blocks (0%), 300 M instructions/s");
        assert_eq!(told(16, 10), "16 of 64 blocks (25%), 300 M instructions/s, about 30 s left");
        assert_eq!(told(1, 10), "1 of 64 blocks (1%), 300 M instructions/s, about 10 min left");
        assert_eq!(told(64, 10), "64 of 64 blocks (100%), 300 M instructions/s");
        assert_eq!(told(1, 3600), "1 of 64 blocks (1%), 1 M instructions/s, about 63 h left");
    }
}
