//! The question whether launches on a real GPU can race, which the library asks a process of its own: it links no
//! prover.
//!
//! The library starts [`RunOptions::prover`](crate::RunOptions::prover) with the word [`COMMAND`], writes a
//! [`Question`] as JSON to its input, and reads an [`Answer`] in each line of its output, in the order of the launches.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The command of `warprace` that answers.
pub const COMMAND: &str = "proofs";

/// Launches of kernels of one module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The module's PTX.
    pub texts: Vec<String>,
    /// Whether `volatile` accesses are ordinary ones.
    pub volatile_weak: bool,
    pub launches: Vec<AskedLaunch>,
    /// The milliseconds after which a launch counts as not proved.
    pub limit: u64,
}

/// The facts of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AskedLaunch {
    /// Mangled.
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cooperative: bool,
    /// Bytes of dynamic shared memory of each block.
    pub shared: u32,
    pub arguments: Arguments,
    /// The allocations to which arguments lead, with their sizes; sorted and disjoint.
    pub memory: Vec<(u64, u64)>,
}

/// The arguments of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Arguments {
    /// The bytes of each.
    Each(Vec<Vec<u8>>),
    /// The bytes of all, in the layout of the kernel's parameters.
    Packed(Vec<u8>),
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments::Each(Vec::new())
    }
}

/// The prover's answer about a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// No two accesses of the launch race, and each stays in the memory of an argument.
    pub proved: bool,
    /// The variables in constant memory that a proved launch may read.
    pub constants: Vec<String>,
    /// Whether the answer holds for all launches that differ in the addresses of `memory` alone.
    pub is_general: bool,
    /// Why it is not proved.
    pub why: Option<String>,
    /// The accesses that are proved of a launch that is not proved as a whole.
    #[serde(default)]
    pub parts: Parts,
}

/// The loads and stores of a launch that race with none of its accesses, each by its line behind that in which the kernel's
/// body begins. Each access of global memory stays in the memory of an argument, if `global` is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Those of shared memory, which nothing else can access.
    pub shared: Vec<u32>,
    /// Those of global memory.
    pub global: Vec<u32>,
}

impl AskedLaunch {
    /// Returns whether an argument is an address of the launch's memory, and nothing else.
    pub fn is_address(&self, argument: &[u8]) -> bool {
        self.place(argument).is_some()
    }

    /// Returns the index and the offset of the memory to which an argument leads that is one address.
    fn place(&self, argument: &[u8]) -> Option<(usize, u64)> {
        let address = u64::from_le_bytes(argument.try_into().ok()?);
        let holder = self.memory.partition_point(|(base, _)| *base <= address).checked_sub(1)?;
        let (base, bytes) = self.memory[holder];
        (address - base <= bytes).then_some((holder, address - base))
    }

    /// Returns the facts without the addresses of memory, as text. Launches with one such text differ in nothing that
    /// an answer depends on, if that [is general](Answer::is_general).
    pub fn without_addresses(&self) -> Option<String> {
        let Arguments::Each(all) = &self.arguments else { return None };
        let mut order: Vec<usize> = Vec::new();
        let mut arguments = String::new();
        for argument in all {
            match self.place(argument) {
                Some((holder, offset)) => {
                    let known = order.iter().position(|&known| known == holder);
                    let number = known.unwrap_or_else(|| {
                        order.push(holder);
                        order.len() - 1
                    });
                    let _ = write!(arguments, " #{number}+{offset}");
                }
                None => {
                    arguments.push(' ');
                    argument.iter().for_each(|byte| {
                        let _ = write!(arguments, "{byte:02x}");
                    });
                }
            }
        }
        // Memory to which other arguments lead keeps its address.
        let others = (0..self.memory.len()).filter(|n| !order.contains(n)).map(|n| self.memory[n]);
        let sizes: Vec<u64> = order.iter().map(|&n| self.memory[n].1).collect();
        let AskedLaunch { kernel, grid, block, cooperative, shared, .. } = self;
        let others: Vec<(u64, u64)> = others.collect();
        Some(format!("{kernel} {grid:?} {block:?} {cooperative} {shared}{arguments} {sizes:?} {others:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_differ_in_addresses_alone_have_one_text() {
        let launch = |bases: [u64; 2], n: u32| AskedLaunch {
            kernel: "k".into(),
            grid: [1; 3],
            block: [32, 1, 1],
            arguments: Arguments::Each(vec![
                (bases[1] + 16).to_le_bytes().to_vec(),
                bases[0].to_le_bytes().to_vec(),
                n.to_le_bytes().to_vec(),
            ]),
            memory: {
                let mut memory = vec![(bases[0], 64), (bases[1], 128)];
                memory.sort_unstable();
                memory
            },
            ..AskedLaunch::default()
        };
        let text = launch([4096, 8192], 7).without_addresses();
        assert_eq!(text, launch([1 << 40, 1 << 30], 7).without_addresses());
        assert_ne!(text, launch([4096, 8192], 8).without_addresses());
        // Two arguments that lead to one allocation are not two of different ones.
        let shared = AskedLaunch { memory: vec![(4096, 8192)], ..launch([4096, 8192], 7) };
        assert_ne!(text, shared.without_addresses());
    }
}
