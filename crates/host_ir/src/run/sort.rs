//! `std::sort` of integers in the host's memory.

use super::memory;
use super::state::State;
use super::{Machine, Value};
use crate::eval::unsigned;
use crate::prepare::Sorted;

/// Words of an array that are sorted; those of a larger one are forgotten.
const MOST_WORDS: u64 = 1 << 20;

impl<'a> Machine<'_, 'a> {
    /// Sorts the words between two addresses. If not all are known, none is known afterwards.
    pub(super) fn sort(&mut self, state: &mut State<'a>, of: Sorted, arguments: &[Value]) {
        let unknown = Value::Unknown;
        let at = arguments.first().unwrap_or(&unknown);
        let sorted = arguments.get(1).and_then(|end| self.sorted(state, of, at.number()?, end.number()?));
        if sorted.is_none() {
            self.written(state, at);
        }
    }

    fn sorted(&mut self, state: &mut State<'a>, of: Sorted, from: i64, to: i64) -> Option<()> {
        let ((id, _), (other, _)) = (memory::object(from as u64)?, memory::object(to as u64)?);
        let bytes = u64::try_from(to.checked_sub(from)?).ok()?;
        let (size, count) = (i64::from(of.bytes), bytes / u64::from(of.bytes));
        if id != other || count > MOST_WORDS {
            return None;
        }
        self.steps = self.steps.saturating_sub(count);
        let places = || (0..count as i64).map(|n| from + n * size);
        let mut words: Vec<i64> =
            places().map(|at| state.read(at, of.bytes).number()).collect::<Option<_>>()?;
        words.sort_by_key(|&word| match of.is_signed {
            true => i128::from(word),
            false => unsigned(i128::from(word), 8 * of.bytes),
        });
        if of.descends {
            words.reverse();
        }
        for (at, word) in places().zip(words) {
            state.write(at, of.bytes, &Value::Number(word))?;
        }
        Some(())
    }
}
