//! Tests kernels instrumented by `guard`, on the virtual GPU: reports name both sides of a race, and ordered
//! accesses are not reported.

#[path = "../../../simt/tests/support/mod.rs"]
#[macro_use]
mod support;
mod barriers;
mod blocks;
mod called;
mod clusters;
mod copies;
mod fetches;
mod groups;
#[path = "../guardian/mod.rs"]
mod guardian;
mod launches;
mod linked;
mod products;
mod registers;
mod tensor;
mod texts;
#[path = "../toolkit/mod.rs"]
mod toolkit;
