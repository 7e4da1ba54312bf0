//! What a thread knows: the registers that it is in, which are a kernel's own.

/// Which thread this is, its counts of barriers with the launch's lane and number, and the clock at its last acquire; as in
/// a slot of the table.
pub(super) const WHO: &str = "who";
pub(super) const WHEN: &str = "when";
pub(super) const SEEN: &str = "seen";
/// Words that it has read strongly, a bit for each, which others may share.
pub(super) const OBSERVED: &str = "observed";
/// What the clock was when the launch began.
pub(super) const BEGUN: &str = "begun";
/// What the thread's last fence may release, once a flag is raised: as in `RELEASED`; 0 if there was none.
pub(super) const FENCED: &str = "fenced";
/// The blocks of which the flags told that the thread has read.
pub(super) const SOURCES: &str = "sources";
/// A predicate: has it read anything strongly?
pub(super) const READ: &str = "read";
/// Which flag the instruction has.
pub(super) const SPOT: &str = "spot";

/// Whom it may have met ([`super::meetings`]): lanes in the lower half, warps in the upper one.
pub(super) const MET: &str = "met";
/// The clock at the last acquire of another kind.
pub(super) const BASE: &str = "base";
/// Which entry of the table a barrier has.
pub(super) const KEY: &str = "key";

/// The guard of an instruction: its register, and whether it is negated.
pub(super) type Guard = Option<(String, bool)>;

/// What a scope of text may use.
pub(super) const REGISTERS: &str =
    "\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<4>;\n\t.reg .b64 %wr_a<3>, %wr_b;\n";

/// Skips the scope where the instruction does nothing.
pub(super) fn unless(guard: &Guard) -> String {
    match guard {
        Some((register, negated)) => {
            let opposite = if *negated { "" } else { "!" };
            format!("\t@{opposite}{register} bra $wr_end;\n")
        }
        None => String::new(),
    }
}
