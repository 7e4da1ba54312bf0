//! Kernels that guard their memory, on the virtual GPU: races are told with both sides, and what is ordered is not.

#[path = "../../../simt/tests/support/mod.rs"]
#[macro_use]
mod support;
mod barriers;
mod blocks;
mod called;
mod copies;
#[path = "../guardian/mod.rs"]
mod guardian;
mod launches;
mod texts;
#[path = "../toolkit/mod.rs"]
mod toolkit;
