//! Scattered writes that are judged one access later.
//!
//! What is kept of unrelated words is far away, and a warp that asks for it has to wait for it. So the writes of a whole warp, where
//! their pages have nothing but writes, are only noted, and what they will find there is fetched. They are judged once the next such
//! access of the same instruction has been noted, or before anything else happens: nobody sees another order.

use super::LaunchState;
use super::scattered::accessor;
use crate::ptx::access::class::AccessClass;
use crate::ptx::history::spread::{later, now};
use crate::ptx::history::words::packing::Packed;
use crate::shadow::Later;
use events::{Access, LaneMask, Written};

/// The access that waits, if there is one.
#[derive(Debug, Default)]
pub(super) struct Late {
    waits: Option<Box<Noted>>,
    /// For the next one.
    spare: Option<Box<Noted>>,
}

#[derive(Debug)]
struct Noted {
    /// But for the addresses.
    access: Access<'static>,
    addresses: [u64; 32],
    /// The words that the lanes stored, if the access has them.
    words: Option<[u32; 32]>,
    class: AccessClass,
    /// The packed access of the first lane.
    new: Packed,
    places: Later,
}

static NOWHERE: [u64; 32] = [0; 32];

impl Noted {
    fn access(&self) -> Access<'_> {
        let written = self.words.as_ref().map_or(self.access.written, |words| Written::Bytes(words));
        Access { addresses: &self.addresses, written, ..self.access }
    }
}

impl Late {
    #[inline(always)]
    pub(super) fn waits(&self) -> bool {
        self.waits.is_some()
    }

    /// Returns the record for the next one.
    #[inline(always)]
    fn next(&mut self, access: &Access<'_>, class: AccessClass, new: Packed) -> Box<Noted> {
        let (written, words) = match access.written {
            Written::Bytes(bytes) => match bytes.words() {
                Some(words) => (Written::Unknown, Some(*words)),
                None => (Written::Differing(access.differing()), None),
            },
            Written::Differing(lanes) => (Written::Differing(lanes), None),
            Written::Unknown => (Written::Unknown, None),
        };
        let kept = Access { addresses: &NOWHERE, values: None, written, ..*access };
        match self.spare.take() {
            Some(mut noted) => {
                (noted.access, noted.words, noted.class, noted.new) = (kept, words, class, new);
                noted
            }
            None => {
                Box::new(Noted { access: kept, addresses: NOWHERE, words, class, new, places: Later::NONE })
            }
        }
    }
}

impl LaunchState {
    /// Notes a write that [is scattered](LaunchState::is_scattered), if it can be judged later; none may wait.
    #[inline]
    pub(super) fn note(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        if !may_wait(access, class) {
            return false;
        }
        let Some(new) = self.packed(access, class) else { return false };
        let mut noted = self.late.next(access, class, new);
        let (own, places) = (&mut self.bias, &mut noted.places);
        let is = self.launch.global.with_own(own, |own| later(own, access.addresses, places)) == Some(true);
        if is {
            noted.addresses = *access.addresses;
            self.late.waits = Some(noted);
        } else {
            self.late.spare = Some(noted);
        }
        is
    }

    /// Notes another access by the instruction of the one that waits, if it is such a one, too, and judges that. False if not; then
    /// nothing has happened.
    #[inline]
    pub(super) fn goes_on(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        let Some(before) = &self.late.waits else { return false };
        if access.site != before.access.site
            || class != before.class
            || !may_wait(access, class)
            || !self.is_scattered(access)
        {
            return false;
        }
        let Some(new) = self.packed(access, class) else { return false };
        let mut noted = self.late.next(access, class, new);
        let Some(before) = self.late.waits.take() else { return false };
        let (own, places) = (&mut self.bias, &mut noted.places);
        let done = self.launch.global.with_own(own, |own| {
            later(own, access.addresses, places).then(|| now(own, &before.places, before.new))
        });
        let Some(Some(done)) = done else {
            (self.late.waits, self.late.spare) = (Some(before), Some(noted));
            return false;
        };
        noted.addresses = *access.addresses;
        self.late.waits = Some(noted);
        self.is_judged(before, done);
        true
    }

    /// Judges the access that waits.
    #[inline(always)]
    pub(in crate::ptx) fn judge_late(&mut self) {
        if self.late.waits() {
            self.judge_noted();
        }
    }

    fn judge_noted(&mut self) {
        let Some(noted) = self.late.waits.take() else { return };
        let own = &mut self.bias;
        let done = self.launch.global.with_own(own, |own| now(own, &noted.places, noted.new)).flatten();
        self.is_judged(noted, done);
    }

    /// Judges the lanes of an access that were not `done`, which is none if nothing has happened.
    #[inline(always)]
    fn is_judged(&mut self, noted: Box<Noted>, done: Option<LaneMask>) {
        if done != Some(LaneMask::MAX) {
            self.judge_rest(&noted, done);
        } else if self.bound.is_some() {
            self.remembered(&noted.access(), 0);
        }
        self.late.spare = Some(noted);
    }

    #[cold]
    fn judge_rest(&mut self, noted: &Noted, done: Option<LaneMask>) {
        let access = noted.access();
        let left = self.spread_out(&access, noted.class, done);
        if left != 0 {
            self.judge(&Access { mask: left, ..access }, noted.class);
        }
    }

    /// The access of a warp's first lane, as its threads are now.
    #[inline(always)]
    fn packed(&mut self, access: &Access<'_>, class: AccessClass) -> Option<Packed> {
        let packing = self.launch.packing.as_ref()?;
        let by = accessor(packing, &self.blocks, &mut self.kinds, &self.order, access, class)?;
        Some(by.of_lane(0))
    }
}

/// Lanes in a row that are in one page the processor is at many at a time by itself.
#[inline(always)]
fn may_wait(access: &Access<'_>, class: AccessClass) -> bool {
    let write = class.writes() && !class.strong() && class.is_plain();
    let apart = access.addresses[0] >> 12 != access.addresses[1] >> 12;
    write && apart && access.mask == LaneMask::MAX && access.values.is_none()
}
