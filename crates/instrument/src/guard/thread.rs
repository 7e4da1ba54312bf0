//! A thread's state, and the kernel's registers that contain it.

/// The thread's identity, its barrier counts with the launch's lane and number, and the clock at its last
/// acquire, each in the format of a slot of the table.
pub(super) const WHO: &str = "who";
pub(super) const WHEN: &str = "when";
pub(super) const SEEN: &str = "seen";
/// The words that it has read strongly, one bit for each hash value.
pub(super) const OBSERVED: &str = "observed";
/// The clock when the launch began.
pub(super) const BEGUN: &str = "begun";
/// The release of the thread's last fence, which takes effect when a flag is written, in the format of
/// `RELEASED`; 0 without a fence.
pub(super) const FENCED: &str = "fenced";
/// The union of the sets of the flags that the thread has read.
pub(super) const SOURCES: &str = "sources";
/// A predicate: whether it has read anything strongly.
pub(super) const READ: &str = "read";
/// The number of the flag that the instruction accesses.
pub(super) const SPOT: &str = "spot";

/// The threads with which it may have synchronised ([`super::meetings`]): lanes in the lower half, warps in
/// the upper one.
pub(super) const MET: &str = "met";
/// The clock at the last acquire by anything but a partial or named barrier.
pub(super) const BASE: &str = "base";
/// The number of a barrier's entry in the table.
pub(super) const KEY: &str = "key";

/// The guard of an instruction: its register, and whether it is negated.
pub(super) type Guard = Option<(String, bool)>;

/// The declarations of the registers that a scope of inserted text may use.
pub(super) const REGISTERS: &str =
    "\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<4>;\n\t.reg .b64 %wr_a<3>, %wr_b;\n";

/// Returns text that skips the scope if the instruction's guard is false.
pub(super) fn unless(guard: &Guard) -> String {
    match guard {
        Some((register, negated)) => {
            let opposite = if *negated { "" } else { "!" };
            format!("\t@{opposite}{register} bra $wr_end;\n")
        }
        None => String::new(),
    }
}
