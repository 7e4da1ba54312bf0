//! Register counts of kernels, and the block size that they allow.
//!
//! A multiprocessor has 65,536 registers of 32 bits, given to warps in units of 256, four warps at a time
//! (CUDA C++ Programming Guide, "Compute Capabilities"). A kernel with more than 64 registers a thread cannot
//! be launched with 1,024 threads a block.

use std::collections::HashMap;

const ALL: u32 = 65_536;
/// The registers that a thread may have.
const MOST: u32 = 255;
const MOST_THREADS: u32 = 1024;
const WARP: u32 = 32;

/// Parses the register count of each kernel from the output of `ptxas -v`.
pub(crate) fn used(said: &str) -> HashMap<String, u32> {
    let mut out = HashMap::new();
    let mut kernel = None;
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next();
        } else if let Some((_, rest)) = line.split_once("Used ")
            && let Some(kernel) = kernel.take()
            && let Some(count) = rest.split(' ').next().and_then(|n| n.parse().ok())
        {
            out.insert(kernel.to_owned(), count);
        }
    }
    out
}

/// Returns the maximum number of threads of a block for a register count.
fn threads(registers: u32) -> u32 {
    let warps = ALL / (registers.max(1).next_multiple_of(8) * WARP);
    (warps / 4 * 4 * WARP).min(MOST_THREADS)
}

/// Returns how many registers a thread may have if all kernels, which use so many alone, are to have as many threads as
/// alone.
pub(crate) fn limit(alone: impl Iterator<Item = u32>) -> u32 {
    match alone.map(threads).max() {
        Some(most @ 1..) => (ALL / most / 8 * 8).min(MOST),
        _ => MOST,
    }
}

/// Returns the registers that a kernel may have, from nvlink's message that a function which it calls uses more.
pub(crate) fn too_many(said: &str) -> Option<u32> {
    let (_, rest) = said.split_once("max regcount of ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns the text with a bound for each kernel that can have fewer threads than [`MOST_THREADS`] by the registers that
/// checks may take, but not fewer than `alone`; `None` if there is none.
pub(crate) fn bounded(text: &str, alone: &HashMap<String, u32>) -> Option<String> {
    let mut out = text.to_owned();
    for (kernel, count) in alone {
        let wanted = threads(*count);
        if threads(MOST) >= wanted {
            continue;
        }
        if let Some((at, body)) = header(&out, kernel)
            && ![".maxntid", ".reqntid", ".maxnreg"].iter().any(|bound| out[at..body].contains(bound))
        {
            out.insert_str(body, &format!(".maxntid {wanted}, 1, 1\n"));
        }
    }
    (out != text).then_some(out)
}

/// Returns the positions at which a kernel's name ends and its body begins.
fn header(text: &str, kernel: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = text[from..].find(".entry") {
        from += found + ".entry".len();
        let rest = text[from..].trim_start();
        let at = text.len() - rest.len() + kernel.len();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        if rest.starts_with(kernel) && !text[at..].starts_with(is_name) {
            return Some((at, at + text[at..].find('{')?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
        ptxas info    : Function properties for k\n    0 bytes stack frame\n\
        ptxas info    : Used 70 registers, used 1 barriers\n\
        ptxas info    : Compiling entry function 'k2' for 'sm_90'\n\
        ptxas info    : Used 24 registers\n";

    #[test]
    fn blocks_have_fewer_threads_that_take_more() {
        assert_eq!([24, 64, 65, 72, 128, 255].map(threads), [1024, 1024, 896, 896, 512, 256]);
    }

    #[test]
    fn kernels_keep_the_threads_that_they_could_have() {
        let used = used(SAID);
        assert_eq!((used["k"], used["k2"], used.len()), (70, 24, 2));
        let text =
            ".visible .entry k2(.param .u64 k)\n{ ret; }\n.visible .entry k(\n.param .u64 p\n)\n{ ret; }\n";
        let alone = |count| HashMap::from([("k".to_owned(), count)]);
        let of =
            |wanted: u32| text.replace(")\n{ ret; }\n", &format!(")\n.maxntid {wanted}, 1, 1\n{{ ret; }}\n"));
        let first = |bounded: String| bounded.replacen(bounded.split_inclusive('\n').nth(1).unwrap(), "", 1);
        assert_eq!(bounded(text, &alone(32)).unwrap(), first(of(1024)));
        assert_eq!(bounded(text, &alone(72)).unwrap(), first(of(896)));
        // The kernel without checks allows no more threads than those that take all registers.
        assert_eq!(bounded(text, &alone(250)), None);
        let told = text.replace("p\n)", "p\n)\n.maxntid 128, 1, 1");
        assert_eq!(bounded(&told, &alone(32)), None);
    }

    #[test]
    fn functions_have_the_registers_that_their_kernels_may_have() {
        let limits = [&[24, 32][..], &[72], &[200, 120], &[]].map(|alone| limit(alone.iter().copied()));
        assert_eq!(limits, [64, 72, 128, 255]);
        let said = "nvlink error   : entry function 'k' with max regcount of 40 calls function 'f' with regcount of 64";
        assert_eq!((too_many(said), too_many("nvlink error")), (Some(40), None));
    }
}
