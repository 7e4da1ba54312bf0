//! Binary floating point in integers: exact operations and one correct rounding, for every format and
//! rounding mode of PTX.
//!
//! A finite number is `sig * 2^exp`. Operations return the exact result, or its leading bits and a sticky
//! flag for nonzero bits below the last one; [`Format::pack`] then rounds once. The typed modules use the
//! host's arithmetic for round-to-nearest if the host has the format, and this module for the rest.

mod random;

use ptx::op::Rounding;

/// A rounding direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    Zero,
    Down,
    Up,
    /// To nearest, ties away from zero.
    NearestAway,
}

impl Round {
    /// Returns the direction of a modifier; `None` for the stochastic one, which needs random bits.
    pub fn of(rnd: Rounding) -> Option<Round> {
        Some(match rnd {
            Rounding::Nearest | Rounding::NearestInt => Round::Nearest,
            Rounding::Zero | Rounding::ZeroInt => Round::Zero,
            Rounding::Down | Rounding::DownInt => Round::Down,
            Rounding::Up | Rounding::UpInt => Round::Up,
            Rounding::NearestAway => Round::NearestAway,
            Rounding::Stochastic => return None,
        })
    }
}

/// The modifiers of a floating-point instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    pub rnd: Round,
    /// Subnormal inputs and results become zeros of their sign.
    pub ftz: bool,
    /// Results are clamped to [0, 1], NaN to 0.
    pub sat: bool,
}

impl Mode {
    /// Round to nearest even, without flushing or clamping.
    pub const RN: Mode = Mode::round(Round::Nearest);

    /// Returns a mode with only a direction.
    pub const fn round(rnd: Round) -> Mode {
        Mode { rnd, ftz: false, sat: false }
    }

    /// Returns the mode of an instruction's modifiers. An absent rounding is nearest even (PTX §9.7.3.1).
    /// Returns `None` for stochastic rounding.
    pub fn of(rnd: Option<Rounding>, ftz: bool, sat: bool) -> Option<Mode> {
        Some(Mode { rnd: rnd.map_or(Some(Round::Nearest), Round::of)?, ftz, sat })
    }
}

/// A binary interchange format: sign, `exp_bits`, `man_bits`, biased as IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub exp_bits: u32,
    pub man_bits: u32,
    /// The bits of the largest finite magnitude; infinity, if there is one, is the next pattern.
    pub max: u64,
    pub has_inf: bool,
    /// The pattern of NaN results.
    pub nan: u64,
}

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Nan,
    Inf { neg: bool },
    Finite(Finite),
}

/// The number `(-1)^neg * sig * 2^exp`; if `sticky`, its magnitude is larger than that by less than `2^exp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finite {
    pub neg: bool,
    pub sig: u128,
    pub exp: i32,
    pub sticky: bool,
}

pub const F16: Format = Format { exp_bits: 5, man_bits: 10, max: 0x7bff, has_inf: true, nan: 0x7fff };
pub const BF16: Format = Format { exp_bits: 8, man_bits: 7, max: 0x7f7f, has_inf: true, nan: 0x7fff };
pub const F32: Format =
    Format { exp_bits: 8, man_bits: 23, max: 0x7f7f_ffff, has_inf: true, nan: 0x7fff_ffff };
pub const F64: Format = Format {
    exp_bits: 11,
    man_bits: 52,
    max: 0x7fef_ffff_ffff_ffff,
    has_inf: true,
    nan: 0xfff8_0000_0000_0000,
};
/// An `f32` with 10 fraction bits, packed into 19 bits; registers contain it in the upper bits of an `f32`.
pub const TF32: Format = Format { exp_bits: 8, man_bits: 10, max: 0x3fbff, has_inf: true, nan: 0x3ffff };
/// A format without infinities and with one NaN per sign.
pub const E4M3: Format = Format { exp_bits: 4, man_bits: 3, max: 0x7e, has_inf: false, nan: 0x7f };
pub const E5M2: Format = Format { exp_bits: 5, man_bits: 2, max: 0x7b, has_inf: true, nan: 0x7f };
/// Formats without infinities and NaN; conversions of NaN give the largest number.
pub const E2M3: Format = Format { exp_bits: 2, man_bits: 3, max: 0x1f, has_inf: false, nan: 0x1f };
pub const E3M2: Format = Format { exp_bits: 3, man_bits: 2, max: 0x1f, has_inf: false, nan: 0x1f };
pub const E2M1: Format = Format { exp_bits: 2, man_bits: 1, max: 0x7, has_inf: false, nan: 0x7 };

impl Format {
    /// Returns the sign bit.
    #[inline]
    pub const fn sign(self) -> u64 {
        1 << (self.exp_bits + self.man_bits)
    }

    /// Returns the exponent of the last bit of subnormals.
    const fn least_exp(self) -> i32 {
        2 - (1 << (self.exp_bits - 1)) - self.man_bits as i32
    }

    #[inline]
    pub fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.max + u64::from(self.has_inf)
    }

    #[inline]
    pub fn is_inf(self, bits: u64) -> bool {
        self.has_inf && bits & (self.sign() - 1) == self.max + 1
    }

    #[inline]
    pub fn is_subnormal(self, bits: u64) -> bool {
        let m = bits & (self.sign() - 1);
        m != 0 && m >> self.man_bits == 0
    }

    #[inline]
    pub fn is_zero(self, bits: u64) -> bool {
        bits & (self.sign() - 1) == 0
    }

    /// Replaces a subnormal by the zero of its sign.
    #[inline]
    pub fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    pub fn unpack(self, bits: u64) -> Number {
        let neg = bits & self.sign() != 0;
        if self.is_nan(bits) {
            return Number::Nan;
        }
        if self.is_inf(bits) {
            return Number::Inf { neg };
        }
        let man = bits & ((1 << self.man_bits) - 1);
        let field = (bits & (self.sign() - 1)) >> self.man_bits;
        let (sig, up) = if field == 0 { (man, 0) } else { (man | 1 << self.man_bits, field as i32 - 1) };
        Number::Finite(Finite { neg, sig: sig.into(), exp: self.least_exp() + up, sticky: false })
    }

    /// Rounds once into the format. Beyond the range the result is infinity or the largest number, depending
    /// on the direction; formats without infinity use the largest number.
    pub fn pack(self, x: Finite, rnd: Round) -> u64 {
        let sign = if x.neg { self.sign() } else { 0 };
        if x.sig == 0 && !x.sticky {
            return sign;
        }
        let width = (128 - x.sig.leading_zeros()) as i32;
        // The exponent of the result's last bit.
        let last = (x.exp + width - 1 - self.man_bits as i32).max(self.least_exp());
        let shift = last - x.exp;
        // The retained bits, and the comparison of the rest with half a unit.
        let (kept, rest) = if shift <= 0 {
            let rest = if x.sticky { Rest::Below } else { Rest::None };
            ((x.sig << -shift) as u64, rest)
        } else if shift > 128 {
            (0, Rest::Below)
        } else {
            let kept = if shift == 128 { 0 } else { (x.sig >> shift) as u64 };
            let low = if shift == 128 { x.sig } else { x.sig & ((1 << shift) - 1) };
            let half = 1u128 << (shift - 1);
            let rest = match (low.cmp(&half), x.sticky) {
                (std::cmp::Ordering::Less, false) if low == 0 => Rest::None,
                (std::cmp::Ordering::Less, _) => Rest::Below,
                (std::cmp::Ordering::Equal, false) => Rest::Half,
                _ => Rest::Above,
            };
            (kept, rest)
        };
        let up = match rnd {
            Round::Nearest => rest == Rest::Above || rest == Rest::Half && kept & 1 == 1,
            Round::NearestAway => rest >= Rest::Half,
            Round::Zero => false,
            Round::Down => x.neg && rest != Rest::None,
            Round::Up => !x.neg && rest != Rest::None,
        };
        let kept = kept + u64::from(up);
        // A normal number's leading bit adds the missing one to the exponent field.
        let field = (last - self.least_exp()) as u64;
        let magnitude = match field.checked_shl(self.man_bits) {
            Some(base) if field < 1 << self.exp_bits => base + kept,
            _ => u64::MAX,
        };
        if magnitude <= self.max {
            return sign | magnitude;
        }
        let to_inf = match rnd {
            Round::Nearest | Round::NearestAway => true,
            Round::Zero => false,
            Round::Down => x.neg,
            Round::Up => !x.neg,
        };
        sign | if to_inf && self.has_inf { self.max + 1 } else { self.max }
    }

    /// Returns the bits of +1.
    pub fn one(self) -> u64 {
        ((1 << (self.exp_bits - 1)) - 1) << self.man_bits
    }

    /// `.sat`: clamps to [+0, 1]; NaN becomes +0.
    #[inline]
    pub fn saturate(self, bits: u64) -> u64 {
        if bits & self.sign() != 0 || self.is_nan(bits) { 0 } else { bits.min(self.one()) }
    }

    /// `.relu`: negative numbers become +0, NaN the canonical NaN.
    #[inline]
    pub fn relu(self, bits: u64) -> u64 {
        if self.is_nan(bits) {
            self.nan
        } else if bits & self.sign() != 0 {
            0
        } else {
            bits
        }
    }

    pub fn add(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.round(add(self.unpack(a), self.unpack(b), mode.rnd), mode)
    }

    pub fn mul(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.round(mul(self.unpack(a), self.unpack(b)), mode)
    }

    pub fn fma(self, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
        self.round(add(mul(self.unpack(a), self.unpack(b)), self.unpack(c), mode.rnd), mode)
    }

    pub fn div(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.round(div(self.unpack(a), self.unpack(b)), mode)
    }

    pub fn sqrt(self, a: u64, mode: Mode) -> u64 {
        self.round(sqrt(self.unpack(a)), mode)
    }

    /// Rounds any number, flushes and saturates; NaN becomes the format's pattern.
    ///
    /// `.ftz` flushes results that are below the normal range after rounding with an unbounded exponent, as
    /// the H200 does: a number that rounds up to the least normal one is not flushed.
    pub fn round(self, x: Number, mode: Mode) -> u64 {
        let bits = match x {
            Number::Nan => self.nan,
            Number::Inf { neg } => {
                let sign = if neg { self.sign() } else { 0 };
                sign | if self.has_inf { self.max + 1 } else { self.nan }
            }
            Number::Finite(x) if mode.ftz && self.is_tiny(x, mode.rnd) => {
                if x.neg {
                    self.sign()
                } else {
                    0
                }
            }
            Number::Finite(x) => self.pack(x, mode.rnd),
        };
        if mode.sat { self.saturate(bits) } else { bits }
    }

    /// Returns whether the number, rounded to the format's precision, is below its normal range.
    fn is_tiny(self, x: Finite, rnd: Round) -> bool {
        if x.sig == 0 {
            return x.sticky;
        }
        let least = self.least_exp() + self.man_bits as i32;
        match x.top() {
            top if top >= least => false,
            // Only in the binade below can rounding reach the normal range; it is rounded one binade higher,
            // where the format has its full precision.
            top if top == least - 1 => {
                self.pack(Finite { exp: x.exp + 1, ..x }, rnd) & (self.sign() - 1) < 2 << self.man_bits
            }
            _ => true,
        }
    }
}

/// The bits that rounding discards, compared with half a unit in the last place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    None,
    Below,
    Half,
    Above,
}

impl Finite {
    pub const ZERO: Finite = Finite { neg: false, sig: 0, exp: 0, sticky: false };

    fn is_zero(self) -> bool {
        self.sig == 0
    }

    /// Returns the exponent of the leading bit of a nonzero number.
    fn top(self) -> i32 {
        self.exp + 127 - self.sig.leading_zeros() as i32
    }
}

/// Returns the exact sum of two numbers of up to 106 significant bits each. `rnd` only determines the sign of
/// an exact zero (IEEE 754 §6.3).
pub fn add(a: Number, b: Number, rnd: Round) -> Number {
    let (x, y) = match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => return Number::Nan,
        (Number::Inf { neg: p }, Number::Inf { neg: q }) => {
            return if p == q { a } else { Number::Nan };
        }
        (Number::Inf { .. }, _) => return a,
        (_, Number::Inf { .. }) => return b,
        (Number::Finite(x), Number::Finite(y)) => (x, y),
    };
    let zero = Finite { neg: rnd == Round::Down, ..Finite::ZERO };
    match (x.is_zero(), y.is_zero()) {
        (true, true) if x.neg == y.neg => return a,
        (true, true) => return Number::Finite(zero),
        (true, false) => return b,
        (false, true) => return a,
        _ => {}
    }
    let (hi, lo) = if x.top() >= y.top() { (x, y) } else { (y, x) };
    // The larger number's leading bit moves to bit 126; bits of the smaller below bit 0 become sticky.
    let up = hi.sig.leading_zeros() as i32 - 1;
    let exp = hi.exp - up;
    let big = if up >= 0 { hi.sig << up } else { hi.sig >> 1 };
    let move_ = lo.exp - exp;
    let (small, sticky) = if move_ >= 0 {
        (lo.sig << move_, false)
    } else if move_ <= -128 {
        (0, true)
    } else {
        (lo.sig >> -move_, lo.sig & ((1 << -move_) - 1) != 0)
    };
    if hi.neg == lo.neg {
        return Number::Finite(Finite { neg: hi.neg, sig: big + small, exp, sticky });
    }
    // With sticky bits the subtrahend is larger than its retained bits: subtract one more; the remainder is
    // sticky.
    let (neg, sig) =
        if big >= small { (hi.neg, big - small - u128::from(sticky)) } else { (lo.neg, small - big) };
    if sig == 0 && !sticky {
        return Number::Finite(zero);
    }
    Number::Finite(Finite { neg, sig, exp, sticky })
}

/// Returns the exact product of two numbers of up to 64 significant bits.
pub fn mul(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Inf { neg: p }, Number::Inf { neg: q }) => Number::Inf { neg: p != q },
        (Number::Inf { neg: p }, Number::Finite(x)) | (Number::Finite(x), Number::Inf { neg: p }) => {
            if x.is_zero() { Number::Nan } else { Number::Inf { neg: p != x.neg } }
        }
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(Finite {
            neg: x.neg != y.neg,
            sig: x.sig * y.sig,
            exp: x.exp + y.exp,
            sticky: false,
        }),
    }
}

/// Returns the quotient of two numbers of up to 53 significant bits, to at least 74 bits.
pub fn div(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Inf { .. }, Number::Inf { .. }) => Number::Nan,
        (Number::Inf { neg }, Number::Finite(y)) => Number::Inf { neg: neg != y.neg },
        (Number::Finite(x), Number::Inf { neg }) => {
            Number::Finite(Finite { neg: x.neg != neg, ..Finite::ZERO })
        }
        (Number::Finite(x), Number::Finite(y)) => {
            let neg = x.neg != y.neg;
            match (x.is_zero(), y.is_zero()) {
                (true, true) => Number::Nan,
                (true, false) => Number::Finite(Finite { neg, ..Finite::ZERO }),
                (false, true) => Number::Inf { neg },
                (false, false) => {
                    let up = x.sig.leading_zeros();
                    let wide = x.sig << up;
                    Number::Finite(Finite {
                        neg,
                        sig: wide / y.sig,
                        exp: x.exp - up as i32 - y.exp,
                        sticky: wide % y.sig != 0,
                    })
                }
            }
        }
    }
}

/// Returns the square root, to at least 63 bits. The root of -0 is -0.
pub fn sqrt(a: Number) -> Number {
    match a {
        Number::Finite(x) if x.is_zero() => a,
        Number::Inf { neg: false } => a,
        Number::Finite(x) if !x.neg => {
            let mut up = x.sig.leading_zeros() as i32;
            if (x.exp - up) % 2 != 0 {
                up -= 1;
            }
            let wide = x.sig << up;
            let root = wide.isqrt();
            Number::Finite(Finite {
                neg: false,
                sig: root,
                exp: (x.exp - up) / 2,
                sticky: root * root != wide,
            })
        }
        _ => Number::Nan,
    }
}

/// Rounds `x` to an integer in the given direction, with its sign; `None` if it needs more than 127 bits.
pub fn to_integer(x: Finite, rnd: Round) -> Option<i128> {
    let magnitude = if x.exp >= 0 {
        if x.sig != 0 && x.top() >= 126 {
            return None;
        }
        if x.sig == 0 { 0 } else { x.sig << x.exp }
    } else {
        let shift = -x.exp;
        let (whole, rest) = if shift > 127 {
            (0, if x.sig == 0 { Rest::None } else { Rest::Below })
        } else {
            let low = x.sig & ((1 << shift) - 1);
            let half = 1u128 << (shift - 1);
            let rest = if low == 0 {
                Rest::None
            } else if low < half {
                Rest::Below
            } else if low == half {
                Rest::Half
            } else {
                Rest::Above
            };
            (x.sig >> shift, rest)
        };
        let up = match rnd {
            Round::Nearest => rest == Rest::Above || rest == Rest::Half && whole & 1 == 1,
            Round::NearestAway => rest >= Rest::Half,
            Round::Zero => false,
            Round::Down => x.neg && rest != Rest::None,
            Round::Up => !x.neg && rest != Rest::None,
        };
        whole + u128::from(up)
    };
    let value = i128::try_from(magnitude).ok()?;
    Some(if x.neg { -value } else { value })
}

/// Returns an integer as a number.
pub fn from_integer(v: i128) -> Number {
    Number::Finite(Finite { neg: v < 0, sig: v.unsigned_abs(), exp: 0, sticky: false })
}
