//! The way to pages: which there are, and whether there may be more.

use crate::ptx::history::cell::Cell;
use crate::ptx::history::page::{PAGE, Page, Shadow};
use crate::ptx::launch::Launch;
use crate::ptx::ways::shared_shadow::SharedMemory;
use crate::shadow::{Bias, Guard, Opened};
use events::Space;
use std::sync::{Arc, Mutex};

/// Pages of a launch's global memory, or of a block's shared memory, one after the other.
pub(crate) enum Pager<'a> {
    Global { launch: &'a Launch, opened: Opened<'a, Page>, held: Option<(u64, Guard<'a, Page>)>, need: Need },
    Shared { shadow: &'a mut Shadow, need: Need },
}

/// The demand for pages, and whether one was refused.
#[derive(Debug)]
pub(crate) struct Need {
    /// To forget it could invent a race: it is remembered at any price.
    pub(crate) must: bool,
    /// Whether there may be new pages of shared memory.
    pub(crate) may: bool,
    pub(crate) refused: bool,
}

impl<'a> Pager<'a> {
    /// Opens the pages of `space`.
    pub(super) fn open(
        space: Space,
        need: Need,
        launch: &'a Launch,
        bias: &'a mut Bias,
        shared: &'a mut SharedMemory,
    ) -> Self {
        match space {
            Space::Global => Pager::Global { launch, opened: launch.global.open_by(bias), held: None, need },
            Space::Shared(owner) | Space::Tensor(owner) => {
                Pager::Shared { shadow: &mut shared.blocks.get_or(owner.0, Default::default).0, need }
            }
        }
    }
}

impl Pager<'_> {
    /// The page; none if it is of another detector's part of memory, if it was given up, or if it would be new and there is no
    /// memory for it.
    #[inline]
    pub(crate) fn page(&mut self, number: u64, grown: &mut usize) -> Option<&mut Page> {
        let room = PAGE as usize;
        let (page, need) = match self {
            Pager::Global { launch, need, .. } if !need.must && !launch.follows(number) => return None,
            Pager::Global { launch, opened, held, need } => {
                let may = || {
                    let may = need.must || launch.memory.may_grow();
                    *grown += if may { room } else { 0 };
                    may
                };
                let page = match opened {
                    Opened::Own(table) => table.as_mut().and_then(|table| table.page_mut(number, may)),
                    Opened::Shared(table) => {
                        if held.as_ref().is_none_or(|h| h.0 != number) {
                            // Never two locks at once.
                            *held = None;
                            *held = table.page_if(number, may).map(|page| (number, page));
                        }
                        held.as_mut().map(|(_, page)| &mut **page)
                    }
                };
                let page = page.and_then(|page| {
                    if page.is_none() && need.must {
                        *grown += room;
                        *page = Some(Box::new(Page::given_up()));
                    }
                    page.as_deref_mut()
                });
                (page, need)
            }
            Pager::Shared { shadow, need } => {
                let page = shadow.page_if(number, || {
                    let may = need.must || need.may;
                    *grown += if may { room } else { 0 };
                    may
                });
                (page, need)
            }
        };
        let page = page.filter(|page| need.must || !page.given_up);
        need.refused |= page.is_none();
        page
    }

    /// Returns a page of global memory that no other worker reaches, if there is one already.
    pub(crate) fn own(&mut self, number: u64) -> Option<&mut Page> {
        let Pager::Global { opened: Opened::Own(own), .. } = self else { return None };
        own.as_mut()?.page_mut(number, || false)?.as_deref_mut().filter(|page| !page.given_up)
    }

    /// Returns whether another worker has entered the launch's global memory, too.
    pub(crate) fn shared(&self) -> bool {
        matches!(self, Pager::Global { opened: Opened::Shared(_), .. })
    }

    pub(crate) fn refused(&self) -> bool {
        match self {
            Pager::Global { need, .. } | Pager::Shared { need, .. } => need.refused,
        }
    }

    /// A cell by its number among all, if there is memory for its page. The page is let go.
    pub(crate) fn cell(&mut self, number: u64, grown: &mut usize) -> Option<Arc<Mutex<Cell>>> {
        let cell = Arc::clone(self.page(number >> 8, grown)?.cell(number as usize, grown));
        if let Pager::Global { held, .. } = self {
            *held = None;
        }
        Some(cell)
    }
}
