//! Tells from a trace what the threads of a finding did.
//!
//! A trace is [read](mod@walk) several times: to find the event of the finding ([`locate`]; `explain` has its
//! own way), to find the memory through which its threads may synchronise ([`synchronisation`]) and which other threads
//! use it, and to collect their steps ([`mod@tell`]). [`crowd`] does so for many findings at once, and
//! [`drawn`] converts each story to the form of reports.

mod crowd;
mod drawn;
mod locate;
mod located;
mod model;
mod synchronisation;
mod tell;
mod walk;
mod words;

pub(crate) use drawn::interleavings;
pub(crate) use located::Found;
pub(crate) use model::{Place, Step, Story, What, Who};
#[cfg(test)]
pub(crate) use walk::Thread;
pub(crate) use walk::{Tables, Walk, walk};

use std::path::Path;
use synchronisation::{Actors, Shared};
use tell::Teller;

/// Returns the whole story of one finding.
pub(crate) fn tell(trace: &Path, found: &Found) -> Result<Story, String> {
    let (shared, ..) = walk(trace, Shared::new(found))?;
    let (actors, ..) = walk(trace, Actors::new(shared))?;
    let (teller, ..) = walk(trace, Teller::new(actors, usize::MAX / 2))?;
    Ok(teller.story())
}
