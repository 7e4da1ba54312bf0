//! The text around an instruction that an additional table checks: its registers, or tensor memory.

use super::next;
use crate::Error;
use crate::collide::Check;
use crate::edit::Edits;
use events::SiteId;
use ptx::flat::FlatInstruction;

/// The text around an instruction, and the checks that it contains.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) before: String,
    pub(super) behind: String,
    /// Whether each of its checks, in the order of their numbers, is of a write.
    pub(super) checks: Vec<bool>,
}

impl Around {
    /// Inserts the text, and adds its checks to `checks`, the first of which has number `first`.
    pub(super) fn insert(
        self,
        inst: &FlatInstruction<'_>,
        site: SiteId,
        (checks, first): (&mut Vec<Check>, u32),
        edits: &mut Edits<'_>,
    ) -> Result<(), Error> {
        next(first, checks, self.checks.len())?;
        checks.extend(self.checks.iter().map(|&writes| Check::own(site, writes, 4)));
        edits.insert(inst.source.span.start, self.before);
        edits.insert_behind(inst.source.span.end, self.behind);
        Ok(())
    }
}
