//! Lowers the matrix instructions of warpgroups.

use super::body::{Body, Lowered};
use crate::program::*;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{Op, Wgmma};

impl<'a> Body<'a, '_> {
    pub(super) fn warpgroup(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let inst = match (op, args) {
            (Op::WgmmaFence, _) => CollectiveInst::of_warp(Collective::WgmmaFence),
            (Op::WgmmaCommit, _) => CollectiveInst::of_warp(Collective::WgmmaCommit),
            (Op::WgmmaWait, [Arg::Int(keep)]) => {
                CollectiveInst::of_warp(Collective::WgmmaWait { keep: *keep as u32 })
            }
            (Op::Wgmma(product), [d, a, b, rest @ ..]) => self.product(product, (d, a, b), rest)?,
            _ => return Err("operands missing".to_owned()),
        };
        self.collective(inst);
        Ok(())
    }

    fn product(
        &mut self,
        product: &Wgmma,
        (d, a, b): (&Arg<'a>, &Arg<'a>, &Arg<'a>),
        rest: &[Arg<'a>],
    ) -> Lowered<CollectiveInst> {
        let a_shared = !matches!(a, Arg::Vector(_));
        let (metadata, rest) = match rest {
            [metadata, Arg::Int(selector), rest @ ..] if product.sparse => {
                (Some((metadata, selector_of(product, *selector)?)), rest)
            }
            _ if product.sparse => return Err("no metadata".to_owned()),
            _ => (None, rest),
        };
        let [scale, rest @ ..] = rest else { return Err("no scale of D".to_owned()) };
        let numbers: Option<Vec<i128>> = rest
            .iter()
            .map(|arg| match arg {
                Arg::Int(number) => Some(*number),
                _ => None,
            })
            .collect();
        let Some(numbers) = numbers else { return Err("a scale that is no number".to_owned()) };
        let half = matches!(product.a, ScalarType::F16 | ScalarType::Bf16);
        let (scales, transposed) = match (numbers.as_slice(), half, a_shared) {
            ([], false, _) => ([1, 1], [0, 0]),
            (&[a, b], false, _) => ([a, b], [0, 0]),
            (&[a, b, trans_a, trans_b], true, true) => ([a, b], [trans_a, trans_b]),
            (&[a, b, trans_b], true, false) => ([a, b], [0, trans_b]),
            _ => return Err("scales or transpositions missing".to_owned()),
        };
        if scales.iter().any(|s| s.abs() != 1) || transposed.iter().any(|t| !matches!(t, 0 | 1)) {
            return Err("a scale that is not 1 or -1, or a transposition that is not 0 or 1".to_owned());
        }
        let numbers = |arg: &Arg<'a>| match arg {
            Arg::Vector(items) => items.iter().filter_map(|item| self.tracked.number(item)).collect(),
            _ => Box::default(),
        };
        let what = Collective::Wgmma(Box::new(WgmmaInst {
            product: *product,
            d: numbers(d),
            a: numbers(a),
            a_shared,
            selector: metadata.map_or(0, |(_, selector)| selector),
            negate_a: scales[0] < 0,
            negate_b: scales[1] < 0,
            trans_a: transposed[0] == 1,
            trans_b: transposed[1] == 1,
        }));
        let mut inst = CollectiveInst::of_warp(what);
        inst.d = self.fragment(d, true)?;
        if a_shared {
            inst.a.push(self.source(a, ScalarType::B64)?);
        } else {
            inst.a = self.fragment(a, false)?;
        }
        inst.b.push(self.source(b, ScalarType::B64)?);
        if let Some((metadata, _)) = metadata {
            inst.b.push(self.source(metadata, ScalarType::B32)?);
        }
        let (row, negated) = self.predicate(scale)?;
        inst.c.push(row);
        inst.negated = negated;
        if inst.d.len() != product.registers() || (!a_shared && inst.a.len() != 4) {
            return Err("a wrong number of registers".to_owned());
        }
        Ok(inst)
    }
}

/// Returns the sparsity selector of a product: one of two pairs of threads, or zero if all threads have metadata.
fn selector_of(product: &Wgmma, selector: i128) -> Lowered<u8> {
    let most = if product.a.bytes() == 1 { 0 } else { 1 };
    match u8::try_from(selector) {
        Ok(selector) if selector <= most => Ok(selector),
        _ => Err("a sparsity selector that PTX does not define".to_owned()),
    }
}
