//! Common products, row by row of the result.
//!
//! They return the same bits as [`Product::dot`] of each element, the specification (`tests/num_matrix.rs`).
//! Factors are decoded once for each instruction, eight columns are summed at a time, and the layout is
//! computed once for each shape.

use super::super::fp::{F16, F32, Mode, Round};
use super::super::int::IntTy;
use super::super::narrow::{Finish, FromDouble};
use super::{Lanes, Map, Mma, Product};
use ptx::ast::ScalarType;
use ptx::op::Fragment;
use std::sync::{Arc, PoisonError, RwLock};

/// The number of columns that are summed together.
pub(super) const WIDTH: usize = 8;

/// The positions of one fragment's elements.
#[derive(Debug)]
struct Places {
    map: Map,
    /// The index in row-major order, for each register, lane and element in the register.
    at: Vec<u16>,
}

impl Places {
    fn new(map: Map) -> Places {
        let columns = map.size().1;
        let mut at = Vec::new();
        for register in 0..map.registers() {
            for lane in 0..32 {
                for j in 0..map.per_register() {
                    let (row, column) = map.at(lane, register, j);
                    at.push((row * columns + column) as u16);
                }
            }
        }
        Places { map, at }
    }

    fn elements(&self) -> usize {
        self.map.size().0 * self.map.size().1
    }

    /// Collects the elements in row-major order, each decoded by `decode`.
    fn gather<T: Copy + Default>(&self, registers: &[Lanes], decode: impl Fn(u32) -> T) -> Vec<T> {
        let mut elements = vec![T::default(); self.elements()];
        let (each, bits) = (self.map.per_register(), self.map.element_bits());
        let mask = u32::MAX >> (32 - bits);
        let mut at = self.at.iter();
        for &value in registers.iter().flatten() {
            for (j, &place) in at.by_ref().take(each).enumerate() {
                elements[usize::from(place)] = decode((value >> (bits * j as u32)) as u32 & mask);
            }
        }
        elements
    }

    fn scatter(&self, elements: &[u32]) -> Vec<Lanes> {
        let (each, bits) = (self.map.per_register(), self.map.element_bits());
        let mut registers = vec![[0; 32]; self.map.registers()];
        let mut at = self.at.iter();
        for value in registers.iter_mut().flatten() {
            for (j, &place) in at.by_ref().take(each).enumerate() {
                *value |= u64::from(elements[usize::from(place)]) << (bits * j as u32);
            }
        }
        registers
    }
}

/// An instruction with the positions of its elements.
#[derive(Debug)]
struct Plan {
    mma: Mma,
    product: Product,
    a: Places,
    b: Places,
    c: Places,
    d: Places,
}

/// The plans used so far: few, since they differ only in the instruction's shape and types.
static PLANS: RwLock<Vec<Arc<Plan>>> = RwLock::new(Vec::new());

fn plan(mma: &Mma) -> Option<Arc<Plan>> {
    let find = |plans: &[Arc<Plan>]| plans.iter().find(|p| p.mma == *mma).cloned();
    if let Some(plan) = find(&PLANS.read().unwrap_or_else(PoisonError::into_inner)) {
        return Some(plan);
    }
    let map = |f| mma.map(f).filter(|m| !m.quads() && m.element_bits() <= 32).map(Places::new);
    let plan = Arc::new(Plan {
        mma: *mma,
        product: Product::of(mma)?,
        a: map(Fragment::A)?,
        b: map(Fragment::B)?,
        c: map(Fragment::C)?,
        d: map(Fragment::D)?,
    });
    PLANS.write().unwrap_or_else(PoisonError::into_inner).push(plan.clone());
    Some(plan)
}

/// Computes the whole product; returns `None` for uncommon instructions and if an operand contains an
/// infinity or NaN.
pub(super) fn multiply(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Option<Vec<Lanes>> {
    let common = matches!(
        mma.a,
        ScalarType::F16 | ScalarType::Bf16 | ScalarType::Tf32 | ScalarType::S8 | ScalarType::U8
    );
    if !common {
        return None;
    }
    let plan = plan(mma)?;
    let registers = [&plan.a, &plan.b, &plan.c].map(|p| p.map.registers());
    if registers != [a.len(), b.len(), c.len()] || !plan.b.map.size().1.is_multiple_of(WIDTH) {
        return None;
    }
    match plan.product {
        Product::Float { ab, tf32, step, c: from, d } => {
            let kind =
                Factors { exp_bits: ab.exp_bits, man_bits: ab.man_bits, shift: if tf32 { 13 } else { 0 } };
            let (a, b) = (plan.a.gather(a, |v| kind.decode(v)), plan.b.gather(b, |v| kind.decode(v)));
            if a.iter().chain(&b).any(|f| f.special) {
                return None;
            }
            let mut sums = plan.c.gather(c, |v| v);
            let sizes = (plan.a.map.size(), plan.b.map.size().1);
            let how = Sums { up: super::sum::KEPT - 2 * ab.man_bits as i32, step, from, to: d };
            float(&how, sizes, &a, &b, &mut sums).then(|| plan.d.scatter(&sums))
        }
        Product::Int { a_signed, b_signed, bits: 8, saturate } => {
            let whole =
                |signed: bool| move |v: u32| if signed { i32::from(v as i8) } else { i32::from(v as u8) };
            let (a, b) = (plan.a.gather(a, whole(a_signed)), plan.b.gather(b, whole(b_signed)));
            let mut sums = plan.c.gather(c, |v| v);
            let ((_, depth), columns) = (plan.a.map.size(), plan.b.map.size().1);
            for (sums, a) in sums.chunks_exact_mut(columns).zip(a.chunks_exact(depth)) {
                for (block, sums) in sums.chunks_exact_mut(WIDTH).enumerate() {
                    let mut products = [0i32; WIDTH];
                    for (b, &a) in b.chunks_exact(columns).zip(a) {
                        let b = &b[block * WIDTH..][..WIDTH];
                        for i in 0..WIDTH {
                            // The sum has at most 32 products of 16 bits.
                            products[i] += a * b[i];
                        }
                    }
                    for (sum, product) in sums.iter_mut().zip(products) {
                        let exact = i128::from(*sum as i32) + i128::from(product);
                        let bits = if saturate { IntTy::S32.saturate(exact) } else { exact as u64 };
                        *sum = bits as u32;
                    }
                }
            }
            Some(plan.d.scatter(&sums))
        }
        _ => None,
    }
}

/// A factor: `significand * 2^(exponent - man_bits)`.
#[derive(Clone, Copy, Debug, Default)]
struct Factor {
    significand: i32,
    exponent: i32,
    /// Whether it is infinite or NaN.
    special: bool,
}

/// An exponent below those of all products, for zeros, which do not affect the alignment.
pub(super) const NOWHERE: i32 = -100_000;

struct Factors {
    exp_bits: u32,
    man_bits: u32,
    /// The number of unused low bits of the register.
    shift: u32,
}

impl Factors {
    #[inline(always)]
    fn decode(&self, v: u32) -> Factor {
        let v = v >> self.shift;
        let field = (v >> self.man_bits) & ((1 << self.exp_bits) - 1);
        let fraction = v & ((1 << self.man_bits) - 1);
        let magnitude = if field == 0 { fraction } else { fraction | 1 << self.man_bits } as i32;
        let bias = (1 << (self.exp_bits - 1)) - 1;
        let negative = v >> (self.exp_bits + self.man_bits) & 1 != 0;
        Factor {
            significand: if negative { -magnitude } else { magnitude },
            exponent: if magnitude == 0 { NOWHERE } else { field.max(1) as i32 - bias },
            special: field == (1 << self.exp_bits) - 1,
        }
    }
}

struct Sums {
    /// The distance from a product's last bit to the last retained bit, for the largest exponent.
    up: i32,
    /// The number of products summed at a time.
    step: usize,
    /// The types of the accumulator before and after.
    from: ScalarType,
    to: ScalarType,
}

fn accumulator(ty: ScalarType) -> Factors {
    let format = if ty == ScalarType::F16 { F16 } else { F32 };
    Factors { exp_bits: format.exp_bits, man_bits: format.man_bits, shift: 0 }
}

/// Adds the products to `sums`. Returns false if an accumulator is infinite or NaN.
fn float(how: &Sums, sizes: ((usize, usize), usize), a: &[Factor], b: &[Factor], sums: &mut [u32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if crate::num::has_avx2() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { float_avx2(how, sizes, a, b, sums) };
    }
    float_rows(how, sizes, a, b, sums)
}

/// The same code compiled for AVX2, where a shift by lane is one instruction.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn float_avx2(
    how: &Sums,
    sizes: ((usize, usize), usize),
    a: &[Factor],
    b: &[Factor],
    sums: &mut [u32],
) -> bool {
    float_rows(how, sizes, a, b, sums)
}

#[inline(always)]
fn float_rows(
    how: &Sums,
    ((_, depth), columns): ((usize, usize), usize),
    a: &[Factor],
    b: &[Factor],
    sums: &mut [u32],
) -> bool {
    let significands: Vec<i32> = b.iter().map(|f| f.significand).collect();
    let exponents: Vec<i32> = b.iter().map(|f| f.exponent).collect();
    for (sums, a) in sums.chunks_exact_mut(columns).zip(a.chunks_exact(depth)) {
        for (block, sums) in sums.chunks_exact_mut(WIDTH).enumerate() {
            for (step, a) in a.chunks(how.step).enumerate() {
                let row = |list: &[i32], i: usize| -> [i32; WIDTH] {
                    let at = (step * how.step + i) * columns + block * WIDTH;
                    std::array::from_fn(|k| list[at + k])
                };
                let from = accumulator(if step == 0 { how.from } else { how.to });
                let c: [Factor; WIDTH] = std::array::from_fn(|k| from.decode(sums[k]));
                if c.iter().any(|c| c.special) {
                    return false;
                }
                let mut largest = c.map(|c| c.exponent);
                for (i, a) in a.iter().enumerate() {
                    let exponents = row(&exponents, i);
                    for k in 0..WIDTH {
                        largest[k] = largest[k].max(a.exponent + exponents[k]);
                    }
                }
                // Each term is truncated towards zero. The sum of eight terms below 2^28 fits into 31 bits.
                let own = super::sum::KEPT - from.man_bits as i32;
                let mut total: [i64; WIDTH] =
                    std::array::from_fn(|k| cut(c[k].significand, own, largest[k] - c[k].exponent).into());
                for (eight, a) in a.chunks(8).enumerate() {
                    let mut part = [0i32; WIDTH];
                    for (i, a) in a.iter().enumerate() {
                        let (s, e) = (row(&significands, 8 * eight + i), row(&exponents, 8 * eight + i));
                        for k in 0..WIDTH {
                            part[k] += cut(a.significand * s[k], how.up, largest[k] - a.exponent - e[k]);
                        }
                    }
                    for k in 0..WIDTH {
                        total[k] += i64::from(part[k]);
                    }
                }
                for k in 0..WIDTH {
                    sums[k] = rounded(total[k], largest[k] - super::sum::KEPT, how.to);
                }
            }
        }
    }
    true
}

/// Returns `value * 2^up` shifted right by `down`, towards zero.
#[inline(always)]
fn cut(value: i32, up: i32, down: i32) -> i32 {
    let magnitude = value.unsigned_abs() << up >> (down.clamp(0, 31) as u32);
    let sign = value >> 31;
    (magnitude as i32 ^ sign) - sign
}

/// Returns `total * 2^exp` as bits of the result's type: truncated for `f32`, rounded to nearest for `f16`.
#[inline(always)]
fn rounded(total: i64, exp: i32, to: ScalarType) -> u32 {
    if total == 0 {
        return 0;
    }
    // Exact: few bits, and exponents well inside the range of `f64`.
    let scale = f64::from_bits(((exp + 1023) as u64) << 52);
    let exact = total as f64 * scale;
    if to == ScalarType::F16 {
        return FromDouble::new(F16, Mode::RN, Finish::default()).round(exact.to_bits()) as u32;
    }
    // A result beyond the range is infinite.
    let beyond = exact.abs() >= f64::from(2f32.powi(127)) * 2.0;
    let cut = FromDouble::new(F32, Mode::round(Round::Zero), Finish::default()).round(exact.to_bits()) as u32;
    if beyond { cut & 0x8000_0000 | 0x7f80_0000 } else { cut }
}
