//! mbarrier objects: phases, and what arrivals release to who waits for them.

/// The objects of one launch.
#[derive(Debug, Default)]
pub(crate) struct Objects {}
