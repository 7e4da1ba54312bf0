//! Block shuffling: `%ctaid.x` becomes `(a * %ctaid.x + b) mod %nctaid.x`.
//!
//! Source: SuperCollider §3.5.2. The factor is a prime above every grid's size, hence coprime to it, and the
//! same in all blocks, so the map is a bijection. Kernels that use clusters are not shuffled: blocks of a
//! cluster share memory and must stay together.

use crate::edit::Edits;
use ptx::ast::{Function, FunctionDirective, Item, Module};
use ptx::flat::{Arg, flatten};
use ptx::op::{MemSpace, Op};
use ptx::sreg::SpecialReg;

/// Primes between 2^31 (grids have at most 2^31 - 1 blocks in x) and 2^32.
const FACTORS: [u64; 6] = [2147483659, 2246822519, 2654435761, 3221225473, 3266489917, 4294967291];

/// Returns the factor and the summand of a key.
fn map(key: u64) -> (u64, u64) {
    let mixed = key.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (FACTORS[(key % FACTORS.len() as u64) as usize], mixed >> 33)
}

/// Returns whether the blocks of this module's kernels can be shuffled.
pub(super) fn possible(module: &Module) -> bool {
    module.items.iter().all(|item| match item {
        Item::Function(function) => plain(function),
        _ => true,
    })
}

fn plain(function: &Function) -> bool {
    let clusters = function.directives.iter().any(|d| {
        matches!(
            d,
            FunctionDirective::ReqNCtaPerCluster(_)
                | FunctionDirective::ExplicitCluster
                | FunctionDirective::MaxClusterRank(_)
                | FunctionDirective::BlocksAreClusters
        )
    });
    !clusters
        && flatten(function).instructions.iter().all(|inst| {
            let Ok(op) = &inst.op else { return false };
            let cluster = matches!(
                op,
                Op::ClusterArrive { .. } | Op::ClusterWait { .. } | Op::Mapa { .. } | Op::Getctarank { .. }
            ) || matches!(op, Op::Ld(m) | Op::St(m) if m.space == MemSpace::SharedCluster)
                || inst.args.iter().any(|arg| matches!(arg, Arg::Special(s) if knows_clusters(*s)));
            // Only moves of `%ctaid.x` are rewritten.
            let known = !names_block(&inst.args)
                || matches!((op, &inst.args[..]), (Op::Mov { ty }, [Arg::Reg(_), _]) if ty.bits() == 32);
            !cluster && known
        })
}

fn knows_clusters(register: SpecialReg) -> bool {
    // The names of all cluster registers contain the word.
    register.name().contains("cluster")
}

fn names_block(args: &[Arg<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, Arg::Special(SpecialReg::CtaidX)))
}

/// Returns text that maps the block index in a 32-bit `register`, which was read from `%ctaid.x`.
pub(super) fn renamed(register: &str, key: u64) -> String {
    let (factor, summand) = map(key);
    format!(
        "\
\t{{
\t.reg .b32 %wr_n;
\t.reg .b64 %wr_x<4>;
\tcvt.u64.u32 %wr_x0, {register};
\tmov.u32 %wr_n, %nctaid.x;
\tcvt.u64.u32 %wr_x1, %wr_n;
\tmul.lo.u64 %wr_x2, %wr_x0, {factor};
\tadd.u64 %wr_x2, %wr_x2, {summand};
\trem.u64 %wr_x3, %wr_x2, %wr_x1;
\tcvt.u32.u64 {register}, %wr_x3;
\t}}
"
    )
}

/// Inserts the mapping of block indices in one function.
pub(super) fn blocks(function: &Function, text: &str, key: u64, edits: &mut Edits<'_>) {
    for inst in &flatten(function).instructions {
        if !names_block(&inst.args) {
            continue;
        }
        let Some(ptx::ast::Operand::Name(name)) = inst.source.operands.first() else { continue };
        let Some(register) = text.get(name.span.start as usize..name.span.end as usize) else { continue };
        let renamed = renamed(register, key);
        let after = match &inst.source.guard {
            Some(guard) => {
                let opposite = if guard.negated { "" } else { "!" };
                let skip = format!("\t@{opposite}{} bra $wr_end;\n", guard.register.text);
                format!("\n\t{{\n{skip}{renamed}$wr_end:\n\t}}\n")
            }
            None => format!("\n{renamed}"),
        };
        edits.insert_behind(inst.source.span.end, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_permutes_the_blocks_of_every_grid() {
        for key in 0..12 {
            let (factor, summand) = map(key);
            for n in [1u64, 2, 3, 7, 64, 1000, 1023] {
                let mut seen = vec![false; n as usize];
                for i in 0..n {
                    seen[((i * factor + summand) % n) as usize] = true;
                }
                assert!(seen.iter().all(|&s| s), "key {key}, {n} blocks");
            }
            // The product for the largest grid does not overflow.
            assert!(((1u64 << 31) - 2).checked_mul(factor).and_then(|p| p.checked_add(summand)).is_some());
        }
    }

    #[test]
    fn the_factors_are_primes() {
        for factor in FACTORS {
            assert!(factor > 1 << 31);
            assert!((2..66_000u64).take_while(|d| d * d <= factor).all(|d| factor % d != 0), "{factor}");
        }
    }
}
