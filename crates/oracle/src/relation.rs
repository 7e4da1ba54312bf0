//! Binary relations over at most 32 events, as bit matrices.

/// The largest number of events in a relation.
pub const EVENTS: usize = 32;

/// `rows[a]` has bit `b` set if `a` is related to `b`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    rows: [u32; 32],
}

impl Relation {
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] >> b & 1 != 0
    }

    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    pub fn remove(&mut self, a: usize, b: usize) {
        self.rows[a] &= !(1 << b);
    }

    pub fn row(&self, a: usize) -> u32 {
        self.rows[a]
    }

    pub fn union(&self, other: &Relation) -> Relation {
        let mut out = self.clone();
        for (row, other) in out.rows.iter_mut().zip(other.rows) {
            *row |= other;
        }
        out
    }

    /// Returns the pairs that both relations have.
    pub fn common(&self, other: &Relation) -> Relation {
        let mut out = self.clone();
        for (row, other) in out.rows.iter_mut().zip(other.rows) {
            *row &= other;
        }
        out
    }

    /// Returns the composition `self ; other`.
    pub fn then(&self, other: &Relation) -> Relation {
        let mut out = Relation::default();
        for (row, mine) in out.rows.iter_mut().zip(self.rows) {
            let mut rest = mine;
            while rest != 0 {
                *row |= other.rows[rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
        }
        out
    }

    /// Returns the transitive closure of this relation.
    pub fn closure(&self) -> Relation {
        let mut out = self.clone();
        for k in 0..32 {
            let via = out.rows[k];
            if via == 0 {
                continue;
            }
            for row in &mut out.rows {
                if *row >> k & 1 != 0 {
                    *row |= via;
                }
            }
        }
        out
    }

    pub fn is_acyclic(&self) -> bool {
        let closed = self.closure();
        (0..32).all(|i| !closed.has(i, i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_finds_long_paths_and_cycles() {
        let mut r = Relation::default();
        r.add(0, 1);
        r.add(1, 2);
        r.add(2, 3);
        assert!(r.closure().has(0, 3));
        assert!(r.is_acyclic());
        r.add(3, 0);
        assert!(!r.is_acyclic());
    }

    #[test]
    fn composition_follows_both() {
        let (mut a, mut b) = (Relation::default(), Relation::default());
        a.add(0, 1);
        b.add(1, 2);
        assert!(a.then(&b).has(0, 2));
        assert!(!b.then(&a).has(0, 2));
    }
}
