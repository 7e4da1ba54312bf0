//! Prints the shares of each crate and judges them.

use super::DOCUMENTS;
use super::comments::Block;
use super::rules::{Faults, Rule};
use crate::page::LONGEST;
use crate::shell::{self, Outcome};
use std::path::Path;

/// Counts of blocks in one crate.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    name: String,
    blocks: usize,
    /// The blocks that break each rule of [`Rule::ALL`].
    broken: [usize; 3],
}

impl Tally {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), blocks: 0, broken: [0; 3] }
    }

    pub(super) fn add(&mut self, faults: Faults) {
        self.blocks += 1;
        for (count, fault) in self.broken.iter_mut().zip(faults) {
            *count += usize::from(fault);
        }
    }

    fn join(&mut self, other: &Self) {
        self.blocks += other.blocks;
        for (count, more) in self.broken.iter_mut().zip(other.broken) {
            *count += more;
        }
    }

    /// Returns the rules whose limits the shares exceed.
    fn exceeded(&self) -> Vec<Rule> {
        let broken = Rule::ALL.into_iter().zip(self.broken);
        broken
            .filter(|(rule, count)| count * 1000 > rule.limit() * self.blocks)
            .map(|(rule, _)| rule)
            .collect()
    }

    fn row(&self) -> String {
        let percent = |count: usize| format!("{:>5} {:>5.1} %", count, share(count, self.blocks));
        let cells = self.broken.map(percent).join("  ");
        format!("{:<12} {:>6}  {cells}", self.name, self.blocks)
    }
}

fn share(count: usize, of: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are small")]
    let (count, of) = (count as f64, of.max(1) as f64);
    100.0 * count / of
}

/// Prints the table, and fails if the whole, or the crate named by `only`, exceeds a limit.
pub(super) fn verdict(tallies: &[Tally], long: usize, only: Option<&str>) -> Outcome {
    let mut whole = Tally::new("whole");
    println!("{:<12} {:>6}  {:>13}  {:>13}  {:>13}", "crate", "blocks", "question", "who", "beginning");
    for tally in tallies {
        println!("{}", tally.row());
        whole.join(tally);
    }
    println!("{}", whole.row());
    let limits = Rule::ALL.map(|rule| format!("{:>11} %", format!("{:.1}", share(rule.limit(), 1000))));
    println!("{:<12} {:>6}  {}", "limits", "", limits.join("  "));
    println!("{DOCUMENTS}: {long} lines are longer than {} characters", LONGEST);
    let judged = match only {
        Some(DOCUMENTS) => None,
        Some(name) => tallies.iter().find(|tally| tally.name == name),
        None => Some(&whole),
    };
    let mut excess: Vec<String> = judged
        .into_iter()
        .flat_map(|tally| tally.exceeded().into_iter().map(|rule| format!("{}: {}", tally.name, rule.name())))
        .collect();
    if long > 0 && only.is_none_or(|name| name == DOCUMENTS) {
        excess.push("documents: long lines".to_owned());
    }
    match excess.is_empty() {
        true => Ok(()),
        false => Err(format!("these exceed their limits: {}", excess.join(", "))),
    }
}

/// Prints an offending block with the names of the rules that it breaks.
pub(super) fn print_block(file: &Path, block: &Block, faults: Faults) {
    let broken: Vec<&str> =
        Rule::ALL.into_iter().zip(faults).filter(|(_, fault)| *fault).map(|(rule, _)| rule.name()).collect();
    if !broken.is_empty() {
        println!("{}:{}: [{}] {}", shown(file), block.line, broken.join(", "), block.text);
    }
}

/// Returns the file's path from the repository's root.
pub(super) fn shown(file: &Path) -> String {
    file.strip_prefix(shell::root()).unwrap_or(file).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(blocks: usize, broken: [usize; 3]) -> Tally {
        Tally { name: "one".to_owned(), blocks, broken }
    }

    #[test]
    fn limits_may_be_reached_and_not_exceeded() {
        assert!(tally(1000, [3, 6, 30]).exceeded().is_empty());
        assert_eq!(tally(1000, [4, 7, 31]).exceeded(), Rule::ALL);
        assert_eq!(tally(10, [0, 1, 0]).exceeded(), [Rule::Person]);
    }

    #[test]
    fn one_crate_can_be_judged_alone() {
        let mut clean = tally(10, [0; 3]);
        clean.name = "clean".to_owned();
        let tallies = [tally(10, [1, 0, 0]), clean];
        assert!(verdict(&tallies, 0, None).unwrap_err().ends_with("whole: question"));
        assert!(verdict(&tallies, 7, Some("clean")).is_ok());
        assert!(verdict(&tallies, 0, Some("one")).is_err());
        assert!(verdict(&tallies, 1, Some("documents")).is_err());
        assert!(verdict(&tallies, 0, Some("documents")).is_ok());
    }

    #[test]
    fn counts_add_up() {
        let mut sum = tally(1, [1, 0, 0]);
        sum.add([true, false, true]);
        sum.join(&tally(8, [0, 1, 0]));
        assert_eq!((sum.blocks, sum.broken), (10, [2, 1, 1]));
        assert!(sum.row().contains("20.0 %"));
    }
}
