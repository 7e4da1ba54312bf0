//! The history of a location: which earlier accesses a later one may race with.
//!
//! A [`page`] has 32 lines ([`line`](mod@line)) of 128 bytes. Each line keeps its history in one form: warp epochs ([`stamps`]), word
//! epochs ([`words`]), a [`tally`], asynchronous [`copies`], or exact [cells](cell). `design.md`
//! draws the changes from one form to another, and [`witnesses`] states which accesses a form may drop.

pub(super) mod cell;
pub(super) mod copies;
pub(super) mod line;
pub(super) mod page;
pub(super) mod spread;
pub(super) mod stamp;
pub(super) mod stamps;
pub(super) mod tally;
pub(super) mod tensor;
pub(super) mod witnesses;
pub(super) mod words;
