//! `mma` of a sparse A and of narrow floats.

use super::collective::gather;
use super::frame::Parts;
use super::warpgroup::{read, write};
use super::{Failed, Run, Worker};
use crate::failure::FailureKind;
use crate::num::block_scaled::{Narrow, Scales};
use crate::num::matrix::Words;
use crate::num::sparse::{self, Sparse};
use crate::program::{CollectiveInst, MmaInst};
use events::{LaneMask, Observer};
use ptx::op::Op;

/// The values of an instruction's sources.
struct Sources {
    a: Vec<Words>,
    b: Vec<Words>,
    metadata: Option<Words>,
    /// Scale factors with their byte and threads: of A, and of B.
    scales: Option<[(Words, u32, u32); 2]>,
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn mma(
        &mut self,
        run: &mut Run<'_>,
        (inst, how): (&CollectiveInst, &MmaInst),
        parts: &Parts,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        let (of_c, more) = inst.c.split_at(how.accumulators);
        let mut d: Vec<Words> = of_c.iter().map(|&row| read(run, parts, row)).collect();
        let is_sparse = matches!(how.op, Op::Mma { sparse: true, .. });
        let (metadata, of_scales) = more.split_at(usize::from(is_sparse));
        let scales = of_scales.as_chunks::<3>().0.iter().map(|&[data, byte, thread]| {
            // All threads have the same selectors.
            let [byte, thread] = [byte, thread].map(|row| gather(run, parts, row, false)[0] as u32);
            (read(run, parts, data), byte, thread)
        });
        let scales: Vec<_> = scales.collect();
        let sources = Sources {
            scales: <[_; 2]>::try_from(scales).ok(),
            metadata: metadata.first().map(|&row| read(run, parts, row)),
            a: inst.a.iter().map(|&row| read(run, parts, row)).collect(),
            b: inst.b.iter().map(|&row| read(run, parts, row)).collect(),
        };
        if let Err(kind) = sources.multiply(how, &mut d) {
            return Err(self.fail(run, lanes, kind));
        }
        for (&row, words) in inst.d.iter().zip(&d) {
            write(run, parts, row, words);
        }
        Ok(())
    }
}

impl Sources {
    fn multiply(&self, how: &MmaInst, d: &mut [Words]) -> Result<(), FailureKind> {
        let a: Vec<&Words> = self.a.iter().collect();
        let b: Vec<&Words> = self.b.iter().collect();
        if let Some(narrow) = Narrow::of(&how.op) {
            let scales = self.scales.as_ref().map(|scales| {
                [0, 1].map(|i| Scales { data: &scales[i].0, byte: scales[i].1, thread: scales[i].2 })
            });
            if let Some(why) = scales.as_ref().and_then(|scales| narrow.fault(scales)) {
                return Err(FailureKind::IllegalInstruction { why: format!("mma with {why}") });
            }
            narrow.multiply((&a, &b), self.metadata.as_ref(), scales, d);
            return Ok(());
        }
        let done = match (Sparse::of(&how.op), &self.metadata) {
            (Some(product), Some(metadata)) => {
                let layout = (sparse::unit(product.mma.a), sparse::row_bytes(&a));
                let indices = sparse::indices(metadata, layout, how.selector);
                let columns: Vec<_> = (0..8).map(|n| sparse::column(&b, n)).collect();
                product.multiply(&a, &columns, &indices, d)
            }
            _ => false,
        };
        match done {
            true => Ok(()),
            false => Err(FailureKind::Unsupported { instruction: "mma of this shape and type".to_owned() }),
        }
    }
}
