//! Registers of matrix products: accumulators and fragments of A (PTX §9.7.16.7).
//!
//! A product accesses its registers asynchronously. Another access of them must be behind the `wgmma.wait_group` of the
//! product's group, and an access before a product must have a `wgmma.fence` between; only products of one shape follow each
//! other on an accumulator without either. This module records the last access of each register and reports each pair of
//! accesses, one of them a write, that breaks one of these rules. `mov` is no access: compilers place it freely, and it gives a
//! value another name, which keeps the value's record.

use events::{ProductRegister, RegisterAccess, SiteId};
use smallvec::SmallVec;

/// The columns and the depth of a product. All have 64 rows.
pub(super) type Columns = (u16, u16);

/// The records of a warp's registers, by the numbers that lowering gave them.
#[derive(Debug, Default)]
pub(super) struct Registers {
    all: Vec<Register>,
    /// The number of fences so far.
    pub(super) fences: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Register {
    product: Option<Product>,
    last: Option<Last>,
}

/// The last product that accesses a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) site: SiteId,
    /// The number of its group.
    pub(super) group: u32,
    pub(super) accumulator: bool,
    pub(super) shape: Columns,
}

/// The access that a fence has to order with the next product.
#[derive(Clone, Copy, Debug)]
struct Last {
    site: SiteId,
    /// The number of fences before it.
    fence: u32,
    writes: bool,
    /// The shape, if it is a product's accumulator.
    accumulates: Option<Columns>,
    product: bool,
}

pub(super) type Found = SmallVec<[ProductRegister; 2]>;

fn add(found: &mut Found, pair: ProductRegister) {
    if !found.contains(&pair) {
        found.push(pair);
    }
}

pub(super) const fn plain(writes: bool) -> RegisterAccess {
    RegisterAccess { writes, product: false }
}

pub(super) const fn by_product(writes: bool) -> RegisterAccess {
    RegisterAccess { writes, product: true }
}

impl Registers {
    fn get(&mut self, number: u32) -> &mut Register {
        let number = number as usize;
        if self.all.len() <= number {
            self.all.resize(number + 1, Register::default());
        }
        &mut self.all[number]
    }

    /// Returns the access that no fence is behind, if any.
    fn unfenced(&mut self, number: u32) -> Option<Last> {
        let fences = self.fences;
        self.get(number).last.filter(|last| last.fence == fences)
    }

    /// Returns the product of a register for which no wait is, if any: groups before `waited` are complete.
    fn pending(&mut self, number: u32, waited: u32) -> Option<Product> {
        self.get(number).product.filter(|product| product.group >= waited)
    }

    /// Records an access by an instruction that is no product.
    pub(super) fn access(
        &mut self,
        number: u32,
        writes: bool,
        (site, waited): (SiteId, u32),
        found: &mut Found,
    ) {
        if let Some(product) = self.pending(number, waited)
            && (writes || product.accumulator)
        {
            add(found, product.with(plain(writes)));
        }
        // A read hides no write that needs a fence before the next product. One by a product may not need it.
        let keeps = !writes && self.unfenced(number).is_some_and(|last| last.writes && !last.product);
        let last = Last { site, fence: self.fences, writes, accumulates: None, product: false };
        let register = self.get(number);
        if !keeps {
            register.last = Some(last);
        }
        if writes {
            register.product = None;
        }
    }

    /// Gives the value of `from` the name `to`. `whole` if all lanes do.
    pub(super) fn copy(&mut self, (to, from): (u32, &[u32]), whole: bool, waited: u32, found: &mut Found) {
        if let Some(product) = self.pending(to, waited)
            && !from.contains(&to)
        {
            add(found, product.with(plain(true)));
        }
        let mut merged = if whole { Register::default() } else { *self.get(to) };
        for &number in from {
            let last = self.unfenced(number);
            let product = self.pending(number, waited);
            merged.last = last.filter(|last| last.writes).or(merged.last).or(last);
            merged.product = product.or(merged.product);
        }
        *self.get(to) = merged;
    }

    /// Records the access of a product to a register of its accumulator.
    pub(super) fn accumulate(&mut self, number: u32, product: Product, waited: u32, found: &mut Found) {
        let pending = self.pending(number, waited);
        let unfenced = self.unfenced(number);
        if let Some(read) = pending.filter(|other| !other.accumulator) {
            add(found, read.with(by_product(true)));
        } else if let Some(last) = unfenced.filter(|last| last.accumulates != Some(product.shape)) {
            add(found, last.before(by_product(true), true));
        }
        self.record(number, product);
    }

    /// Records the access of a product to a register of A.
    pub(super) fn multiply(&mut self, number: u32, product: Product, waited: u32, found: &mut Found) {
        let pending = self.pending(number, waited);
        let unfenced = self.unfenced(number);
        if let Some(sum) = pending.filter(|other| other.accumulator) {
            add(found, sum.with(by_product(false)));
        } else if let Some(last) = unfenced.filter(|last| last.writes) {
            add(found, last.before(by_product(false), false));
        }
        self.record(number, product);
    }

    fn record(&mut self, number: u32, product: Product) {
        let last = Last {
            site: product.site,
            fence: self.fences,
            writes: product.accumulator,
            accumulates: product.accumulator.then_some(product.shape),
            product: true,
        };
        *self.get(number) = Register { product: Some(product), last: Some(last) };
    }
}

impl Product {
    /// Returns the pair of this product's access and a later one that is not behind its wait.
    const fn with(self, later: RegisterAccess) -> ProductRegister {
        let earlier = by_product(self.accumulator);
        let accumulator = self.accumulator;
        ProductRegister { first: Some(self.site), earlier, later, accumulator, unwaited: true }
    }
}

impl Last {
    /// Returns the pair of this access and a product's that is not behind a fence.
    const fn before(self, later: RegisterAccess, accumulator: bool) -> ProductRegister {
        let earlier = RegisterAccess { writes: self.writes, product: self.product };
        ProductRegister { first: Some(self.site), earlier, later, accumulator, unwaited: false }
    }
}
