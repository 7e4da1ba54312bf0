//! Common products on whole words: each register as 32 lanes of 32 bits.
//!
//! They return the same bits as [`Product::dot`] of each element, the specification (`tests/num_matrix.rs`).
//! The truncation of products to a multiple of a power of two is computed in floating point: a product of two
//! factors of 11 bits is exact in `f32`, and so is its product with the power of two, unless it vanishes; the
//! integral part is the truncated product. If exponents are so large or small that this fails, the functions
//! have no effect, and `whole` computes the product.
//!
//! **Size:** the portable loops and the choice among their versions, which share one working memory.

mod integers;
mod places;
#[cfg(target_arch = "x86_64")]
mod rows;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod wide;

use super::super::fp::Format;
use super::sum::{KEPT, KEPT_OF_EIGHT};
use super::whole::{NOWHERE, WIDTH};
use super::{Mma, Product, Words};
use integers::integers;
use places::Places;
use ptx::ast::ScalarType;
use ptx::op::Fragment;
use std::cell::RefCell;
use std::rc::Rc;

#[cfg(target_arch = "x86_64")]
pub use rows::Rows;

/// The rows of A of products of single warps.
#[cfg(target_arch = "x86_64")]
type OwnRows = Option<Box<Rows>>;
#[cfg(not(target_arch = "x86_64"))]
type OwnRows = ();

/// Products of rows that are decoded once exist for other processors only.
#[cfg(not(target_arch = "x86_64"))]
pub enum Rows {}

#[cfg(not(target_arch = "x86_64"))]
impl Rows {
    pub fn of(_: &Mma, _: &[Words; 4]) -> Option<Box<Rows>> {
        None
    }

    pub fn add(&mut self, _: &[[u32; 8]], _: &mut [Words]) -> bool {
        match *self {}
    }
}

/// The number of elements of the largest factor, and of the largest result.
const MOST: usize = 512;

/// The range of factor exponents in which no harmful overflow or underflow occurs.
const SMALLEST: i32 = -50;
const LARGEST: i32 = 60;

/// The least exponent of accumulators.
const SMALLEST_SUM: i32 = -100;

/// An instruction with the positions of its words.
#[derive(Debug)]
struct Plan {
    mma: Mma,
    product: Product,
    rows: usize,
    columns: usize,
    /// The number of words in a row of A and in a column of B.
    depth: usize,
    /// Words of A row by row; a word contains elements adjacent in depth.
    a: Places,
    /// Words of B in blocks of eight columns, each block by depth.
    b: Places,
    /// Elements of C row by row: one of 32 bits or two adjacent in a row.
    c: Places,
    d: Places,
}

impl Plan {
    fn new(mma: &Mma) -> Option<Plan> {
        let product = Product::of(mma)?;
        let map = |f| mma.map(f).filter(|m| !m.quads() && m.element_bits() <= 32);
        let (a, b) = (map(Fragment::A)?, map(Fragment::B)?);
        let (c, d) = (map(Fragment::C)?, map(Fragment::D)?);
        let ((rows, k), (_, columns)) = (a.size(), b.size());
        let each = a.per_register();
        if rows * k > MOST || k * columns > MOST || rows * columns > MOST || !columns.is_multiple_of(WIDTH) {
            return None;
        }
        let by_row = |row, column| Some(row * columns + column);
        let of_b = |row: usize, column: usize| {
            let word = (column / WIDTH * (k / each) + row / each) * WIDTH + column % WIDTH;
            Some(word * each + row % each)
        };
        Some(Plan {
            mma: *mma,
            product,
            rows,
            columns,
            depth: k / each,
            a: Places::new(&a, |row, column| Some(row * k + column))?,
            b: Places::new(&b, of_b)?,
            c: Places::new(&c, by_row)?,
            d: Places::new(&d, by_row)?,
        })
    }
}

/// A thread's working memory.
struct Scratch {
    /// The last instruction, with its plan if it has one.
    last: Option<(Mma, Option<Rc<Plan>>)>,
    plans: Vec<(Mma, Option<Rc<Plan>>)>,
    words: [u32; MOST],
    /// Pairs of 16-bit integers.
    pairs: [u32; MOST],
    a: Factors,
    b: Factors,
    /// The accumulators.
    sums: [u32; MOST],
    rows: OwnRows,
}

/// The values of factors, and their exponents before normalisation.
struct Factors {
    values: [f32; MOST],
    exponents: [i32; MOST],
}

impl Factors {
    const NONE: Factors = Factors { values: [0.0; MOST], exponents: [0; MOST] };
}

thread_local! {
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Box::new(Scratch {
        last: None,
        plans: Vec::new(),
        words: [0; MOST],
        pairs: [0; MOST],
        a: Factors::NONE,
        b: Factors::NONE,
        sums: [0; MOST],
        rows: OwnRows::default(),
    }));
}

impl Scratch {
    fn plan(&mut self, mma: &Mma) -> Option<Rc<Plan>> {
        if let Some((last, plan)) = &self.last
            && last == mma
        {
            return plan.clone();
        }
        let found = self.plans.iter().find(|(known, _)| known == mma).map(|(_, plan)| plan.clone());
        let plan = found.unwrap_or_else(|| {
            let plan = Plan::new(mma).map(Rc::new);
            self.plans.push((*mma, plan.clone()));
            plan
        });
        self.last = Some((*mma, plan.clone()));
        plan
    }
}

/// Computes D = A B + C like [`super::multiply`]. Returns false, without effect, for uncommon products and
/// for numbers outside the supported range.
///
/// 8-bit floats are multiplied for warpgroups, which add them otherwise than single warps.
pub(super) fn multiply(mma: &Mma, a: &[&Words], b: &[&Words], c: &[&Words], d: &mut [Words]) -> bool {
    SCRATCH.with_borrow_mut(|scratch| {
        #[cfg(target_arch = "x86_64")]
        if let (&[a0, a1, a2, a3], &[b0, b1], &[c0, c1, c2, c3]) = (a, b, c)
            && let Some(sums) = by_vectors(mma, scratch, [a0, a1, a2, a3], [b0, b1], [c0, c1, c2, c3])
            && let Some(d) = d.first_chunk_mut()
        {
            *d = sums;
            return true;
        }
        let Some(plan) = scratch.plan(mma) else { return false };
        let lengths = [(&plan.a, a.len()), (&plan.b, b.len()), (&plan.c, c.len()), (&plan.d, d.len())];
        if lengths.iter().any(|(at, registers)| at.words() != registers * 32) {
            return false;
        }
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            // SAFETY: the processor supports the function's target features.
            return unsafe { with_avx2(&plan, scratch, a, b, c, d) };
        }
        with::<false>(&plan, scratch, a, b, c, d)
    })
}

/// Computes a product of 16 rows of 32 bytes and eight columns; `None` for others, and where [`Rows`] fails.
#[cfg(target_arch = "x86_64")]
fn by_vectors(
    mma: &Mma,
    scratch: &mut Scratch,
    a: [&Words; 4],
    b: [&Words; 2],
    c: [&Words; 4],
) -> Option<[Words; 4]> {
    let is_whole = (mma.shape.m, mma.shape.n) == (16, 8) && !mma.wmma;
    // 8-bit floats of a warp are added otherwise, and integers are computed elsewhere.
    let is_wide = matches!(mma.a, ScalarType::F16 | ScalarType::Bf16 | ScalarType::Tf32);
    if !is_whole || !is_wide || !crate::num::has_avx512() {
        return None;
    }
    let rows = scratch.rows.get_or_insert_with(Rows::empty);
    let columns: [[u32; 8]; WIDTH] =
        std::array::from_fn(|n| std::array::from_fn(|word| b[word / 4][4 * n + word % 4]));
    let mut sums = c.map(|words| *words);
    // SAFETY: the processor supports the functions' target features.
    unsafe { rows.load(mma, a) && rows.add_columns(&columns, &mut sums) }.then_some(sums)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn with_avx2(
    plan: &Plan,
    scratch: &mut Scratch,
    a: &[&Words],
    b: &[&Words],
    c: &[&Words],
    d: &mut [Words],
) -> bool {
    with::<true>(plan, scratch, a, b, c, d)
}

/// Computes the product; `AVX2` requires that the processor supports AVX2.
#[inline(always)]
fn with<const AVX2: bool>(
    plan: &Plan,
    scratch: &mut Scratch,
    a: &[&Words],
    b: &[&Words],
    c: &[&Words],
    d: &mut [Words],
) -> bool {
    let wide = |ty| matches!(ty, ScalarType::F32 | ScalarType::S32);
    if !wide(plan.mma.c) || !wide(plan.mma.d) {
        return false;
    }
    match plan.product {
        Product::Float { ab, tf32, step, .. } => {
            let fits = match (tf32, ab) {
                (true, _) => both::<AVX2, 8, 10, 13, 1>(plan, scratch, a, b),
                (_, Format { exp_bits: 5, man_bits: 10, .. }) => {
                    both::<AVX2, 5, 10, 0, 2>(plan, scratch, a, b)
                }
                (_, Format { exp_bits: 8, man_bits: 7, .. }) => both::<AVX2, 8, 7, 0, 2>(plan, scratch, a, b),
                _ => false,
            };
            if !fits {
                return false;
            }
            plan.c.gather::<AVX2>(c, &mut scratch.sums);
            let k = plan.depth * if tf32 { 1 } else { 2 };
            let sizes = (plan.rows, k, plan.columns);
            if !sums::<AVX2>(sizes, (step, KEPT), &scratch.a, &scratch.b, &mut scratch.sums) {
                return false;
            }
        }
        Product::Eight { a: of_a, b: of_b, .. } => {
            let words = &mut scratch.words;
            let fits = match of_a.exp_bits {
                4 => decode::<AVX2, 4, 3, 0, 4>(words, &plan.a, a, &mut scratch.a),
                _ => decode::<AVX2, 5, 2, 0, 4>(words, &plan.a, a, &mut scratch.a),
            } && match of_b.exp_bits {
                4 => decode_columns::<AVX2, 4, 3, 0, 4>(words, &plan.b, b, &mut scratch.b),
                _ => decode_columns::<AVX2, 5, 2, 0, 4>(words, &plan.b, b, &mut scratch.b),
            };
            if !fits {
                return false;
            }
            plan.c.gather::<AVX2>(c, &mut scratch.sums);
            let sizes = (plan.rows, plan.depth * 4, plan.columns);
            let how = (plan.depth * 4, KEPT_OF_EIGHT);
            if !sums::<AVX2>(sizes, how, &scratch.a, &scratch.b, &mut scratch.sums) {
                return false;
            }
            // The fraction of an infinity is zero.
            scratch.sums.iter_mut().for_each(|sum| *sum &= !((1 << (23 - KEPT_OF_EIGHT)) - 1));
        }
        Product::Int { a_signed, b_signed, bits: 8, saturate } => {
            plan.c.gather::<AVX2>(c, &mut scratch.sums);
            integers::<AVX2>(plan, (a_signed, b_signed), saturate, scratch, a, b);
        }
        _ => return false,
    }
    plan.d.scatter(&scratch.sums, d);
    true
}

/// Decodes A and B. Returns false if a number is outside the supported range.
#[inline(always)]
fn both<const AVX2: bool, const EXP: u32, const MAN: u32, const SHIFT: u32, const EACH: usize>(
    plan: &Plan,
    scratch: &mut Scratch,
    a: &[&Words],
    b: &[&Words],
) -> bool {
    let words = &mut scratch.words;
    decode::<AVX2, EXP, MAN, SHIFT, EACH>(words, &plan.a, a, &mut scratch.a)
        && decode_columns::<AVX2, EXP, MAN, SHIFT, EACH>(words, &plan.b, b, &mut scratch.b)
}

/// Returns element `j` of a word of `EACH` elements.
#[inline(always)]
fn element<const EACH: usize>(word: u32, j: usize) -> u32 {
    let bits = 32 / EACH as u32;
    word >> (bits * j as u32) & (u32::MAX >> (32 - bits))
}

/// Decodes a number of `EXP` and `MAN` bits above `SHIFT` unused bits: returns its value, its exponent, and
/// whether it is outside the supported range. Zeros have no exponent.
#[inline(always)]
fn number<const EXP: u32, const MAN: u32, const SHIFT: u32>(v: u32) -> (f32, i32, bool) {
    let v = v >> SHIFT;
    let field = v >> MAN & ((1 << EXP) - 1);
    let fraction = v & ((1 << MAN) - 1);
    let magnitude = (fraction | if field == 0 { 0 } else { 1 << MAN }) as i32;
    let negative = -((v >> (EXP + MAN) & 1) as i32);
    let exponent = field.max(1) as i32 - ((1 << (EXP - 1)) - 1);
    let outside = EXP == 8 && magnitude != 0 && !(SMALLEST..=LARGEST).contains(&exponent);
    let power = (exponent.max(SMALLEST) - MAN as i32 + 127) as u32;
    (
        ((magnitude ^ negative) - negative) as f32 * f32::from_bits(power << 23),
        if magnitude == 0 { NOWHERE } else { exponent },
        // A number of type `.e4m3` may have the largest exponent.
        if EXP == 4 { v & 0x7f == 0x7f } else { field == (1 << EXP) - 1 || outside },
    )
}

/// Decodes A row by row. Returns false if a number is outside the supported range.
#[inline(always)]
fn decode<const AVX2: bool, const EXP: u32, const MAN: u32, const SHIFT: u32, const EACH: usize>(
    words: &mut [u32; MOST],
    places: &Places,
    registers: &[&Words],
    out: &mut Factors,
) -> bool {
    places.gather::<AVX2>(registers, words);
    let count = places.words().min(MOST / EACH);
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: by the caller's contract, the processor supports AVX2.
        return unsafe { vectors::decode::<EXP, MAN, SHIFT, EACH>(&words[..count], out) };
    }
    let mut bad = false;
    for (i, &word) in words[..count].iter().enumerate() {
        for j in 0..EACH {
            let bits = element::<EACH>(word, j);
            let (value, exponent, outside) = number::<EXP, MAN, SHIFT>(bits);
            out.values[i * EACH + j] = value;
            out.exponents[i * EACH + j] = exponent;
            bad |= outside;
        }
    }
    !bad
}

/// Decodes B; the numbers of one depth and eight columns are adjacent.
#[inline(always)]
fn decode_columns<const AVX2: bool, const EXP: u32, const MAN: u32, const SHIFT: u32, const EACH: usize>(
    words: &mut [u32; MOST],
    places: &Places,
    registers: &[&Words],
    out: &mut Factors,
) -> bool {
    places.gather::<AVX2>(registers, words);
    let groups = words.as_chunks::<WIDTH>().0;
    let groups = &groups[..(places.words() / WIDTH).min(groups.len() / EACH)];
    let (values, exponents) =
        (out.values.as_chunks_mut::<WIDTH>().0, out.exponents.as_chunks_mut::<WIDTH>().0);
    let rows = values.chunks_exact_mut(EACH).zip(exponents.chunks_exact_mut(EACH));
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: by the caller's contract, the processor supports AVX2.
        return unsafe { vectors::decode_columns::<EXP, MAN, SHIFT, EACH>(groups, rows) };
    }
    let mut bad = [false; WIDTH];
    for (words, (values, exponents)) in groups.iter().zip(rows) {
        for j in 0..EACH {
            for i in 0..WIDTH {
                let bits = element::<EACH>(words[i], j);
                let (value, exponent, outside) = number::<EXP, MAN, SHIFT>(bits);
                values[j][i] = value;
                exponents[j][i] = exponent;
                bad[i] |= outside;
            }
        }
    }
    bad == [false; WIDTH]
}

/// Returns whether an accumulator is outside the supported range.
#[inline(always)]
fn unusual(sums: &[u32]) -> bool {
    let mut bad = [false; WIDTH];
    for sums in sums.as_chunks::<WIDTH>().0 {
        for i in 0..WIDTH {
            let field = (sums[i] >> 23 & 0xff) as i32;
            let tiny = sums[i] & 0x7fff_ffff != 0 && field.max(1) - 127 < SMALLEST_SUM;
            bad[i] |= field == 255 || tiny;
        }
    }
    bad != [false; WIDTH]
}

/// Adds the products to `sums`, `step` at a time, cut `kept` bits below the largest exponent. Returns false if an accumulator is outside the supported
/// range.
#[inline(always)]
fn sums<const AVX2: bool>(
    (rows, k, columns): (usize, usize, usize),
    (step, kept): (usize, i32),
    a: &Factors,
    b: &Factors,
    sums: &mut [u32; MOST],
) -> bool {
    if unusual(&sums[..rows * columns]) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    if AVX2 && rows.is_multiple_of(2) && crate::num::has_avx512() {
        // SAFETY: the processor supports the function's target features.
        return unsafe { wide::sums((rows, k, columns), (step, kept), a, b, sums) };
    }
    by_rows::<AVX2>((rows, k, columns), (step, kept), a, b, sums)
}

/// Implements [`sums`] row by row, for accumulators that were checked.
#[inline(always)]
fn by_rows<const AVX2: bool>(
    (rows, k, columns): (usize, usize, usize),
    (step, kept): (usize, i32),
    a: &Factors,
    b: &Factors,
    sums: &mut [u32; MOST],
) -> bool {
    let sums = &mut sums[..rows * columns];
    let (values, exponents) = (b.values.as_chunks::<WIDTH>().0, b.exponents.as_chunks::<WIDTH>().0);
    let mut tiny = false;
    for (row, sums) in sums.chunks_exact_mut(columns).enumerate() {
        let of_a = row * k..(row + 1) * k;
        let of_a = (&a.values[of_a.clone()], &a.exponents[of_a]);
        for (block, sum) in sums.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
            let of_b = block * k..(block + 1) * k;
            let of_b = (&values[of_b.clone()], &exponents[of_b]);
            let mut from = 0;
            while from < k {
                if from > 0 && unusual(&sum[..]) {
                    return false;
                }
                let now = from..(from + step).min(k);
                from = now.end;
                let a = (&of_a.0[now.clone()], &of_a.1[now.clone()]);
                let b = (&of_b.0[now.clone()], &of_b.1[now]);
                #[cfg(target_arch = "x86_64")]
                if AVX2 {
                    // SAFETY: by the caller's contract, the processor supports AVX2.
                    tiny |= unsafe { vectors::one_sum(sum, a, b, kept) };
                    continue;
                }
                tiny |= one_sum(sum, a, b, kept);
            }
        }
    }
    !tiny
}

/// Adds products of part of a row of A with the same part of each of eight columns of B. All numbers are in
/// the supported range. Returns whether a result is not.
#[inline(always)]
fn one_sum(
    sum: &mut [u32; WIDTH],
    (a, a_exponents): (&[f32], &[i32]),
    (b, b_exponents): (&[[f32; WIDTH]], &[[i32; WIDTH]]),
    kept: i32,
) -> bool {
    let mut tiny = false;
    let mut largest = [0i32; WIDTH];
    for i in 0..WIDTH {
        let exponent = ((sum[i] >> 23 & 0xff) as i32).max(1) - 127;
        largest[i] = if sum[i] & 0x7fff_ffff != 0 { exponent } else { NOWHERE };
    }
    for (a, b) in a_exponents.iter().zip(b_exponents) {
        for i in 0..WIDTH {
            largest[i] = largest[i].max(a + b[i]);
        }
    }
    // If all terms are zero, any power of two will do.
    let scale = largest.map(|e| f32::from_bits(((kept + 127 - e).clamp(1, 254) as u32) << 23));
    let cut = |x: f32| {
        // SAFETY: all supported numbers are finite, and no term is as large as four times the power of two of
        // the largest exponent, which becomes at most 2^25 here, so the argument is below 2^27.
        unsafe { x.to_int_unchecked::<i32>() }
    };
    let mut total = [0f64; WIDTH];
    for i in 0..WIDTH {
        total[i] = f64::from(cut(f32::from_bits(sum[i]) * scale[i]));
    }
    // The sum of eight terms below 2^27 fits into 31 bits.
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        let mut part = [0i32; WIDTH];
        for (&a, b) in a.iter().zip(b) {
            for i in 0..WIDTH {
                part[i] += cut(a * b[i] * scale[i]);
            }
        }
        for i in 0..WIDTH {
            total[i] += f64::from(part[i]);
        }
    }
    for i in 0..WIDTH {
        let power = ((largest[i] - kept + 1023).clamp(1, 2046) as u64) << 52;
        let exact = (total[i] * f64::from_bits(power)).to_bits();
        // Truncates to the bits of an `f32`; a result beyond its range becomes infinite.
        tiny |= exact << 1 != 0 && (exact >> 52 & 0x7ff) < 1023 - 126;
        sum[i] = (f64::from_bits(exact & !((1 << 29) - 1)) as f32).to_bits();
    }
    tiny
}

#[cfg(test)]
mod tests;
