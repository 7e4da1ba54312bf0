//! Checks that single launches leave out, since their accesses are proved to race with nothing in the launch.
//!
//! The weak loads and stores of a kernel are divided into at most 64 groups. Each has a bit in the launch parameter
//! ([`launches::APART`](super::launches)), which the checks of the group read first. So one text serves launches with
//! and without proofs, and a launch with an unknown order, whose parameter is zero, makes all of its checks.
//!
//! Instructions are named by the line of their text, counted from the line in which the kernel's body begins. A kernel has
//! the same such lines in a text of its own ([`crate::parts`]).

use super::Guarded;
use super::access::Access;
use super::launches::{APART, parameter};
use crate::prune::Why;
use kernels::fixed_accesses;
use ptx::ast::{Item, Module, Space};
use ptx::flat::{Arg, Base, Flat};
use ptx::op::{Mem, MemSpace, Op, Sem};
use ptx::position::LineIndex;
use std::fmt::Write;

/// The groups of a kernel.
const MOST: usize = 64;

/// The loads and stores of a kernel that launches may leave unchecked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// In their order in the kernel.
    all: Vec<Checked>,
    /// Whether the kernel's accesses depend on its launch alone, and it names no variables.
    are_fixed: bool,
}

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checked {
    /// The index of the instruction in the kernel.
    at: usize,
    /// The line behind that of the body.
    line: u32,
    /// Whether it accesses shared memory for sure.
    is_shared: bool,
}

/// The checks that a launch leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The groups, a bit for each.
    pub groups: u64,
    /// The number of loads and stores in these groups, and in all groups of the kernel.
    pub checks: u32,
    pub of: u32,
}

impl LeftOut {
    /// Returns a note about launches that have left out checks. `kernels` has the last such launch of each kernel.
    pub fn note<'a>(launches: u64, kernels: impl Iterator<Item = &'a LeftOut>) -> Option<String> {
        let (checks, of) = kernels.fold((0, 0), |(checks, of), next| (checks + next.checks, of + next.of));
        let what = format!(
            "{launches} launches were proved in part, and left out the checks of {checks} of {of} loads and stores of their kernels"
        );
        (launches > 0).then_some(what)
    }
}

impl Guarded {
    /// Adds the groups of a function, and returns them; none if it is no kernel with the launch parameter, or all checks
    /// are wanted. `needless` says which accesses have no check.
    pub(super) fn groups(
        &mut self,
        (module, flat): (&Module, &Flat<'_>),
        index: &LineIndex<'_>,
        needless: &[Option<Why>],
        prune: bool,
    ) -> Groups {
        let name = &*flat.function.name.text;
        if !prune || !self.launched.contains_key(name) {
            return Groups::default();
        }
        let mut groups = Groups::of(flat, index, needless);
        groups.are_fixed &= !names_variables(module, flat);
        self.groups.insert(name.to_owned(), groups.clone());
        groups
    }
}

impl Groups {
    /// Returns the groups of a kernel.
    fn of(flat: &Flat<'_>, index: &LineIndex<'_>, needless: &[Option<Why>]) -> Groups {
        let first = flat.function.body.as_ref().map_or(0, |body| index.line(body.span.start));
        let mut out = Groups { all: Vec::new(), are_fixed: fixed_accesses::are_fixed(flat) };
        for (i, (inst, needless)) in flat.instructions.iter().zip(needless).enumerate() {
            if needless.is_some_and(|why| !matches!(why, Why::Apart(extents) if !extents.is_any())) {
                continue;
            }
            let Ok(Op::Ld(mem) | Op::Ldu(mem) | Op::St(mem)) = &inst.op else { continue };
            let Mem { space, sem, .. } = mem;
            let is_shared = *space == MemSpace::SharedCta;
            if *sem == Sem::Weak && (is_shared || matches!(space, MemSpace::Global | MemSpace::Generic)) {
                let line = index.line(inst.source.opcode.span.start);
                out.all.push(Checked { at: i, line: line.saturating_sub(first), is_shared });
            }
        }
        out
    }

    /// Returns whether some of the accesses are of shared memory, which no other launch can access.
    pub fn have_shared(&self) -> bool {
        self.all.iter().any(|checked| checked.is_shared)
    }

    /// Returns whether launches with equal arguments access the same memory, whatever memory holds, and all of it is
    /// shared, or found by these arguments.
    pub fn are_fixed(&self) -> bool {
        self.are_fixed
    }

    /// Returns the checks that a launch leaves out. `is_proved` says of which accesses that is proved, by their lines and
    /// whether they are of shared memory for sure. A group is left out if all of its accesses are.
    pub fn left_out(&self, is_proved: impl Fn(u32, bool) -> bool) -> LeftOut {
        let mut open = 0u64;
        for (n, checked) in self.all.iter().enumerate() {
            open |= u64::from(!is_proved(checked.line, checked.is_shared)) << self.group(n);
        }
        let of = self.all.len() as u32;
        let groups = (0..self.all.len()).fold(0, |all, n| all | 1 << self.group(n)) & !open;
        let checks = (0..self.all.len()).filter(|&n| groups >> self.group(n) & 1 == 1).count() as u32;
        LeftOut { groups, checks, of }
    }

    /// Returns the group of the access with this position among those of the kernel: neighbours share one.
    fn group(&self, position: usize) -> u32 {
        (position / self.all.len().div_ceil(MOST).max(1)) as u32
    }

    /// Returns the group of the checks of an instruction.
    pub(super) fn of_access(&self, instruction: usize, access: &Access<'_>) -> Option<u32> {
        let is_plain = access.strong.is_none() && !access.asynchronous && access.tile.is_none();
        let found = self.all.binary_search_by_key(&instruction, |checked| checked.at);
        found.ok().filter(|_| is_plain).map(|position| self.group(position))
    }
}

/// Returns whether a kernel names variables of its module other than those in shared memory.
fn names_variables(module: &Module, flat: &Flat<'_>) -> bool {
    let is_shared = |name: &str| {
        module.items.iter().any(|item| match item {
            Item::Variable(variable) => variable.space == Space::Shared && variable.name.text == name,
            _ => false,
        })
    };
    flat.instructions.iter().flat_map(|inst| &inst.args).any(|arg| match arg {
        Arg::Symbol(name, _) | Arg::Address { base: Base::Symbol(name), .. } => !is_shared(name),
        _ => false,
    })
}

/// Returns text that skips a check, to `$wr_end`, if its launch leaves it out. Uses `%wr_r0` and `%wr_p0`.
pub(super) fn unless_left_out(group: u32) -> String {
    let (at, bit, launch) = (APART + group / 32 * 4, 1u32 << (group % 32), parameter());
    let mut out = format!("\tld.param.u32 %wr_r0, [{launch}+{at}];\n");
    let _ = write!(
        out,
        "\tand.b32 %wr_r0, %wr_r0, {bit};\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_end;\n"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(number: usize) -> Groups {
        let checked = |n| Checked { at: 2 * n, line: 3 * n as u32, is_shared: n == 2 };
        Groups { all: (0..number).map(checked).collect(), ..Groups::default() }
    }

    #[test]
    fn a_group_is_left_out_if_all_of_its_accesses_are_proved() {
        assert_eq!(groups(0).left_out(|_, _| true), LeftOut::default());
        assert_eq!(groups(3).left_out(|line, _| line != 3), LeftOut { groups: 0b101, checks: 2, of: 3 });
        assert_eq!(groups(4).left_out(|_, is_shared| is_shared).groups, 0b100);
        assert_eq!(groups(64).left_out(|_, _| true), LeftOut { groups: u64::MAX, checks: 64, of: 64 });
        // 65 accesses in groups of two: the open one takes its neighbour with it.
        let one_open = groups(65).left_out(|line, _| line != 3);
        assert_eq!(one_open, LeftOut { groups: ((1 << 33) - 1) & !1, checks: 63, of: 65 });
        assert_eq!(groups(65).left_out(|_, _| false), LeftOut { groups: 0, checks: 0, of: 65 });
    }
}
