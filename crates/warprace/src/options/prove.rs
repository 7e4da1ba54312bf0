//! Options of `warprace prove`.

use super::{Outputs, Volatile};
use crate::exit;
use clap::Args;
use names::Filter;
use std::ffi::OsString;
use std::path::PathBuf;

const ANSWERS: &str = "\
Answers, one for each kernel:
  proved    no launch that satisfies the listed assumptions has a race between its own accesses;
            with host code: no launch that it makes, whatever the program is given
  proved for the run without arguments, proved on conditions
            no launch of that part of what the host code can make
  race      the virtual GPU ran a launch that has one; it is reported as `run` does
  race (in a launch that was not seen)
            the same, but no known host code makes that launch: a lower level
  unknown   neither; the pairs of accesses that are left say why

Assumptions (--assume, may be repeated):
  '[KERNEL:] RELATION && RELATION …'   KERNEL is a part of its name; for all kernels without it
  relations compare sums and products of numbers, blockDim.x, gridDim.y, argN (the N-th parameter, from 0)
  and names of parameters in PTX, with < <= > >= == !=; `%` takes a remainder
  permutation(a): all elements of the array a are different (words of 32 or 64 bits, as the kernel reads them)
  monotone(a): none of its elements is smaller than the one before it, as signed numbers
  Different pointer parameters are taken to be different arrays, which no access leaves.";

const EXAMPLES: &str = "\
Examples:
  warprace prove kernels.ptx
  warprace prove --block 256 ./app
  warprace prove -- nvcc -arch=sm_90 -o app app.cu
  warprace prove -p build/compile_commands.json
  warprace run --facts launches.json -- ./app && warprace prove --facts launches.json ./app
  warprace prove --kernel-name kne=matmul --assume 'arg3 % 16 == 0 && arg3 <= 16 * gridDim.x' ./app";

#[derive(Debug, Args)]
#[command(after_help = format!("{ANSWERS}\n\n{}\n{EXAMPLES}", exit::help(exit::PROVE)))]
pub(crate) struct ProveArgs {
    /// A program, library, object file, fatbin or PTX file
    #[arg(
        value_name = "PROGRAM|FILE.ptx",
        required_unless_present_any = ["compile", "project"],
        conflicts_with = "compile"
    )]
    pub(crate) file: Option<PathBuf>,

    /// A command of nvcc, which is run; what it writes is asked about
    #[arg(last = true, value_name = "NVCC ...")]
    pub(crate) compile: Vec<OsString>,

    /// The sources of a compile_commands.json, or of one in that folder: kernels as the host code launches them
    #[arg(long, short = 'p', value_name = "FILE|FOLDER", conflicts_with_all = ["file", "compile", "facts"])]
    pub(crate) project: Option<PathBuf>,

    /// Prove only kernels that match; filters are as for `run` (may be repeated)
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse)]
    pub(crate) kernel_name: Vec<Filter>,

    /// The threads of a block; extents that are left out are 1 [default: any]
    #[arg(long, value_name = "X,Y,Z", value_parser = extents)]
    pub(crate) block: Option<Extents>,

    /// The blocks of the grid [default: any]
    #[arg(long, value_name = "X,Y,Z", value_parser = extents)]
    pub(crate) grid: Option<Extents>,

    /// Ask about the launches that `warprace run --facts FILE` has seen, in place of all that could be
    #[arg(long, value_name = "FILE", conflicts_with_all = ["block", "grid"])]
    pub(crate) facts: Option<PathBuf>,

    /// Count races in launches that no known host code makes as all others
    #[arg(long)]
    pub(crate) any_launch: bool,

    /// Run this one launch, as a replay line has it
    #[arg(
        long,
        value_name = "LAUNCH",
        value_parser = |text: &str| ::prove::replay::Witness::parse(text),
        conflicts_with_all = ["block", "grid", "assume", "facts"]
    )]
    pub(crate) launch: Option<::prove::replay::Witness>,

    /// What is true of every launch
    #[arg(long, value_name = "RELATIONS", value_parser = assumption)]
    pub(crate) assume: Vec<Assumption>,

    /// How volatile accesses are judged: as PTX defines them, or as ordinary accesses [default: strong]
    #[arg(long, value_enum)]
    pub(crate) volatile: Option<Volatile>,

    /// Give a kernel up after so many seconds, and the execution of host code
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) timeout: u64,

    /// Prove everything anew, and keep no proofs in the cache folder
    #[arg(long)]
    pub(crate) no_proof_cache: bool,

    /// Say how many proofs were read from the cache folder, and why one could not be kept
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// Extents in the form `X`, `X,Y` or `X,Y,Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extents(pub(crate) [u32; 3]);

fn extents(text: &str) -> Result<Extents, String> {
    let mut all = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("expected at most three numbers".into());
    }
    for (extent, part) in all.iter_mut().zip(&parts) {
        *extent = part.trim().parse().ok().filter(|&n| n > 0).ok_or("expected positive numbers: X,Y,Z")?;
    }
    Ok(Extents(all))
}

/// The value of one `--assume`: the kernels, and the relations.
#[derive(Clone, Debug)]
pub(crate) struct Assumption {
    pub(crate) kernel: String,
    pub(crate) relations: Vec<::prove::facts::assume::Relation>,
}

fn assumption(text: &str) -> Result<Assumption, ::prove::facts::assume::Error> {
    let (kernel, relations) = ::prove::facts::assume::parse(text)?;
    Ok(Assumption { kernel, relations })
}
