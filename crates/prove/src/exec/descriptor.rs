//! Matrix descriptors of `wgmma` (PTX §9.7.15.5.1), whose tiles are in variables of shared memory.
//!
//! A descriptor's lowest 14 bits are a sixteenth of the address of its tile, the others are constants. Compilers mask the
//! address before or behind the shift, or do not mask it. What is above 14 bits in the address of a shared variable is
//! taken to be zero: otherwise the descriptor is of no tile, and the product undefined.

use super::Exec;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Kind;
use simt::num::warpgroup::{Descriptor, Major, Tile};

/// The unit of addresses in a descriptor.
const UNIT: i128 = 16;

/// The number of addresses that a descriptor distinguishes.
const STARTS: i128 = 1 << 14;

/// The swizzles' patterns repeat after this many bytes.
const PATTERN: i128 = 1024;

impl Exec<'_> {
    /// Returns where the tile of a descriptor begins, and the number of bytes up to its last one.
    pub(super) fn tile(&self, descriptor: &Poly, major: Major, rows: usize) -> Option<(Poly, u32)> {
        let bits = descriptor.constant_term().rem_euclid(1 << 64) as u64;
        let address = self.sixteenths(descriptor)?;
        let base = self.base(&address)?;
        let offset = address.minus(&Poly::sym(base));
        let unit = if bits >> 62 == 0 { UNIT } else { PATTERN };
        let first = offset.constant_term().rem_euclid(unit);
        if first % UNIT != 0 || !self.is_aligned(&address.plus_constant(-first), unit) {
            return None;
        }
        let fields = bits & !(STARTS as u64 - 1) | (first / UNIT) as u64;
        let tile = Tile::of(&Descriptor::of(fields).ok()?, major, 0..rows);
        let (begin, _) = *tile.runs.first()?;
        Some((address.plus_constant(i128::from(begin) - first), tile.end - begin))
    }

    /// Returns whether an address in a shared variable is a multiple of `unit`, a power of two.
    pub(super) fn is_aligned(&self, address: &Poly, unit: i128) -> bool {
        let Some(base) = self.base(address) else { return false };
        let Kind::Shared(name) = &self.syms.get(base).kind else { return false };
        let offset = address.minus(&Poly::sym(base));
        self.alignments.get(name).is_some_and(|align| i128::from(*align) % unit == 0)
            && offset.terms().iter().all(|(_, c)| c % unit == 0)
    }

    /// Returns whether constant fields of a descriptor, or bits of its tile's address, have no bit in common with the
    /// sixteenth of an address.
    pub(super) fn is_apart(&self, start: &Poly, fields: i128) -> bool {
        let low = fields.rem_euclid(1 << 16);
        let unit = UNIT * i128::from((low as u32 + 1).next_power_of_two());
        low < STARTS && self.sixteenths(start).is_some_and(|at| low == 0 || self.is_aligned(&at, unit))
    }

    /// Returns the address of which a descriptor has a sixteenth in its lowest 14 bits.
    pub(super) fn sixteenths(&self, p: &Poly) -> Option<Poly> {
        let constant = p.constant_term().rem_euclid(1 << 16);
        let mut address = (constant < STARTS).then(|| Poly::constant(UNIT * constant))?;
        let mut found = false;
        for (m, c) in p.terms().iter().filter(|(m, _)| !m.is_empty()) {
            match m.as_slice() {
                &[s] if *c == 1 && !found && self.sixteenth(s).is_some() => {
                    found = true;
                    address = address.plus(&self.sixteenth(s)?);
                }
                m if (1..STARTS).contains(c) => address = address.plus(&Poly::mono(m, UNIT * c)),
                _ => return None,
            }
        }
        found.then_some(address)
    }

    /// Returns the address in shared memory of which a symbol is a sixteenth.
    fn sixteenth(&self, s: Sym) -> Option<Poly> {
        match &self.syms.get(s).kind {
            Kind::Quotient { of, by } if by.as_constant() == Some(UNIT) => {
                let address = self.unmasked(of);
                let base = self.base(&address)?;
                matches!(self.syms.get(base).kind, Kind::Shared(_)).then_some(address)
            }
            Kind::Remainder { of, by } if by.as_constant().is_some_and(|by| by >= STARTS) => {
                self.sixteenths(of)
            }
            _ => None,
        }
    }

    /// Returns an address without a mask of its lowest 18 bits or more, or of those but the lowest four.
    fn unmasked(&self, p: &Poly) -> Poly {
        let masked = |s: Sym, least: i128| match &self.syms.get(s).kind {
            Kind::Remainder { of, by } if by.as_constant().is_some_and(|by| by >= least) => Some(of),
            _ => None,
        };
        let mut out = p.clone();
        for (m, c) in p.terms() {
            let &[s] = m.as_slice() else { continue };
            match (c, masked(s, UNIT * STARTS), masked(s, UNIT)) {
                (1, Some(of), _) => out = out.minus(&Poly::sym(s)).plus(of),
                // Bits that the shift drops.
                (-1, None, Some(_)) => out = out.plus(&Poly::sym(s)),
                _ => {}
            }
        }
        out
    }
}
