//! The other side of a race of a launch, if that is no thread of it: a launch, a copy, a memset or the host, which nothing
//! orders with it.

use events::Site;
use snapshot::Launch;

/// The other side of a race of a launch.
#[derive(Clone, Debug)]
pub(super) enum Beside {
    Launch {
        launch: Launch,
        /// Whether it is in the stream of the other launch and may begin before that has ended.
        programmatic: bool,
    },
    Touch(Touch),
}

/// An access of the host or of a copy.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) kind: Toucher,
    /// The C name of the call; empty for the host's own instructions.
    pub(super) api: String,
    pub(super) site: Site,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) write: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toucher {
    /// A copy to the host or from it.
    Copy,
    Fill,
    /// The host's own instructions.
    Host,
}
