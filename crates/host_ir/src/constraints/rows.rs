//! Tables of arrays that the host code allocates in a loop, one for each element.

use super::super::ir::{Function, Op};
use super::filled::Fill;
use super::reader::Reader;
use super::writes::{Accesses, Stored};

/// Definitions that an address is followed through.
const MOST_DEEP: u32 = 4;

/// These read and write memory of devices, and keep no address of it.
const TRANSFERS: [&str; 9] = [
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaMemset2D",
    "cudaFree",
    "cudaFreeAsync",
];

impl<'a> Fill<'_, 'a> {
    /// Returns whether each turn of the loop allocates an array of devices' memory, and stores its address.
    pub(super) fn is_of_rows(&self) -> bool {
        let each = match self.each {
            Stored::Allocation => true,
            Stored::Pointer(value) => self.is_allocated_in_turn(value),
            Stored::Integer(_) | Stored::Sorted | Stored::Unknown => false,
        };
        each && self.first.is_none() && self.last.is_none() && self.bytes == 8
    }

    /// Returns whether a pointer is loaded from a variable into which the same turn has put the address of new memory, and
    /// which is used for nothing else.
    fn is_allocated_in_turn(&self, value: &'a str) -> bool {
        let f = self.f;
        let Some(Op::Load { ty: "ptr", from }) = f.definition(value) else { return false };
        let Some(Op::Alloca) = f.definition(from) else { return false };
        let mut allocations = Vec::new();
        for &spot in f.uses.get(from).into_iter().flatten() {
            let used = &f.blocks[spot.0].insts[spot.1];
            match &used.op {
                Op::Call { callee: Some("cudaMalloc"), arguments, .. }
                    if arguments[0].value == *from && arguments[1].value != *from =>
                {
                    allocations.push(spot);
                }
                Op::Call { callee: Some(c), .. } if c.starts_with("llvm.lifetime") => {}
                Op::Load { ty: "ptr", .. } => {
                    let Some(result) = used.result else { return false };
                    if result != value && !is_only_transferred(f, result, 0) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        let [(block, inst)] = allocations[..] else { return false };
        let Some(&(load, at)) = f.defs.get(value) else { return false };
        let before = match block == load {
            true => inst < at,
            false => self.flow.dominates(block, load),
        };
        // The pointer goes nowhere but into the table.
        let stores = f.uses.get(value).into_iter().flatten().filter(|&&(b, i)| {
            matches!(&f.blocks[b].insts[i].op, Op::Store { value: stored, .. } if *stored == value)
        });
        let only = stores.count() == 1 && is_only_transferred_or_stored(f, value);
        before && only && self.flow.around(block) == self.flow.around(load) && self.turns().contains(block)
    }
}

impl<'a> Reader<'_, '_, 'a> {
    /// Returns whether nothing but copies gets to know the addresses in a table of the host's.
    pub(super) fn keeps_rows(&self, depth: usize, accesses: &Accesses<'a>) -> bool {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        !accesses.is_read && accesses.loads.iter().all(|value| is_only_transferred(f, value, 0))
    }
}

/// Returns whether an address is used for nothing but transfers.
fn is_only_transferred(f: &Function<'_>, address: &str, deep: u32) -> bool {
    deep < MOST_DEEP
        && f.uses.get(address).into_iter().flatten().all(|&(block, inst)| {
            let used = &f.blocks[block].insts[inst];
            match &used.op {
                Op::Compare { .. } => true,
                Op::Call { callee: Some(callee), .. } => TRANSFERS.contains(callee),
                Op::Element { base, .. } if *base == address => {
                    used.result.is_some_and(|r| is_only_transferred(f, r, deep + 1))
                }
                _ => false,
            }
        })
}

/// Returns whether an address is used for nothing but transfers, and for being stored.
fn is_only_transferred_or_stored(f: &Function<'_>, address: &str) -> bool {
    f.uses.get(address).into_iter().flatten().all(|&(block, inst)| match &f.blocks[block].insts[inst].op {
        Op::Store { value, to, .. } => *value == address && *to != address,
        Op::Compare { .. } => true,
        Op::Call { callee: Some(callee), .. } => TRANSFERS.contains(callee),
        _ => false,
    })
}
