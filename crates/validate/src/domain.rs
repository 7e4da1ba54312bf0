//! Abstract values: intervals with a stride, and addresses as a root and an interval.

use ptx::flat::{RegId, VarId};
use ptx::sreg::SpecialReg;

/// The origin of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root<'a> {
    /// A register of the program, with an address of 64 bits; `Narrow` is one of 32 bits.
    Register(RegId),
    Narrow(RegId),
    Variable(VarId),
    Symbol(&'a str),
    /// The address that the launch parameter passes.
    Launch,
    /// The address of the caller's buffer.
    Caller,
}

/// A bound on a register that holds if a predicate has some value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    AtMost(u64),
    NonZero,
}

/// Bounds by the value of a predicate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) yes: Vec<(RegId, Bound)>,
    pub(crate) no: Vec<(RegId, Bound)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// An unsigned number between two numbers, which differs from the first by a multiple of 2^n.
    Number(u64, u64, u32),
    /// A root plus such a number of bytes, which may be negative.
    Address(Root<'a>, i64, i64, u32),
    Special(SpecialReg),
    /// A number below `%nctaid.x`.
    BelowGrid,
    /// The value of a register of the program, divided by 2^`shift`. `some`: it is not 0.
    Pieces {
        size: RegId,
        shift: u64,
        some: bool,
    },
    /// A number below such a quotient.
    Piece {
        size: RegId,
        shift: u64,
    },
    /// A multiple of 2^`shift`, with room for as many bytes below the register's value.
    Within {
        size: RegId,
        shift: u64,
    },
    /// A root plus a constant plus such a multiple.
    Element {
        root: Root<'a>,
        at: i64,
        size: RegId,
        shift: u64,
    },
    /// The lanes that execute the `activemask` at an index.
    Lanes(usize),
    /// A predicate with one value for all these lanes.
    Agreed,
    Predicate(Facts),
}

/// The stride of a constant.
pub(crate) const CONSTANT: u32 = 64;

pub(crate) const ANY: Value<'static> = Value::Number(0, u64::MAX, 0);

/// Returns the largest value of so many bits.
pub(crate) fn most(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// Returns any value of so many bits.
pub(crate) fn any(bits: u32) -> Value<'static> {
    Value::Number(0, most(bits), 0)
}

pub(crate) fn constant(value: u64) -> Value<'static> {
    Value::Number(value, value, CONSTANT)
}

/// Returns a number without a known stride.
pub(crate) fn between(least: u64, most: u64) -> Value<'static> {
    Value::Number(least, most, if least == most { CONSTANT } else { 0 })
}

impl<'a> Value<'a> {
    /// Returns the interval of a number.
    pub(crate) fn interval(&self) -> (u64, u64) {
        let (least, most, _) = self.spaced();
        (least, most)
    }

    /// Returns the interval of a number, and its stride.
    fn spaced(&self) -> (u64, u64, u32) {
        match self {
            Value::Number(least, most, stride) => (*least, *most, *stride),
            Value::Special(SpecialReg::Gridid) => (0, u64::MAX, 0),
            Value::Special(_) | Value::BelowGrid | Value::Lanes(_) => (0, u64::from(u32::MAX), 0),
            _ => (0, u64::MAX, 0),
        }
    }

    pub(crate) fn constant(&self) -> Option<u64> {
        match self {
            Value::Number(a, b, _) if a == b => Some(*a),
            _ => None,
        }
    }

    /// Returns a value that contains both.
    pub(crate) fn join(self, other: Value<'a>) -> Value<'a> {
        match (self, other) {
            (a, b) if a == b => a,
            (Value::Address(root, a, b, m), Value::Address(other, c, d, n)) if root == other => {
                let between = a.wrapping_sub(c).trailing_zeros();
                Value::Address(root, a.min(c), b.max(d), m.min(n).min(between))
            }
            (Value::Pieces { size, shift, some }, Value::Pieces { size: other, shift: by, some: also })
                if size == other && shift == by =>
            {
                Value::Pieces { size, shift, some: some && also }
            }
            (a, b) => {
                let ((a, b, m), (c, d, n)) = (a.spaced(), b.spaced());
                let between = a.wrapping_sub(c).trailing_zeros();
                Value::Number(a.min(c), b.max(d), m.min(n).min(between))
            }
        }
    }

    /// Returns the value under a bound.
    pub(crate) fn bounded(self, bound: Bound) -> Value<'a> {
        match (self, bound) {
            (Value::Number(a, b, n), Bound::AtMost(most)) if a <= most => Value::Number(a, b.min(most), n),
            (Value::Number(0, b, _), Bound::NonZero) if b > 0 => between(1, b),
            (Value::Pieces { size, shift, .. }, Bound::NonZero) => Value::Pieces { size, shift, some: true },
            (value, _) => value,
        }
    }

    pub(crate) fn plus(self, other: Value<'a>, bits: u32) -> Value<'a> {
        match (self, other) {
            (Value::Address(root, a, b, n), number @ Value::Number(..))
            | (number @ Value::Number(..), Value::Address(root, a, b, n)) => offset(root, (a, b, n), &number),
            (Value::Address(root, a, b, _), Value::Within { size, shift })
            | (Value::Within { size, shift }, Value::Address(root, a, b, _))
                if a == b =>
            {
                Value::Element { root, at: a, size, shift }
            }
            (a, b) => {
                let ((a, b, m), (c, d, n)) = (a.spaced(), b.spaced());
                match b.checked_add(d).filter(|sum| *sum <= most(bits)) {
                    Some(sum) => Value::Number(a + c, sum, m.min(n)),
                    None => any(bits),
                }
            }
        }
    }

    pub(crate) fn minus(self, other: Value<'a>, bits: u32) -> Value<'a> {
        let ((a, b), (c, d)) = (self.interval(), other.interval());
        match a >= d {
            true => between(a - d, b - c),
            false => any(bits),
        }
    }

    /// Returns the whole product of numbers of `bits` bits, or its lower half if it is not `wide`.
    pub(crate) fn times(self, other: Value<'a>, bits: u32, wide: bool) -> Value<'a> {
        if let (Value::Piece { size, shift }, true) = (&self, wide)
            && other.constant() == Some(1 << shift)
        {
            return Value::Within { size: *size, shift: *shift };
        }
        let ((a, b, m), (c, d, n)) = (self.spaced(), other.spaced());
        let bits = if wide { 2 * bits } else { bits };
        match b.checked_mul(d).filter(|product| *product <= most(bits)) {
            Some(product) => {
                let stride = (a.trailing_zeros() + n).min(c.trailing_zeros() + m).min(m + n);
                Value::Number(a * c, product, stride.min(CONSTANT))
            }
            None => any(bits),
        }
    }

    /// Returns the upper half of a product of numbers of 32 bits.
    pub(crate) fn upper(self, other: Value<'a>) -> Value<'a> {
        if let Value::Pieces { size, shift, some: true } = other {
            return Value::Piece { size, shift };
        }
        let (b, d) = (self.interval().1.min(most(32)), other.interval().1.min(most(32)));
        between(0, (b * d) >> 32)
    }

    pub(crate) fn shifted_right(self, by: &Value<'a>, bits: u32) -> Value<'a> {
        let (a, b) = self.interval();
        let b = b.min(most(bits));
        match (&self, by.constant()) {
            (Value::Address(Root::Register(size), 0, 0, _), Some(shift)) if bits == 32 && shift < 32 => {
                Value::Pieces { size: *size, shift, some: false }
            }
            (_, Some(shift)) if shift < 64 => between(a.min(b) >> shift, b >> shift),
            _ => between(0, b),
        }
    }

    pub(crate) fn shifted_left(self, by: &Value<'a>, bits: u32) -> Value<'a> {
        let (a, b, stride) = self.spaced();
        match by.constant() {
            Some(shift) if shift < 64 && b <= most(bits) >> shift => {
                Value::Number(a << shift, b << shift, (stride + shift as u32).min(CONSTANT))
            }
            _ => any(bits),
        }
    }

    pub(crate) fn and(self, other: Value<'a>) -> Value<'a> {
        // A narrow address has no upper half.
        if let Value::Address(Root::Narrow(_), ..) = self
            && other.constant() == Some(most(32))
        {
            return self;
        }
        let stride = self.constant().or(other.constant()).map_or(0, u64::trailing_zeros);
        Value::Number(0, self.interval().1.min(other.interval().1), stride)
    }

    /// Returns a bound on the bits of either number.
    pub(crate) fn or(self, other: Value<'a>) -> Value<'a> {
        let largest = self.interval().1.max(other.interval().1);
        between(0, most(64 - largest.leading_zeros()))
    }
}

/// Returns an address plus a number, which may be negative.
fn offset<'a>(root: Root<'a>, (a, b, n): (i64, i64, u32), number: &Value<'a>) -> Value<'a> {
    let (c, d, m) = number.spaced();
    let signed = match number.constant() {
        Some(constant) => Some((constant as i64, constant as i64)),
        None => i64::try_from(d).ok().map(|d| (c as i64, d)),
    };
    let sum = signed.and_then(|(c, d)| Some((a.checked_add(c)?, b.checked_add(d)?)));
    sum.map_or(ANY, |(a, b)| Value::Address(root, a, b, n.min(m)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_contain_all_results() {
        let number = between;
        assert_eq!(number(0, 3).minus(number(0, 3), 32), any(32));
        assert_eq!(number(4, 4).minus(number(0, 3), 32), number(1, 4));
        assert_eq!(number(1, 5).times(number(2, 3), 32, false), number(2, 15));
        assert_eq!(any(32).times(any(32), 32, true), number(0, u64::from(u32::MAX).pow(2)));
        assert_eq!(any(32).upper(number(0, 4)), number(0, 3));
        assert_eq!(any(32).plus(number(1, 1), 32), any(32));
        assert_eq!(number(0, 5).or(number(0, 8)), number(0, 15));
        assert_eq!(number(0, 9).bounded(Bound::AtMost(7)), number(0, 7));
        assert_eq!(any(32).shifted_right(&constant(28), 32), number(0, 15));
    }

    #[test]
    fn strides_are_those_of_all_results() {
        let index = between(0, 4095);
        assert_eq!(index.clone().times(constant(24), 32, true), Value::Number(0, 4095 * 24, 3));
        assert_eq!(index.clone().shifted_left(&constant(4), 32), Value::Number(0, 4095 << 4, 4));
        assert_eq!(any(64).and(constant(12)), Value::Number(0, 12, 2));
        assert_eq!(constant(8).join(constant(24)), Value::Number(8, 24, 4));
        let both = Value::Number(8, 24, 4).plus(Value::Number(0, 8, 3), 64);
        assert_eq!(both, Value::Number(8, 32, 3));
        let product = Value::Number(2, 10, 3).times(Value::Number(4, 6, 1), 32, false);
        // 2, 10 times 4, 6: all are 8 plus a multiple of 4.
        assert_eq!(product, Value::Number(8, 60, 2));
    }

    #[test]
    fn addresses_keep_their_root() {
        let at = Value::Address(Root::Launch, 0, 0, CONSTANT);
        let minus_8 = constant(-8i64 as u64);
        assert_eq!(at.clone().plus(Value::Number(8, 24, 3), 64), Value::Address(Root::Launch, 8, 24, 3));
        assert_eq!(at.clone().plus(minus_8, 64), Value::Address(Root::Launch, -8, -8, CONSTANT));
        assert_eq!(at.clone().plus(ANY, 64), ANY);
        assert_eq!(at.join(Value::Address(Root::Caller, 0, 0, CONSTANT)), ANY);
    }
}
