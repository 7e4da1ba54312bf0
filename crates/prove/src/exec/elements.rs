//! Elements of arrays about which there are facts, and that the kernel only reads.
//!
//! A kernel is executed once to find the arrays that it only reads, and once more if it reads one word of such an array
//! at several places (`k < end[row]` in front of a loop and in it). In the second execution these loads have one value.
//! That is right only if the second execution, too, shows that nothing writes the array: [`Exec::keep_elements`] says so.

use super::{Element, ElementFact, Exec, NotUnderstood};
use crate::facts::Assumption;
use crate::facts::assume::Test;
use crate::kernel::access::{Access, AccessKind, Space};
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::{Attr, Kind};
use ptx::op::{Mem, Sem};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How an execution understands loads.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    /// Whether each thread has its own value for every load.
    pub(super) own: bool,
    /// Parameters whose arrays an earlier execution has shown to be read only.
    read_only: BTreeSet<u32>,
    /// The values of words of these arrays, by address and bytes.
    words: FxHashMap<(Poly, u32), Sym>,
    /// The arrays of `words`.
    arrays: BTreeSet<Sym>,
}

impl Loads {
    pub(super) fn of_own() -> Loads {
        Loads { own: true, ..Loads::default() }
    }

    /// Returns the loads of a second execution, if the first one has read a word at several places.
    pub(super) fn again(first: &super::Summary) -> Option<Loads> {
        let index = |e: &Element| match first.syms.get(e.array).kind {
            Kind::Param { index, offset: 0, .. } => Some(index),
            _ => None,
        };
        let word = |e: &Element| (e.array, e.offset.clone(), e.bytes);
        let mut seen = rustc_hash::FxHashSet::default();
        let twice = first.elements.iter().filter(|e| !seen.insert(word(e)));
        let read_only: BTreeSet<u32> = twice.filter_map(index).collect();
        (!read_only.is_empty()).then(|| Loads { read_only, ..Loads::default() })
    }
}

impl Exec<'_> {
    /// Returns the symbol of the `at`-th word that a load reads, and whether it is a new one. A word of a read-only array
    /// whose address is the same in each iteration has one symbol.
    pub(super) fn word(
        &mut self,
        (address, at): (&Poly, usize),
        mem: &Mem,
        attr: Attr,
        range: Range,
    ) -> (Sym, bool) {
        let place = address.plus_constant(at as i128 * i128::from(mem.ty.bytes()));
        let array = self.read_only_array(&place, mem);
        let key = (place, mem.ty.bytes());
        if array.is_some()
            && let Some(&known) = self.loads.words.get(&key)
        {
            return (known, false);
        }
        let nth = self.syms.len() as u32;
        let attr = if array.is_some() { Attr { loops: 0, ..attr } } else { attr };
        let value = self.syms.fresh(Kind::Loaded { inst: self.inst as u32, nth }, attr, range);
        if let Some(array) = array {
            self.loads.words.insert(key, value);
            self.loads.arrays.insert(array);
        }
        (value, true)
    }

    /// Returns the array of a weak load from a read-only array, if the address is the same in each iteration.
    fn read_only_array(&self, address: &Poly, mem: &Mem) -> Option<Sym> {
        let array = self.base(address)?;
        let Kind::Param { index, offset: 0, .. } = self.syms.get(array).kind else { return None };
        let is_word = matches!(mem.ty.bytes(), 4 | 8) && mem.sem == Sem::Weak;
        let stays = self.syms.attr(address).loops == 0;
        (self.loads.read_only.contains(&index) && is_word && stays).then_some(array)
    }

    /// Requires that nothing writes the arrays whose words have one symbol.
    fn words_stay(&self) -> Result<(), NotUnderstood> {
        match self.loads.arrays.iter().all(|&array| self.elements.iter().any(|e| e.array == array)) {
            true => Ok(()),
            false => Err(NotUnderstood("an array that was read only is not".into())),
        }
    }

    /// Records an element of an array whose elements are all different, do not decrease, or have bounds. In a loop, a value
    /// may outlive the iteration of its address, unless that is the same in each iteration.
    pub(super) fn element(&mut self, address: &Poly, mem: &Mem, at: usize, value: Sym) {
        let Some(array) = self.base(address) else { return };
        let Kind::Param { index, offset: 0, .. } = self.syms.get(array).kind else { return };
        let bytes = mem.ty.bytes();
        let told = |test| {
            let is_it = |fact: &ElementFact| fact.parameter == index && fact.test == test;
            self.element_facts.iter().any(|f| is_it(f) && f.bytes.is_none_or(|n| n == bytes))
        };
        let (different, grow) = (told(Test::Permutation), told(Test::Monotone));
        let rows = told(Test::Rows);
        let bounds = [Test::ElementsAtLeast, Test::ElementsAtMost].map(|test| {
            let is_it = |f: &&ElementFact| (f.parameter, f.test, f.bytes) == (index, test, Some(bytes));
            self.element_facts.iter().find(is_it).and_then(|fact| fact.bound.clone())
        });
        let is_bounded = bounds.iter().any(Option::is_some);
        let wide = matches!(bytes, 4 | 8);
        let stays = self.loops_here() == 0 || self.syms.attr(address).loops == 0;
        let is_new = !self.elements.iter().any(|e| e.value == value);
        let is_told = different || grow || rows || is_bounded;
        if is_told && wide && mem.sem == Sem::Weak && self.recording && stays && is_new {
            let offset = address.minus(&Poly::sym(array)).plus_constant(at as i128 * i128::from(bytes));
            self.elements.push(Element { value, array, offset, bytes, different, grow, rows, bounds });
        }
    }

    /// Drops elements of arrays that the kernel may write, or reads with several widths. The others are
    /// assumed to be disjoint from the memory that the kernel writes.
    pub(super) fn keep_elements(&mut self, writes_are_known: bool) -> Result<(), NotUnderstood> {
        let mut elements = std::mem::take(&mut self.elements);
        elements.retain(|e| {
            let of_array = |a: &&Access| a.base == Some(e.array);
            writes_are_known
                && self
                    .accesses
                    .iter()
                    .filter(of_array)
                    .all(|a| a.kind == AccessKind::Read && a.bytes == e.bytes * u32::from(a.elements))
        });
        let is_loose = |s: Sym| {
            self.facts.strict
                && matches!(&self.syms.get(s).kind, Kind::Param { index, .. } if self.facts.loose.contains(index))
        };
        for access in &self.accesses {
            if access.kind != AccessKind::Read && access.space != Space::Shared {
                let other = access.base.is_some_and(is_loose);
                elements.retain(|e| !other && !is_loose(e.array));
            }
            if access.kind == AccessKind::Read || access.space == Space::Shared || elements.is_empty() {
                continue;
            }
            let other = match access.base.map(|s| &self.syms.get(s).kind) {
                Some(Kind::Param { index, offset, .. }) => super::param_name(&self.names, *index, *offset),
                Some(Kind::Global(name)) => name.clone(),
                // The arrays are no table's memory.
                _ if access.base.is_some_and(|base| elements.iter().any(|e| e.rows && e.value == base)) => {
                    continue;
                }
                _ => {
                    elements.clear();
                    continue;
                }
            };
            for e in &elements {
                if let Kind::Param { index, offset, .. } = self.syms.get(e.array).kind {
                    let name = super::param_name(&self.names, index, offset);
                    let (a, b) = if name < other { (name, other.clone()) } else { (other.clone(), name) };
                    self.assumed.insert(Assumption::Distinct(a, b));
                }
            }
        }
        self.elements = elements;
        self.words_stay()
    }
}
