//! Applies every operation on traces to arbitrary bytes.

use detect::lens::{Serial, Shard};
use detect::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::Listener;
use trace::{Audience, Deal};

/// Plays the bytes as a trace in all ways. No input may cause a panic or unbounded allocation, and what is
/// read does not depend on the listener.
pub(crate) fn exercise(chunks: &[Vec<u8>]) {
    let file = trace::seal(chunks).expect("compression into memory works");
    let ptx = || PtxMonitor::new(PtxOptions { max_shadow_bytes: Some(64 << 20), ..PtxOptions::default() });
    let alone = ptx();
    let (played, result) = trace::play(file.as_slice(), &alone);
    let told = format!("{result:?}");
    drop((alone.findings(), alone.account()));
    let same = |audience: &[&dyn Audience], deal| {
        let (heard, result) = trace::play_together(file.as_slice(), audience, deal);
        assert_eq!((&heard[0].played, format!("{result:?}")), (&played, told.clone()));
    };
    same(&[&ptx(), &ptx()], Deal::Blocks);
    for name in names::lens::SERIAL {
        let lens = |shard| {
            let mut lens = named::build(name).expect("a lens of this name");
            lens.restrict(shard);
            Serial::new(lens)
        };
        let lenses: Vec<_> = Shard::all(2).map(lens).collect();
        same(&[&lenses[0], &lenses[1], &ptx()], Deal::Everything);
        for lens in &lenses {
            drop((lens.findings(), lens.account()));
        }
    }
}
