//! What the threads of a finding did, told from a record of the run.
//!
//! A record is [walked](mod@walk) a few times: to find when the finding was made ([`locate`]; `explain` has a way of its own), to
//! find by which memory its threads may [`meet`] and who else uses that, and what all of them did ([`mod@tell`]). [`crowd`] does so
//! for many findings at once, and [`drawn`] makes of each story what reports have.

mod crowd;
mod drawn;
mod found;
mod locate;
mod meet;
mod parts;
mod tell;
mod walk;
mod words;

pub(crate) use drawn::interleavings;
pub(crate) use found::Found;
pub(crate) use parts::{Place, Step, Story, What, Who};
#[cfg(test)]
pub(crate) use walk::Thread;
pub(crate) use walk::{Tables, Walk, walk};

use meet::{Actors, Shared};
use std::path::Path;
use tell::Teller;

/// The story of one finding, all of it.
pub(crate) fn tell(trace: &Path, found: &Found) -> Result<Story, String> {
    let (shared, ..) = walk(trace, Shared::new(found))?;
    let (actors, ..) = walk(trace, Actors::new(shared))?;
    let (teller, ..) = walk(trace, Teller::new(actors, usize::MAX / 2))?;
    Ok(teller.story())
}
