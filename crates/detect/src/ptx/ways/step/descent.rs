//! The general path of an access: word by word, line by line, and in cells what is left.

use super::Step;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::touches::{overlap, touches};
use crate::ptx::history::words::packing::Kind;
use crate::ptx::order::context::Context;
use crate::ptx::ways::pager::Pager;
use crate::ptx::ways::shape::{self, Runs, Strided};
use crate::ptx::ways::step::word_lanes::{counts, is_red_of_words, observed_by_words};
use events::{Access, LaneMask, is_one_lane};

/// The form in which an access comes to the lines.
struct Form {
    bytes: u64,
    /// One run of neighbouring lanes.
    whole: bool,
    /// Lanes that leave bytes out between them.
    strided: Option<Strided>,
}

impl Step<'_> {
    /// Judges an access. `differ` says that lanes that write equal bytes are a hazard and no race.
    pub(in crate::ptx) fn judge(
        &mut self,
        pager: &mut Pager<'_>,
        access: &Access<'_>,
        runs: &mut Runs,
        differ: bool,
    ) {
        let class = self.new.class;
        let form = Self::form(access, class, runs);
        let rest = match self.word_kind(access, class, &form) {
            Some(kind) => self.words(pager, access, (form.bytes, kind)),
            None => self.few_words(pager, access, class, &form),
        };
        if rest == access.mask {
            self.lines(pager, access, (&form, runs), differ.then_some(access));
        } else if rest != 0 {
            let part = Access { mask: rest, ..*access };
            self.lines(pager, &part, (&form, runs), differ.then_some(access));
        }
    }

    fn form(access: &Access<'_>, class: AccessClass, runs: &mut Runs) -> Form {
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let plain = class.is_plain();
        let whole = plain && shape::whole(access, bytes, runs);
        Form { bytes, whole, strided: if plain { shape::strided(access, bytes) } else { None } }
    }

    /// Returns the kind under which words keep an access, if it is one of those that go to words first.
    fn word_kind(&self, access: &Access<'_>, class: AccessClass, form: &Form) -> Option<Kind> {
        let (bytes, large) = (form.bytes, self.launch.is_large());
        let shift = if class.is_plain() {
            // In large launches words have no room for many threads that read the same.
            let scattered = !form.whole && form.strided.is_none() && shape::scattered(access, bytes, !large);
            scattered.then_some(bytes.trailing_zeros() as u8)
        } else {
            let relaxed = large && self.order.orderless && observed_by_words(access, class);
            let red = || large && !self.order.orderless && is_red_of_words(access, class);
            (relaxed || red() && !self.ends_releases()).then_some(2)
        };
        shift.map(|shift| Kind::new(access.site, class, shift))
    }

    /// Judges strided lanes line by line, and a single lane in its word. Returns the lanes that are left.
    fn few_words(
        &mut self,
        pager: &mut Pager<'_>,
        access: &Access<'_>,
        class: AccessClass,
        form: &Form,
    ) -> LaneMask {
        if let Some(strided) = &form.strided {
            self.strided(pager, strided, form.bytes, self.order.simple);
            return 0;
        }
        // A thread by itself comes back to the same words.
        if class.is_plain() && is_one_lane(access.mask) {
            let lane = access.mask.trailing_zeros();
            let done = self.word(pager, access.addresses[lane as usize], lane, form.bytes);
            return if done { 0 } else { access.mask };
        }
        access.mask
    }

    /// Judges runs of lanes line by line, counters by their lines, and everything else in cells. `differ` is the whole access, if
    /// what its lanes write is compared.
    fn lines(
        &mut self,
        pager: &mut Pager<'_>,
        access: &Access<'_>,
        (form, runs): (&Form, &mut Runs),
        differ: Option<&Access<'_>>,
    ) {
        let class = self.new.class;
        if form.whole || class.is_plain() && shape::split(access, form.bytes, runs) {
            self.runs(pager, runs, form.bytes, self.order.simple);
        } else if self.launch.shortcuts.tallies
            && self.order.simple
            && !self.order.observes()
            && counts(access, class)
        {
            let rest = self.atomics(pager, access);
            if rest != 0 {
                self.touches(pager, &touches(&Access { mask: rest, ..*access }, true));
            }
        } else {
            let touches = touches(access, class.strong());
            if let Some(whole) = differ
                && class.writes()
                && overlap(&touches)
            {
                self.differing = whole.differing();
            }
            self.touches(pager, &touches);
        }
    }
}
