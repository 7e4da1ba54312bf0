//! What a piece's tests came to, as their framework prints it.

/// Numbers of tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) ran: u32,
    pub(super) failed: u32,
    pub(super) skipped: u32,
    /// The piece's process ended before its tests did.
    pub(super) died: bool,
}

impl Tally {
    /// Reads the last lines that `unittest`, pytest or a tutorial's program prints.
    pub(super) fn of(output: &str) -> Tally {
        if output.lines().any(|line| line == "compared") {
            return Tally { ran: 1, ..Tally::default() };
        }
        let found = output.rsplit_once("\nRan ").map(|(_, end)| Tally::of_unittest(end));
        found.or_else(|| Tally::of_pytest(output)).unwrap_or(Tally { died: true, ..Tally::default() })
    }

    fn of_unittest(end: &str) -> Tally {
        // `(failures=1, expected failures=2)`: a test that is expected to fail passes.
        let closing =
            end.lines().rfind(|line| line.starts_with("FAILED") || line.starts_with("OK")).unwrap_or("");
        let counts: Vec<(&str, &str)> = closing
            .split_once('(')
            .map_or("", |(_, counts)| counts.trim_end_matches(')'))
            .split(", ")
            .filter_map(|count| count.split_once('='))
            .collect();
        let count = |name: &str| -> u32 {
            counts
                .iter()
                .find(|(what, _)| *what == name)
                .and_then(|(_, number)| number.parse().ok())
                .unwrap_or(0)
        };
        let ran = end.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        Tally { ran, failed: count("failures") + count("errors"), skipped: count("skipped"), died: false }
    }

    /// Reads `== 3 failed, 40 passed, 2 skipped in 20.13s ==`, or the same without the frame.
    fn of_pytest(output: &str) -> Option<Tally> {
        let ends = ["passed", "failed", "error", "errors", "skipped", "deselected"];
        let line = output.lines().map(|line| line.trim_matches(['=', ' '])).rev().find(|line| {
            let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
            let counts = words.next().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
            counts && line.contains(" in ") && words.next().is_some_and(|word| ends.contains(&word))
        })?;
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let count = |names: &[&str]| -> u32 {
            words
                .windows(2)
                .filter(|pair| names.contains(&pair[1]))
                .filter_map(|pair| pair[0].parse::<u32>().ok())
                .sum()
        };
        let (failed, skipped) = (count(&["failed", "error", "errors"]), count(&["skipped"]));
        Some(Tally {
            ran: failed + skipped + count(&["passed", "xfailed", "xpassed"]),
            failed,
            skipped,
            died: false,
        })
    }

    pub(super) fn passed(&self) -> u32 {
        self.ran.saturating_sub(self.failed + self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_of_the_last_lines() {
        let output = "test_a ... ok\n\n-----\nRan 12 tests in 3.4s\n\nFAILED (failures=1, errors=2, skipped=3, expected failures=2)\n";
        let tally = Tally { ran: 12, failed: 3, skipped: 3, died: false };
        assert_eq!((Tally::of(output), tally.passed()), (tally, 6));
        assert_eq!(Tally::of("\nRan 1 test in 0.1s\n\nOK\n"), Tally { ran: 1, ..Tally::default() });
        assert!(Tally::of("test_a ... ok\n").died);
        assert_eq!(Tally::of("x\ncompared\n"), Tally { ran: 1, ..Tally::default() });
    }

    #[test]
    fn pytest_s_last_line_counts() {
        let line = "F.s\n===== 3 failed, 40 passed, 2 skipped, 1 xfailed, 8 warnings, 1 error in 20.13s (0:00:20) =====\n";
        assert_eq!(Tally::of(line), Tally { ran: 47, failed: 4, skipped: 2, died: false });
        let quiet = "..\n50 passed, 8207 deselected, 147 warnings in 44.58s\nwarprace: 5 races in 3 s\n";
        assert_eq!(Tally::of(quiet), Tally { ran: 50, ..Tally::default() });
    }
}
