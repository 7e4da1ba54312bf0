//! Which bytes of a page a task's weak accesses have touched, all together.

use super::Run;

/// The bytes of a page that weak accesses have touched.
pub(crate) struct Coverage {
    touched: [u64; 64],
    written: [u64; 64],
}

impl Coverage {
    pub(crate) fn of(runs: &[Run]) -> Self {
        let mut out = Coverage { touched: [0; 64], written: [0; 64] };
        for run in runs.iter().filter(|r| !r.class.strong()) {
            for (word, mask) in words(run) {
                out.touched[word] |= mask;
                if run.class.writes() {
                    out.written[word] |= mask;
                }
            }
        }
        out
    }

    /// Like [`Run::covers`], by all runs together.
    pub(crate) fn covers(&self, old: &Run) -> bool {
        let bytes = if old.class.writes() { &self.written } else { &self.touched };
        words(old).all(|(word, mask)| bytes[word] & mask == mask)
    }
}

/// The run as words of a bitmap.
fn words(run: &Run) -> impl Iterator<Item = (usize, u64)> {
    let (from, to) = (usize::from(run.from), usize::from(run.to));
    (from / 64..to.div_ceil(64)).map(move |word| {
        let low = from.saturating_sub(word * 64);
        let high = (to - word * 64).min(64);
        (word, (u64::MAX << low) & (u64::MAX >> (64 - high)))
    })
}
