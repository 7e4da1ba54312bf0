//! The instruction descriptor of a product (PTX tables 45 to 47) and the shapes that each kind allows (table 42).

use super::{Accumulator, Element};
use ptx::op::{TensorKind, TensorProduct, TensorScaling};

/// The shape and the types of a product, as its descriptor says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub kind: TensorKind,
    pub m: usize,
    pub n: usize,
    pub a: Element,
    pub b: Element,
    /// Whether D has the type `.f16`, in the lower half of each word.
    pub half: bool,
    pub saturates: bool,
    pub negate_a: bool,
    pub negate_b: bool,
    pub trans_a: bool,
    pub trans_b: bool,
    /// The type of the scale factors, and the byte of each word at which those of A and of B begin.
    pub scale: Element,
    pub scale_a: usize,
    pub scale_b: usize,
    /// Whether A is sparse, and its sparsity selector.
    pub sparse: bool,
    pub selector: u8,
}

/// The reason why a product cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No hardware can.
    Illegal(String),
    /// It is not implemented.
    Unsupported(String),
}

fn illegal<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Illegal(format!("tcgen05.mma with {}", why.into())))
}

impl Shape {
    /// Returns the shape and the types that an instruction descriptor says.
    pub fn of(bits: u32, product: &TensorProduct) -> Result<Shape, Fault> {
        let field = |at: u32, size: u32| bits >> at & ((1 << size) - 1);
        let flag = |at: u32| field(at, 1) != 0;
        if flag(2) != product.sparse {
            return illegal("an instruction descriptor that contradicts `.sp`");
        }
        let (mut a, mut b) = (field(7, 3), field(10, 3));
        let kind = product.kind;
        let scaled = kind.scales();
        let m = if scaled { field(27, 2) << 7 } else { field(24, 5) << 4 } as usize;
        if matches!(kind, TensorKind::Mxf4 | TensorKind::Mxf4nvf4) {
            b = field(10, 2);
            if flag(31) {
                return Err(Fault::Unsupported("tcgen05.mma with 96 columns of A".to_owned()));
            }
            if (a, b) != (1, 1) {
                return illegal("unknown types in its instruction descriptor");
            }
            // The number that the other kinds have for it.
            (a, b) = (5, 5);
        }
        let half = !scaled && kind != TensorKind::I8 && field(4, 2) == 0;
        let types = (element(kind, a), element(kind, b));
        let (Some(a), Some(b)) = types else { return illegal("unknown types in its instruction descriptor") };
        let of_d = match kind {
            TensorKind::F16 if a != b => false,
            TensorKind::F16 => field(4, 2) == 1 || half && a == Element::F16,
            TensorKind::F8f6f4 => field(4, 2) < 2,
            TensorKind::Tf32 => field(4, 2) == 1,
            TensorKind::I8 => field(4, 2) == 2,
            _ => true,
        };
        if !of_d {
            return illegal("types that its kind does not multiply");
        }
        let shape = Shape {
            kind,
            m,
            n: (field(17, 6) << 3) as usize,
            a,
            b,
            half,
            saturates: flag(3),
            negate_a: flag(13),
            negate_b: flag(14),
            trans_a: flag(15),
            trans_b: flag(16),
            scale: if flag(23) { Element::Ue8m0 } else { Element::Ue4m3 },
            scale_a: if scaled { field(29, 2) as usize } else { 0 },
            scale_b: if scaled { field(4, 2) as usize } else { 0 },
            sparse: product.sparse,
            selector: if scaled || !product.sparse { 0 } else { field(0, 2) as u8 },
        };
        shape.check(product)?;
        Ok(shape)
    }

    fn check(&self, product: &TensorProduct) -> Result<(), Fault> {
        let (m, n) = (self.m, self.n);
        let rows = match (product.pair, product.stationary, self.kind.scales()) {
            (true, _, true) if self.sparse => m == 256,
            (true, ..) => matches!(m, 128 | 256),
            (_, true, _) => matches!(m, 32 | 64 | 128),
            (.., true) => m == 128,
            _ => matches!(m, 64 | 128),
        };
        let step = match (product.pair, self.kind) {
            (true, TensorKind::I8) => 32,
            (true, _) => 16,
            (_, TensorKind::I8) if n > 32 => 16,
            _ => 8,
        };
        let columns = match product.stationary {
            true => matches!(n, 64 | 128) || n == 256 && !self.sparse,
            false => n.is_multiple_of(step) && (step..=256).contains(&n),
        };
        if !rows || !columns {
            return illegal(format!("the impossible shape {m}x{n}"));
        }
        if (self.trans_a || self.trans_b) && matches!(self.kind, TensorKind::Mxf4 | TensorKind::Mxf4nvf4) {
            return illegal("a transposed factor of four-bit elements");
        }
        if self.kind == TensorKind::I8 && (self.negate_a || self.negate_b) {
            return illegal("a negated factor of integers");
        }
        let eight = self.b.bits() == 8 || self.kind == TensorKind::F8f6f4;
        if self.trans_b && eight && !n.is_multiple_of(if product.pair { 32 } else { 16 }) {
            return illegal(format!("a transposed B of {n} columns"));
        }
        if product.shifts && m < 128 {
            return illegal(format!("`.ashift` of {m} rows"));
        }
        let selectors = if matches!(self.kind, TensorKind::F16 | TensorKind::Tf32) { 2 } else { 1 };
        if self.selector >= selectors {
            return illegal(format!("the sparsity selector {}", self.selector));
        }
        self.check_scales(product)
    }

    fn check_scales(&self, product: &TensorProduct) -> Result<(), Fault> {
        if !self.kind.scales() {
            return Ok(());
        }
        let exponents = self.scale == Element::Ue8m0;
        let allowed = match (self.kind, product.scaling) {
            (TensorKind::Mxf4nvf4, Some(TensorScaling::Block16)) => true,
            _ => exponents,
        };
        let blocks = self.blocks(product.scaling);
        if !allowed || !self.scale_a.is_multiple_of(blocks) || !self.scale_b.is_multiple_of(blocks) {
            return illegal("scale factors that its kind does not have");
        }
        Ok(())
    }

    /// Returns the type of D.
    pub fn accumulator(&self) -> Accumulator {
        match (self.kind, self.half) {
            (TensorKind::I8, _) => Accumulator::S32 { saturates: self.saturates },
            (_, true) => Accumulator::F16,
            _ => Accumulator::F32,
        }
    }

    /// Returns the number of scale factors of a row.
    pub fn blocks(&self, scaling: Option<TensorScaling>) -> usize {
        match (self.kind, scaling) {
            (TensorKind::Mxf8f6f4, _) => 1,
            (_, Some(TensorScaling::Block16)) => 4,
            _ => 2,
        }
    }
}

fn element(kind: TensorKind, number: u32) -> Option<Element> {
    Some(match (kind, number) {
        (TensorKind::F16, 0) => Element::F16,
        (TensorKind::F16, 1) => Element::Bf16,
        (TensorKind::Tf32, 2) => Element::Tf32,
        (TensorKind::I8, 0) => Element::U8,
        (TensorKind::I8, 1) => Element::S8,
        (TensorKind::F16 | TensorKind::Tf32 | TensorKind::I8, _) => return None,
        (_, 0) => Element::E4m3,
        (_, 1) => Element::E5m2,
        (_, 3) => Element::E2m3,
        (_, 4) => Element::E3m2,
        (_, 5) => Element::E2m1,
        _ => return None,
    })
}
