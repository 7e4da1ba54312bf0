//! An operational weak memory of PTX: the writes that each read may return.
//!
//! The memory keeps, for each location, the history of its writes in coherence order. A read chooses one of
//! the writes that PTX §8.10 allows it to observe, and a write chooses its place in coherence order, so that
//! one run of a kernel is one execution of the axiomatic model that need not be an interleaving. An engine
//! reports each scalar access to [`Memory`] in the order in which it runs them, and each [`events::Sync`].
//!
//! # The rules
//!
//! Every thread has a vector clock of its base causality order (§8.9.5), which fences, barriers and
//! synchronising observations raise. An operation may follow a write in causality order in two ways: the
//! write is in the thread's clock, or a read that observed the write is. With that:
//!
//! * a read observes no write that precedes, in coherence order, a write in its causal past (§8.10.6);
//! * a write follows every write in its causal past in coherence order (§8.10.1);
//! * no write that is morally strong with a read-modify-write lies between the write that it observes and its
//!   own (§8.10.3).
//!
//! These rules imply SC per location (§8.10.5): morally strong communication edges never lead back in
//! coherence order, nor does program order between two that are attached to it, by the first two rules.
//!
//! # Proxies
//!
//! Causality order relates accesses through different proxies, or by different virtual addresses, only behind
//! proxy fences (§8.9.5). A clock therefore has a part for each [crossing](path) of proxies: the events behind
//! which its fences have been. Accesses by different paths are never morally strong.
//!
//! # Late accesses
//!
//! A thread may pass a read or a read-modify-write, and perform it behind later accesses (load buffering):
//! [`postpone`] holds the rules. No value depends on itself (§8.10.4), because an access is performed before the
//! first instruction that uses its value.
//!
//! # Guarantee and deviations
//!
//! Every run is a consistent execution; tests compare it with crate `oracle`. The reverse has these limits:
//!
//! * An instruction that uses a late value, and all instructions behind it, wait for that value: a write whose
//!   value or guard is late is not passed by later ones.
//! * A late strong read or read-modify-write precedes later accesses of its location by its own thread, and by
//!   threads that know it. The axioms relate fewer of those that race.
//! * Read-modify-writes, and strong reads of all threads but one, find all writes to a location ordered,
//!   although §8.9.6 relates only some of those that race.
//! * A history keeps its newest [`history::KEPT`] writes.
//! * A write to bytes that are also accessed in smaller sizes comes last in coherence order, and an access of
//!   several pieces is never late.
//! * An asynchronous copy moves its bytes when it completes, and a copy follows the 32nd one before it of the
//!   same thread.
//! * Other synchronisation (tensor copies, reductions, matrix products) makes everything written so far visible
//!   to all threads, which is stronger than PTX requires; [`stronger`] names what an execution met.
//!
//! # Modules
//!
//! * [`memory`]: locations, reads, writes, read-modify-writes.
//! * [`postpone`]: accesses that are performed behind later ones; [`late`]: one of them.
//! * [`operation`]: what accesses are; `access`: their effects.
//! * [`history`]: the writes to one location, and the choices that the rules leave; `write`: one of them;
//!   `coherence`: their order; `pieces`: accesses of the same bytes in several sizes.
//! * [`path`]: the proxies and virtual addresses by which accesses reach memory; [`known`]: the clocks that
//!   follow proxy fences.
//! * [`thread`]: a thread's clocks; [`message`]: the clocks that a write publishes.
//! * [`sync`]: fences and barriers; `meetings`: their state; `mbarriers`: mbarrier objects; [`copies`]:
//!   asynchronous copies. [`choose`]: which choice is made.
//! * [`outcome`]: values that no interleaving explains; [`stronger`]: what is not modelled.

mod access;
pub mod choose;
mod coherence;
pub mod copies;
pub mod history;
pub mod known;
pub mod late;
mod mbarriers;
mod meetings;
pub mod memory;
pub mod message;
pub mod operation;
pub mod outcome;
pub mod path;
mod pieces;
pub mod postpone;
pub mod stronger;
pub mod sync;
pub mod thread;
mod write;

pub use choose::{Choose, Seeded};
pub use known::ProxyFence;
pub use late::Ticket;
pub use memory::Memory;
pub use operation::{Operation, Place, Updated};
pub use outcome::{Kind, Outcome};
pub use path::{Path, Proxy};
pub use postpone::{Next, Postponed};
pub use stronger::Stronger;
pub use thread::ThreadId;
