//! Reports accesses of registers of matrix products that no wait and no fence orders; [`fragments`](super::fragments) has the
//! rules.

use super::fragments::{Found, Product, by_product, plain};
use super::warpgroup::place;
use super::{Run, Worker};
use crate::program::{Touch, WgmmaInst};
use events::{LaneMask, Misuse, Observer, ProductRegister};

impl<O: Observer> Worker<'_, O> {
    /// Records what the next instruction does with registers of products, and reports what breaks a rule.
    #[inline(never)]
    pub(super) fn touch_registers(&mut self, run: &Run<'_>, touches: &[Touch], active: LaneMask) {
        if active == 0 || !self.s.observer.active() {
            return;
        }
        let (index, member) = place(run.warp.index);
        let site = self.event_site(run.pc);
        let whole = active == run.warp.alive;
        let Some(block) = self.block(run.slot) else { return };
        let member = &mut block.warpgroup(index).members[member];
        let (registers, waited) = (&mut member.registers, member.waited);
        let mut found = Found::new();
        for touch in touches {
            match touch {
                Touch::Read(number) => registers.access(*number, false, (site, waited), &mut found),
                Touch::Write(number) => registers.access(*number, true, (site, waited), &mut found),
                Touch::Copy { to, from } => registers.copy((*to, from), whole, waited, &mut found),
            }
        }
        found.into_iter().for_each(|pair| self.misuse(run, active, Misuse::ProductRegister(pair)));
    }

    /// Records a product's accesses to its registers, and reports what breaks a rule.
    pub(super) fn product_registers(&mut self, run: &Run<'_>, how: &WgmmaInst, lanes: LaneMask) {
        if !self.s.observer.active() {
            return;
        }
        let (index, member) = place(run.warp.index);
        let site = self.event_site(run.pc);
        let Some(block) = self.block(run.slot) else { return };
        let member = &mut block.warpgroup(index).members[member];
        let (registers, waited, group) = (&mut member.registers, member.waited, member.committed);
        let shape = (how.product.n, how.product.k);
        let mut found = Found::new();
        let reads = Product { site, group, accumulator: false, shape };
        how.a.iter().for_each(|&number| registers.multiply(number, reads, waited, &mut found));
        let sums = Product { site, group, accumulator: true, shape };
        how.d.iter().for_each(|&number| registers.accumulate(number, sums, waited, &mut found));
        if registers.fences == 0 && found.is_empty() {
            let (earlier, later) = (plain(true), by_product(true));
            let (first, accumulator) = (None, true);
            found.push(ProductRegister { first, earlier, later, accumulator, unwaited: false });
        }
        found.into_iter().for_each(|pair| self.misuse(run, lanes, Misuse::ProductRegister(pair)));
    }

    pub(super) fn wgmma_fence(&mut self, run: &Run<'_>) {
        let (index, member) = place(run.warp.index);
        let Some(block) = self.block(run.slot) else { return };
        block.warpgroup(index).members[member].registers.fences += 1;
    }
}
