//! Tests kernels instrumented by `guard`, on the virtual GPU: reports name both sides of a race, and ordered
//! accesses are not reported.

mod barriers;
mod blocks;
mod called;
mod clusters;
mod copies;
mod fetches;
mod groups;
mod launches;
mod linked;
mod products;
mod registers;
mod tensor;
mod texts;
