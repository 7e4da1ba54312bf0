//! Branch-free rounding into narrower formats, for the row functions of conversions.
//!
//! [`Format::round`] is the specification; these functions return the same bits (`lower/select/tests.rs`)
//! without branches, so that the compiler vectorises loops over lanes.

use super::fp::{Format, Mode, Round};

/// The modifiers of a conversion that apply after rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// Whether infinities and numbers beyond the range become the largest number.
    pub satfinite: bool,
    pub relu: bool,
}

/// Defines a rounding, with the parameters that do not differ between lanes. Flags are all ones or zero.
macro_rules! narrow {
    ($(#[$doc:meta])* $name:ident, $u:ty, $i:ty, man: $man:expr, exp: $exp:expr, flushes: $flushes:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            /// The shift of the significand for normal results.
            shift: $u,
            man_bits: $u,
            /// The target's least normal exponent, in the source's bias.
            least: $u,
            max: $u,
            infinity: $u,
            sign_shift: $u,
            nearest: $u,
            away: $u,
            /// Whether positive numbers round away from zero; `down` is the flag for negative ones.
            up: $u,
            down: $u,
            ftz: $u,
            /// The bits of +1.
            one: $u,
            sat: $u,
            relu: $u,
            nan: $u,
            quiet: $u,
        }

        impl $name {
            const MAN: u32 = $man;
            const EXP: u32 = $exp;
            const SIGN: $u = 1 << (Self::MAN + Self::EXP);
            const INF: $u = ((1 << Self::EXP) - 1) << Self::MAN;

            /// Creates a rounding into `to`, which has fewer fraction bits and no larger exponents than the
            /// source.
            #[inline(always)]
            pub fn new(to: Format, mode: Mode, finish: Finish) -> $name {
                let flag = |on: bool| (0 as $u).wrapping_sub(on as $u);
                let bias = (1u32 << (Self::EXP - 1)) - (1 << (to.exp_bits - 1));
                $name {
                    shift: (Self::MAN - to.man_bits) as $u,
                    man_bits: to.man_bits as $u,
                    least: bias as $u + 1,
                    max: to.max as $u,
                    infinity: (to.max + u64::from(to.has_inf && !finish.satfinite)) as $u,
                    sign_shift: (Self::MAN + Self::EXP - to.exp_bits - to.man_bits) as $u,
                    nearest: flag(matches!(mode.rnd, Round::Nearest | Round::NearestAway)),
                    away: (mode.rnd == Round::NearestAway) as $u,
                    up: flag(mode.rnd == Round::Up),
                    down: flag(mode.rnd == Round::Down),
                    ftz: flag(mode.ftz),
                    one: to.one() as $u,
                    sat: flag(mode.sat),
                    relu: flag(finish.relu),
                    nan: to.nan as $u,
                    quiet: (to.max + 1) as $u | 1 << (to.man_bits - 1),
                }
            }

            /// Returns 1 if a number of that sign, truncated to `kept`, rounds up; `rest` are the truncated
            /// bits, of which `half` is half a unit.
            #[inline(always)]
            fn carry(&self, neg: $u, kept: $u, rest: $u, half: $u) -> $u {
                let nearest = (rest > half) as $u | (rest == half) as $u & (kept | self.away);
                let away = self.up & !neg | self.down & neg;
                (nearest & self.nearest | (rest != 0) as $u & away) & 1
            }

            /// Rounds the number with these bits. NaN becomes the format's pattern.
            #[inline(always)]
            pub fn round(&self, bits: $u) -> $u {
                let (rounded, _) = self.rounded(bits);
                let nan = bits & !Self::SIGN > Self::INF;
                self.finish(if nan { self.nan } else { rounded }, nan)
            }

            /// Rounds like `round`, except that a NaN retains its sign and the upper bits of its payload, and
            /// becomes quiet.
            #[inline(always)]
            pub fn round_keeping_nan(&self, bits: $u) -> $u {
                let (rounded, sign) = self.rounded(bits);
                let nan = bits & !Self::SIGN > Self::INF;
                let payload = (bits & ((1 << Self::MAN) - 1)) >> self.shift;
                self.finish(if nan { sign | self.quiet | payload } else { rounded }, nan)
            }

            /// Returns the rounded number, and its sign bit.
            #[inline(always)]
            fn rounded(&self, bits: $u) -> ($u, $u) {
                let neg = ((bits as $i) >> (Self::MAN + Self::EXP)) as $u;
                let magnitude = bits & !Self::SIGN;
                let field = magnitude >> Self::MAN;
                let normal = (field != 0) as $u;
                let significand = magnitude & ((1 << Self::MAN) - 1) | normal << Self::MAN;
                let exponent = field + 1 - normal;
                // Below the normal range the shift grows.
                let base = if exponent > self.least { exponent } else { self.least };
                let deep = self.shift + (base - exponent);
                let shift = if deep < Self::MAN as $u + 2 { deep } else { Self::MAN as $u + 2 };
                let half = ((1 as $u) << shift) >> 1;
                let kept = significand >> shift;
                let rest = significand & (((1 as $u) << shift) - 1);
                // The leading bit of a normal number adds the missing one to the exponent.
                let rounded = ((base - self.least) << self.man_bits) + kept + self.carry(neg, kept, rest, half);
                // `.ftz` depends on the number rounded with an unbounded exponent.
                let rounded = if $flushes {
                    let unbounded = significand >> self.shift;
                    let cut = significand & (((1 as $u) << self.shift) - 1);
                    let full = unbounded + self.carry(neg, unbounded, cut, ((1 as $u) << self.shift) >> 1);
                    let reaches = exponent + 1 == self.least && full >> self.man_bits >= 2;
                    let tiny = exponent < self.least && !reaches;
                    if tiny { rounded & !self.ftz } else { rounded }
                } else {
                    rounded
                };
                let away = self.nearest | self.up & !neg | self.down & neg;
                let infinite = self.infinity & away | self.max & !away;
                let rounded = if rounded > self.max { infinite } else { rounded };
                let rounded = if magnitude == Self::INF { self.infinity } else { rounded };
                let sign = (bits & Self::SIGN) >> self.sign_shift;
                (rounded | sign, sign)
            }

            /// Applies `.sat` and `.relu`.
            #[inline(always)]
            fn finish(&self, r: $u, nan: bool) -> $u {
                let sign = Self::SIGN >> self.sign_shift;
                let negative = r & sign != 0;
                let limited = if negative || nan { 0 } else if r > self.one { self.one } else { r };
                let r = limited & self.sat | r & !self.sat;
                // `.sat` has already replaced a NaN.
                let nan = nan && self.sat == 0;
                let positive = if nan { self.nan } else if r & sign != 0 { 0 } else { r };
                positive & self.relu | r & !self.relu
            }
        }
    };
}

narrow!(
    /// Rounding from `f32`. It has no `.ftz`, which concerns results of that format.
    FromSingle, u32, i32, man: 23, exp: 8, flushes: false
);
narrow!(
    /// Rounding from `f64`.
    FromDouble, u64, i64, man: 52, exp: 11, flushes: true
);

/// Returns an integer's magnitude as an `f64` rounded to odd: any narrower format rounds it as it would the
/// integer.
#[inline(always)]
pub fn odd_double(neg: bool, magnitude: u64) -> u64 {
    // Two exact halves, whose sum is rounded once.
    let (high, low) = ((magnitude >> 32) as f64 * 4_294_967_296.0, (magnitude as u32) as f64);
    let sum = high + low;
    // `high` is zero or not smaller than `low`.
    let error = low - (sum - high);
    u64::from(neg) << 63 | odd_f64(sum, error).to_bits()
}

/// Converts a sum rounded to nearest into the sum rounded to odd, given its `error` (exact sum minus rounded
/// one): truncated, with the last bit set if it is inexact. A second rounding, to at least two bits less,
/// then gives the correctly rounded exact sum. NaN and infinities are unchanged.
#[inline(always)]
pub fn odd_f64(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    let inexact = error.abs() > 0.0;
    // The sum is too large in magnitude if the error points towards zero.
    let back = (error.to_bits() ^ bits) >> 63 & !bits & 1;
    let odd = (bits - back) | 1;
    f64::from_bits(if inexact { odd } else { bits })
}

/// Rounds an `f32` sum to odd; otherwise like [`odd_f64`].
#[inline(always)]
pub fn odd_f32(sum: f32, error: f32) -> f32 {
    let bits = sum.to_bits();
    let inexact = error.abs() > 0.0;
    let back = (error.to_bits() ^ bits) >> 31 & !bits & 1;
    let odd = bits.wrapping_sub(back) | 1;
    f32::from_bits(if inexact { odd } else { bits })
}

/// Rounds an `f64` to odd in `f32`, whose least numbers are coarser. Infinities and NaN are unchanged; a
/// number beyond the range becomes the largest one, which is odd.
#[inline(always)]
pub fn odd_single(x: f64) -> f32 {
    let near = x as f32;
    let bits = near.to_bits();
    let back = f64::from(near);
    let inexact = back != x && !x.is_nan();
    let further = (back.abs() > x.abs()) as u32;
    let odd = bits.wrapping_sub(further & !bits & 1) | 1;
    f32::from_bits(if inexact { odd } else { bits })
}
