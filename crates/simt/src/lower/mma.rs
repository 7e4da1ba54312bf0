//! Lowers `mma`.

use super::body::{Body, Lowered};
use crate::num::sparse::{ROW, unit};
use crate::program::*;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::Op;

impl<'a> Body<'a, '_> {
    pub(super) fn mma(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<CollectiveInst> {
        let [d, a, b, c, more @ ..] = args else { return Err("operands missing".to_owned()) };
        let mut inst = CollectiveInst::of_warp(Collective::Matrix(Box::new(op.clone())));
        inst.d = self.fragment(d, true)?;
        inst.a = self.fragment(a, false)?;
        inst.b = self.fragment(b, false)?;
        inst.c = self.fragment(c, false)?;
        let Op::Mma { d: d_ty, a: ty, sparse, kind, .. } = *op else { return Ok(inst) };
        if !sparse && kind.is_none() {
            return Ok(inst);
        }
        // A has 16 rows, B eight columns: eight bytes of a row of A in each register, 16 of one of B.
        let registers = [inst.d.len(), inst.a.len(), inst.b.len(), inst.c.len()];
        let accumulators = if d_ty == ScalarType::F16 { 2 } else { 4 };
        let of_b = if sparse { inst.a.len() } else { 2 };
        let of_a = if kind.is_some() { 4 } else { inst.a.len() };
        if registers != [accumulators, of_a, of_b, accumulators] || !matches!(of_a, 2 | 4) {
            return Err("a wrong number of registers".to_owned());
        }
        let (selector, scales) = match more {
            [metadata, Arg::Int(selector), scales @ ..] if sparse => {
                inst.c.push(self.source(metadata, ScalarType::B32)?);
                (selector_of(unit(ty), 8 * of_a, *selector)?, scales)
            }
            _ if sparse => return Err("no metadata".to_owned()),
            scales => (0, scales),
        };
        for scale in scales {
            match scale {
                Arg::Vector(selectors) => {
                    for selector in selectors {
                        inst.c.push(self.source(selector, ScalarType::U16)?);
                    }
                }
                data => inst.c.push(self.source(data, ScalarType::B32)?),
            }
        }
        let scaled = kind.is_some_and(|kind| kind.scale.is_some());
        if inst.c.len() != accumulators + usize::from(sparse) + 6 * usize::from(scaled) {
            return Err("scale factors missing".to_owned());
        }
        inst.what = Collective::Mma(Box::new(MmaInst { op: op.clone(), accumulators, selector }));
        Ok(inst)
    }
}

/// Returns the sparsity selector of a product: which of a quad's threads have the metadata.
fn selector_of(unit: usize, row: usize, selector: i128) -> Lowered<u8> {
    let most = match (unit, row) {
        (1, ROW) => 0,
        (1, _) | (_, ROW) => 1,
        _ => 3,
    };
    match u8::try_from(selector) {
        Ok(selector) if selector <= most => Ok(selector),
        _ => Err("a sparsity selector that PTX does not define".to_owned()),
    }
}
