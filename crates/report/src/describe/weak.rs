//! Values of executions with weak memory.

use super::words::coordinates;
use super::{Context, located};
use crate::model::{Access, WeakExecution};
use names::symbol;
use protocol::{WeakAccess, WeakKind, WeakOutcome};

impl Context<'_> {
    pub(super) fn weak(&self, outcome: &WeakOutcome) -> WeakExecution {
        let WeakOutcome { kind, bytes, .. } = *outcome;
        let mut first = self.party(outcome, &outcome.missed);
        let mut second = self.party(outcome, &outcome.access);
        let values = [
            number(outcome.missed.value, bytes, &first.instruction),
            number(outcome.access.value, bytes, &second.instruction),
        ];
        let [missed, value] = &values;
        let kernel = symbol::abridged(&symbol::short(&outcome.kernel)).into_owned();
        first.what = format!("wrote {missed}");
        let verb = if kind == WeakKind::OvertakenWrite { "wrote" } else { "read" };
        second.what = format!("{verb} {value}");
        let title = match kind {
            WeakKind::StaleRead => {
                format!("kernel `{kernel}` read {value}, although {missed} had been written")
            }
            WeakKind::OvertakenWrite => {
                format!("kernel `{kernel}` wrote {value} after {missed}, and {missed} stayed")
            }
            WeakKind::EarlyRead => {
                format!(
                    "kernel `{kernel}` read {value} before it was written, because of what followed the read"
                )
            }
        };
        if kind == WeakKind::EarlyRead {
            first.what = format!("wrote {missed} later, after it had seen what the reading thread did next,");
        }
        WeakExecution {
            kind: kind.name().into(),
            title,
            memory: match (&outcome.allocation, outcome.shared) {
                (_, true) => format!("{bytes} bytes of shared memory at {:#x}", outcome.address),
                (Some(a), _) => {
                    let offset = outcome.address - a.base;
                    format!("byte {offset} of {} bytes of {}", a.bytes, self.owner(a))
                }
                (None, _) => format!("{bytes} bytes at {:#x}", outcome.address),
            },
            accesses: [first, second],
            values,
            why: match kind {
                WeakKind::StaleRead if outcome.proxies => STALE_PROXY,
                WeakKind::StaleRead => STALE,
                WeakKind::OvertakenWrite => OVERTAKEN,
                WeakKind::EarlyRead => EARLY,
            }
            .into(),
            help: match kind {
                _ if outcome.proxies => HELP_PROXY,
                WeakKind::EarlyRead => HELP_EARLY,
                _ => HELP,
            }
            .into(),
            executions: outcome.executions,
            replay: (self.run.replay)(self.result, &outcome.replay),
            replay_string: outcome.replay.clone(),
        }
    }

    fn party(&self, outcome: &WeakOutcome, access: &WeakAccess) -> Access {
        let mut at = located(self.site(Some(access.site)));
        at.kernel = symbol::full(&outcome.kernel);
        at.size = outcome.bytes.into();
        let (block, thread) = (access.block, access.thread);
        at.block = Some([block.x, block.y, block.z]);
        at.thread = Some([thread.x, thread.y, thread.z]);
        at.who = format!("thread {} of block {}", coordinates(thread), coordinates(block));
        at
    }
}

const STALE: &str = "no interleaving of the threads' instructions gives this value; the PTX model allows it, because \
                     (1) does not precede (2) in causality order (PTX §8.10.6)";

const STALE_PROXY: &str = "no interleaving of the threads' instructions gives this value; the PTX model allows it, \
                           because (1) and (2) reach memory by different proxies and no proxy fence orders them \
                           (PTX §8.6, §8.9.5)";

const OVERTAKEN: &str = "no interleaving of the threads' instructions leaves this value; the PTX model allows it, \
                         because (1) does not precede (2) in causality order (PTX §8.10.1)";

const EARLY: &str = "in every interleaving (2) precedes (1), by the reading thread's later writes and what others read of \
                     them; the PTX model allows the value, because (2) does not precede (1) in causality order \
                     (PTX §8.10.6) and no value depends on itself (PTX §8.10.4)";

const HELP_EARLY: &str = "threads that each read one location and then write the other's need `__threadfence()` between \
                          the two in all of them, or release writes and acquire reads";

const HELP_PROXY: &str = "between a generic access and an asynchronous copy of the same bytes stands \
                          `fence.proxy.async`, by the writer behind its writes or by the thread that issues the copy; no fence \
                          orders a write before a read through the read-only path, a texture or a surface of the same kernel";

const HELP: &str = "a message needs a release by its sender and an acquire by its receiver; threads that each write \
                    one location and then access the other's need `__threadfence()` between the two, in all of them";

/// Returns a value as the instruction's type shows it.
fn number(value: u64, bytes: u8, instruction: &str) -> String {
    let of = |ty: &str| instruction.contains(ty);
    let shift = 64 - 8 * u32::from(bytes.clamp(1, 8));
    if bytes == 4 && of(".f32") {
        f32::from_bits(value as u32).to_string()
    } else if bytes == 8 && of(".f64") {
        f64::from_bits(value).to_string()
    } else if of(".s32") || of(".s64") || of(".s16") || of(".s8") {
        ((value << shift) as i64 >> shift).to_string()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_the_instruction() {
        assert_eq!(number(0x3f80_0000, 4, "st.global.f32 [%rd1], %f1;"), "1");
        assert_eq!(number(0xffff_ffff, 4, "ld.global.s32 %r1, [%rd1];"), "-1");
        assert_eq!(number(0xffff_ffff, 4, "ld.global.u32 %r1, [%rd1];"), "4294967295");
        assert_eq!(number(7, 8, "ld.global.b64 %rd2, [%rd1];"), "7");
    }
}
