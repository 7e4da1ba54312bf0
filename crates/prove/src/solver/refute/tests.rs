use super::*;

fn at_least(lo: i128) -> Range {
    Range { lo: Some(lo), hi: None }
}

/// `block * size + thread` differs between all threads.
#[test]
fn a_global_index_is_injective() {
    let mut p = Problem::default();
    let size = p.variable(Range::of(1, 1024));
    let [b, c] = [0; 2].map(|_| p.variable(at_least(0)));
    let [t, u] = [0; 2].map(|_| p.variable(at_least(0)));
    let s = Poly::sym;
    for x in [t, u] {
        p.assert(&Cond::lt(&s(x), &s(size)));
    }
    let index = |b, t| s(size).times(&s(b)).unwrap().plus(&s(t));
    let distance = index(b, t).minus(&index(c, u)).scaled(4).unwrap();
    p.assert(&Cond::Ge(distance.plus_constant(3)));
    p.assert(&Cond::Ge(distance.negated().plus_constant(3)));
    p.twins = vec![(b, c), (t, u)];
    let mut same = p.clone();
    same.assert(&Cond::eq(&s(b), &s(c)));
    assert!(!same.refuted(), "thread and thread may be one");
    same.assert(&Cond::lt(&s(t), &s(u)));
    assert!(same.refuted());
    p.assert(&Cond::Ne(s(b).minus(&s(c))));
    assert!(p.refuted());
}

#[test]
fn parity_refutes() {
    let mut p = Problem::default();
    let [s, x, y] = [at_least(1), at_least(0), at_least(0)].map(|r| p.variable(r));
    // 2 s x = 2 s y + s
    let (s, x, y) = (Poly::sym(s), Poly::sym(x), Poly::sym(y));
    let two = |v: &Poly| v.times(&s).unwrap().scaled(2).unwrap();
    p.assert(&Cond::eq(&two(&x), &two(&y).plus(&s)));
    assert!(p.refuted());
}

#[test]
fn satisfiable_is_never_refuted() {
    // Each random system has a known solution, so that it must not be refuted.
    let mut seed = 12345u64;
    let mut random = move |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    for _ in 0..3000 {
        let mut p = Problem::default();
        let values: Vec<i128> = (0..5).map(|_| random(9) as i128 - 2).collect();
        let vars: Vec<Sym> = values
            .iter()
            .map(|&v| {
                p.variable(Range {
                    lo: (random(2) == 0).then_some(v.min(0)),
                    hi: (random(3) == 0).then_some(v + 2),
                })
            })
            .collect();
        p.twins = vec![(vars[0], vars[1]), (vars[2], vars[3])];
        let value = |s: Sym| values.get(s.0 as usize).copied();
        for _ in 0..random(7) + 1 {
            let mut q = Poly::default();
            for _ in 0..random(4) + 1 {
                let mut m = vec![vars[random(5) as usize]];
                if random(3) == 0 {
                    m.push(vars[random(5) as usize]);
                }
                m.sort_unstable();
                q = q.plus(&Poly::mono(&m, random(9) as i128 - 4));
            }
            let v = q.evaluate(&value).unwrap();
            let cond = match random(4) {
                0 => Cond::Eq(q.plus_constant(-v)),
                1 => Cond::Ne(q.plus_constant(-v - 1)),
                2 => {
                    Cond::Or(vec![Cond::Ge(q.plus_constant(-v - 1)), Cond::Ge(q.negated().plus_constant(v))])
                }
                _ => Cond::Ge(q.plus_constant(random(3) as i128 - v)),
            };
            assert_eq!(cond.evaluate(&value), Some(true));
            p.assert(&cond);
        }
        assert!(!p.refuted(), "{p:?} with {values:?}");
    }
}

/// Two accesses of an unrolled grid-stride loop, `start + stride * (turns - 4 * others)`, belong to one
/// thread if they touch the same place.
#[test]
fn places_a_multiple_of_the_grid_apart_are_of_one_thread() {
    let mut p = Problem::default();
    let [size, blocks] = [0; 2].map(|_| p.variable(at_least(1)));
    let [b, c, t, u, k, l, m] = [0; 7].map(|_| p.variable(at_least(0)));
    let s = Poly::sym;
    for (x, most) in [(t, size), (u, size), (b, blocks), (c, blocks)] {
        p.assert(&Cond::lt(&s(x), &s(most)));
    }
    let stride = s(size).times(&s(blocks)).unwrap();
    let start = |b, t| s(size).times(&s(b)).unwrap().plus(&s(t));
    let turns = s(l).plus(&s(m).scaled(4).unwrap());
    let first = start(b, t).plus(&stride.times(&s(k)).unwrap());
    let second = start(c, u).plus(&stride.times(&turns).unwrap());
    p.assert(&Cond::eq(&first, &second));
    p.twins = vec![(b, c), (t, u)];
    let mut same = p.clone();
    same.assert(&Cond::eq(&s(b), &s(c)));
    assert!(!same.refuted(), "thread and thread may be one");
    p.assert(&Cond::Ne(s(b).minus(&s(c))));
    assert!(p.refuted());
}

/// A sum with constant strides is split like a number into digits, without bounds on the iterations.
#[test]
fn digits_are_told_apart() {
    let mut p = Problem::default();
    let [t, u] = [0; 2].map(|_| p.variable(Range::of(0, 255)));
    let [b, c] = [0; 2].map(|_| p.variable(Range::of(0, 63)));
    let [k, l] = [0; 2].map(|_| p.variable(at_least(0)));
    let place = |t: Sym, b: Sym, k: Sym| {
        let digits = [(t, 1), (b, 256), (k, 256 * 64)];
        digits.iter().fold(Poly::default(), |sum, &(s, c)| sum.plus(&Poly::mono(&[s], c)))
    };
    p.assert(&Cond::eq(&place(t, b, k), &place(u, c, l)));
    assert!(!p.refuted());
    for (x, y) in [(t, u), (b, c), (k, l)] {
        let mut one = p.clone();
        one.assert(&Cond::Ne(Poly::sym(x).minus(&Poly::sym(y))));
        assert!(one.refuted());
    }
    // One more value makes the lower digit carry.
    p.bounds[t.0 as usize] = Range::of(0, 256);
    p.assert(&Cond::Ne(Poly::sym(b).minus(&Poly::sym(c))));
    assert!(!p.refuted());
}

/// The columns of whole tiles are smaller than the width that contains the tiles of the grid, for any rows.
#[test]
fn tiles_of_a_grid_are_within_its_rows() {
    let problem = |tiles: i128| {
        let mut p = Problem::default();
        let [width, blocks] = [0; 2].map(|_| p.variable(at_least(1)));
        let [b, c, y, z] = [0; 4].map(|_| p.variable(at_least(0)));
        let [t, u] = [0; 2].map(|_| p.variable(Range::of(0, 31)));
        let s = Poly::sym;
        p.assert(&Cond::le(&s(blocks).scaled(tiles).unwrap(), &s(width)));
        for x in [b, c] {
            p.assert(&Cond::lt(&s(x), &s(blocks)));
        }
        let place = |b, t, y| s(b).scaled(32).unwrap().plus(&s(t)).plus(&s(width).times(&s(y)).unwrap());
        p.assert(&Cond::eq(&place(b, t, y), &place(c, u, z)));
        p.twins = vec![(b, c), (t, u), (y, z)];
        (p, [(b, c), (t, u), (y, z)])
    };
    let (p, pairs) = problem(32);
    assert!(!p.refuted(), "thread and thread may be one");
    for (x, y) in pairs {
        let mut one = p.clone();
        one.assert(&Cond::Ne(Poly::sym(x).minus(&Poly::sym(y))));
        assert!(one.refuted());
    }
    // With a smaller width the last tile reaches into the next row.
    let (mut p, [_, _, (y, z)]) = problem(31);
    p.assert(&Cond::Ne(Poly::sym(y).minus(&Poly::sym(z))));
    assert!(!p.refuted());
}

/// Slices of a volume whose rows are rounded up to whole warps.
#[test]
fn slices_with_rounded_rows_are_apart() {
    let problem = |most: i128| {
        let mut p = Problem::default();
        let [warps, rows] = [0; 2].map(|_| p.variable(at_least(1)));
        let all: Vec<Sym> = (0..6).map(|_| p.variable(at_least(0))).collect();
        let s = Poly::sym;
        let width = s(warps).scaled(32).unwrap();
        for side in [0, 3] {
            p.assert(&Cond::lt(&s(all[side]), &width));
            p.assert(&Cond::le(&s(all[side + 1]).plus_constant(-most), &s(rows)));
        }
        let place = |x: Sym, y: Sym, z: Sym| {
            let slices = width.times(&s(rows)).unwrap().times(&s(z)).unwrap();
            slices.plus(&width.times(&s(y)).unwrap()).plus(&s(x))
        };
        p.assert(&Cond::eq(&place(all[0], all[1], all[2]), &place(all[3], all[4], all[5])));
        p.twins = (0..3).map(|n| (all[n], all[n + 3])).collect();
        let pairs = p.twins.clone();
        (p, pairs)
    };
    let (p, pairs) = problem(-1);
    assert!(!p.refuted(), "thread and thread may be one");
    for (x, y) in pairs {
        let mut one = p.clone();
        one.assert(&Cond::Ne(Poly::sym(x).minus(&Poly::sym(y))));
        assert!(one.refuted(), "{x:?}");
    }
    // One row more is the first one of the next slice.
    let (mut p, pairs) = problem(0);
    p.assert(&Cond::Ne(Poly::sym(pairs[2].0).minus(&Poly::sym(pairs[2].1))));
    assert!(!p.refuted());
}

/// A lower bound that has no opposite was negated, which overflowed.
#[test]
fn a_bound_without_an_opposite_says_nothing() {
    let mut p = Problem::default();
    let x = p.variable(Range::of(i128::MIN, 5));
    let y = p.variable(Range::of(0, 5));
    let product = Poly::sym(x).times(&Poly::sym(y)).unwrap();
    p.assert(&Cond::Ge(product.plus(&Poly::sym(x)).plus_constant(-1)));
    assert!(!p.refuted());
}
