//! Facts that the command line needs to read the records of instrumented kernels.

use events::task::HostCall;
use events::{Allocation, Proxy, SiteId};
use serde::{Deserialize, Serialize};

/// A file of records beside the result: memory that kernels write to while they run, so that whatever ends the
/// process leaves them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    /// Its name in the folder of results.
    pub file: String,
    /// Checks by number, which places their records.
    pub checks: Vec<Check>,
    /// Calls of the host that access memory themselves, as checks name them.
    #[serde(default)]
    pub calls: Vec<HostCall>,
    /// Memory that kernels may have accessed; later ones come last, and may lie where others lay.
    pub allocations: Vec<Allocation>,
}

/// A checked instruction, or what a call of the host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub site: SiteId,
    pub writes: bool,
    /// Size of an element, in bytes.
    pub size: u32,
    /// The proxy of the asynchronous operation that makes the access; `None` for an access of the thread itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asynchronous: Option<Proxy>,
    /// Which of [`Sink::calls`] it is, if it is no instruction: the site is that of the call, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// Whether the access is only possible: it stands for a kernel of which there is machine code only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub maybe: bool,
}

impl Check {
    /// Returns the check of a kernel's instruction.
    pub const fn of_instruction(site: SiteId, writes: bool, size: u32, asynchronous: Option<Proxy>) -> Check {
        Check { site, writes, size, asynchronous, call: None, maybe: false }
    }
}
