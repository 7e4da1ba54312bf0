//! `st.bulk`: shared memory is filled with zeros (PTX §9.7.9.14).

use super::Worker;
use crate::exec::{Failed, Run};
use crate::failure::FailureKind;
use crate::program::Address;
use events::{AccessKind, Observer, Proxy, Space, Strength};

impl<O: Observer> Worker<'_, O> {
    /// Executes `st.bulk` of a lane: a weak store.
    pub(super) fn fill(
        &mut self,
        run: &mut Run<'_>,
        dst: &Address,
        bytes: u64,
        lane: usize,
    ) -> Result<(), Failed> {
        if !bytes.is_multiple_of(8) || bytes > 1 << 24 {
            let why = format!("`st.bulk` of {bytes} bytes, no multiple of 8 up to 2^24");
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        let to = self.range(run, dst, lane, bytes as u32, 8, true)?;
        if bytes > 0 && !matches!(to.space, Some(Space::Shared(_))) {
            let why = "`st.bulk` to memory that is not shared".to_owned();
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        // SAFETY: `range` checked the range.
        unsafe { std::ptr::write_bytes(to.host, 0, bytes as usize) };
        let Some(space) = to.space else { return Ok(()) };
        // Events of at most 8 elements of 8 bytes: traces have no more.
        for at in (0..bytes).step_by(64) {
            let mut addresses = [0; 32];
            addresses[lane] = to.address + at;
            let elements = ((bytes - at) / 8).min(8) as u8;
            let how = (Proxy::Generic, Strength::Weak);
            self.async_row(run, (1 << lane, &addresses), space, (8, elements), AccessKind::Write, how);
        }
        Ok(())
    }
}
