//! `mma` of floats of at most eight bits, `.kind::…`, with or without scale factors (PTX §9.7.15.3).
//!
//! The values of factors, scales and sums are those of `tcgen05.mma` ([`super::tensor_core`]).

use super::matrix::Words;
use super::sparse::{ROW, column, compressed, indices};
use super::tensor_core::{Accumulator, Element, Factor, multiply};
use ptx::ast::ScalarType;
use ptx::op::{MmaKind, Op};

/// A product of narrow floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Narrow {
    kind: MmaKind,
    a: Element,
    b: Element,
    /// Whether C and D have the type `.f16`.
    half: bool,
}

/// The words that have the scale factors of one matrix, and the selectors of a byte and of threads.
#[derive(Clone, Copy, Debug)]
pub struct Scales<'a> {
    pub data: &'a Words,
    pub byte: u32,
    pub thread: u32,
}

impl Narrow {
    /// Returns the product of an instruction; `None` for other instructions.
    pub fn of(op: &Op) -> Option<Narrow> {
        let Op::Mma { a, b, d, kind: Some(kind), .. } = *op else { return None };
        Some(Narrow { kind, a: element(a)?, b: element(b)?, half: d == ScalarType::F16 })
    }

    /// Returns the reason why selectors of scale factors are undefined (PTX table 40).
    pub fn fault(&self, [a, b]: &[Scales<'_>; 2]) -> Option<&'static str> {
        let scale = self.kind.scale?;
        let bytes = |byte: u32| byte < 4 && byte.is_multiple_of(scale.blocks.into());
        match (bytes(a.byte) && bytes(b.byte), a.thread < 2 && b.thread < 4) {
            (false, _) => Some("a byte of scale factors that PTX does not define"),
            (_, false) => Some("a thread of scale factors that PTX does not define"),
            _ => None,
        }
    }

    /// Adds the products to D, in the registers of a warp. `scales` are those of A and of B.
    pub fn multiply(
        &self,
        (a, b): (&[&Words], &[&Words]),
        metadata: Option<&Words>,
        scales: Option<[Scales<'_>; 2]>,
        d: &mut [Words],
    ) {
        let rows: Vec<[u8; ROW]> = (0..16).map(|row| compressed(a, row)).collect();
        let mut of_a = self.factor(&rows, self.a);
        if let Some(metadata) = metadata {
            let count = if self.kind.packed { 2 } else { 1 };
            of_a.expand(count, indices(metadata, (1, ROW), 0).into_iter());
        }
        let columns: Vec<[u8; 2 * ROW]> = (0..8).map(|n| column(b, n)).collect();
        let half = |second: usize| -> Vec<[u8; ROW]> {
            columns.iter().map(|column| std::array::from_fn(|i| column[second * ROW + i])).collect()
        };
        let mut of_b = self.factor(&half(0), self.b);
        if metadata.is_some() {
            of_b = of_b.beside(&self.factor(&half(1), self.b));
        }
        if let (Some(scale), Some([sa, sb])) = (self.kind.scale, scales) {
            let value = |scales: &Scales<'_>, lane: usize, block: usize| {
                let byte = scales.data[lane] >> (8 * (scales.byte as usize + block)) & 0xff;
                element(scale.ty).map_or(f64::NAN, |element| element.value(byte))
            };
            let blocks = usize::from(scale.blocks);
            let thread = |scales: &Scales<'_>| scales.thread as usize;
            of_a.scale(blocks, |row, block| value(&sa, row % 8 * 4 + 2 * thread(&sa) + row / 8, block));
            of_b.scale(blocks, |column, block| value(&sb, column * 4 + thread(&sb), block));
        }
        self.add(&of_a, &of_b, d);
    }

    fn factor(&self, rows: &[[u8; ROW]], element: Element) -> Factor {
        let word = |row: &[u8; ROW], i: usize| u32::from_le_bytes(std::array::from_fn(|j| row[4 * i + j]));
        let rows: Vec<[u32; 8]> = rows.iter().map(|row| std::array::from_fn(|i| word(row, i))).collect();
        match self.kind.packed {
            true => Factor::of(&rows, element, false, false),
            false => Factor::in_bytes(&rows, element),
        }
    }

    fn add(&self, a: &Factor, b: &Factor, d: &mut [Words]) {
        let to = if self.half { Accumulator::F16 } else { Accumulator::F32 };
        // The register, the lane and the first bit of an element of D.
        let place = |i: usize| {
            let (row, column) = (i / 8, i % 8);
            let lane = row % 8 * 4 + column / 2;
            match self.half {
                true => (row / 8, lane, 16 * (column % 2)),
                false => (row / 8 * 2 + column % 2, lane, 0),
            }
        };
        let mask = if self.half { 0xffff } else { u32::MAX };
        let before: Vec<u32> = (0..16 * 8)
            .map(|i| {
                let (register, lane, bit) = place(i);
                d[register][lane] >> bit & mask
            })
            .collect();
        for (i, sum) in multiply(to, a, b, Some(&before), 0).into_iter().enumerate() {
            let (register, lane, bit) = place(i);
            let word = &mut d[register][lane];
            *word = *word & !(mask << bit) | sum << bit;
        }
    }
}

fn element(ty: ScalarType) -> Option<Element> {
    Some(match ty {
        ScalarType::E4m3 => Element::E4m3,
        ScalarType::E5m2 => Element::E5m2,
        ScalarType::E2m3 => Element::E2m3,
        ScalarType::E3m2 => Element::E3m2,
        ScalarType::E2m1 => Element::E2m1,
        ScalarType::Ue8m0 => Element::Ue8m0,
        ScalarType::Ue4m3 => Element::Ue4m3,
        _ => return None,
    })
}
