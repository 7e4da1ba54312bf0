//! Prefetches the history of the address that a warp will access next.
//!
//! A warp's loops take it from page to page, and what is known of each lies elsewhere in memory. Instructions go on by the
//! step that they made last as a rule: where that leads is fetched while other things are done. A wrong guess costs nothing
//! but the look.

use crate::ptx::history::page::Page;
use crate::shadow::Own;
use events::SiteId;

/// Instructions whose last places are known: their numbers, modulo this.
const SITES: usize = 64;

/// Pages from which on they are not all near anyway.
const MANY: usize = 64;

/// The last places of instructions.
#[derive(Debug)]
pub(crate) struct Ahead([u64; SITES]);

impl Default for Ahead {
    fn default() -> Self {
        Ahead([0; SITES])
    }
}

impl Ahead {
    /// An instruction is at `address`: has what it will look at next fetched.
    #[inline(always)]
    pub(crate) fn look(&mut self, site: SiteId, address: u64, own: &Own<Page>) {
        if own.len() < MANY {
            return;
        }
        let last = std::mem::replace(&mut self.0[site.0 as usize % SITES], address);
        let next = address.wrapping_add(address.wrapping_sub(last));
        if let Some(page) = own.place(next >> 12).and_then(|place| own.look(place)) {
            page.expect_line(next);
        }
    }
}
