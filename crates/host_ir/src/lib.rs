//! Launches of kernels, read from a CUDA program's host code.
//!
//! The input is LLVM IR: the host half of each source, as `nvcc -cuda` writes it, after [`prepared`] changed a few
//! declarations and clang optimised it. [`launches`] reads all modules of one program. The crate knows neither kernels
//! nor races; the prover asks about what it finds.
//!
//! A launch is a call of `__cudaPushCallConfiguration` whose success leads to a call of the kernel's stub, or a call of
//! `cudaLaunchKernel` or `cudaLaunchCooperativeKernel` (`launch_sites`). Each is described in three ways:
//!
//! * **In numbers** ([`Concrete`]): `concrete` follows calls to their callers, loops turn by turn, and branches as far
//!   as conditions are known. `eval` computes values, `control_flow` knows dominators and conditions, `reachability`
//!   decides whether the program certainly gets there.
//! * **By constraints** ([`CallConstraints`]): `constraints` states relations of extents and arguments that hold
//!   whatever the unknown values are, in the language of [`relation`].
//! * **By execution**: `run` executes `main`, as far as the effects of the host code are known, without arguments, and
//!   with inputs that `proposed` and `tried_inputs` choose ([`Tried`]).
//!
//! A kernel that is launched in any other way (its address escapes, or a call is not configured) has launches that are
//! unknown to the first two. If `main` is among the sources, they are taken for the whole program, and the host code is
//! executed, too.
//!
//! [`ir`] parses the text. Texture and surface objects are encoded as the engine reads them ([`ObjectEncoding`]).

mod concrete;
mod constraints;
mod control_flow;
mod disjoint;
mod eval;
mod initial;
mod input_ranges;
pub mod ir;
mod last_launch;
mod launch_sites;
mod linear;
mod objects;
mod operands;
mod prepare;
mod program;
mod proposed;
mod reachability;
pub mod relation;
mod run;
mod slice;
mod source_lines;
mod tried_inputs;
mod type_layout;
mod value;

pub use concrete::{Argument, Concrete, Memory, Number, Piece, Pointer};
pub use constraints::{CallConstraints, Constraints, Parameter};
pub use last_launch::{Before, Last};
pub use objects::{Addressing, ChannelKind, ObjectEncoding, Surface, Texture};
pub use prepare::prepared;
pub use run::Input;
pub use tried_inputs::Tried;

use program::Program;
use std::collections::BTreeMap;

/// The launches of a program.
#[derive(Clone, Debug, Default)]
pub struct Launches {
    /// Launches by kernel, mangled as in PTX.
    pub kernels: BTreeMap<String, Launched>,
    /// The place where the execution of the host code was lost, if it was, and why.
    pub lost: Option<String>,
}

impl Launches {
    pub fn get(&self, kernel: &str) -> Option<&Launched> {
        self.kernels.get(kernel)
    }

    /// Launches of one program or another: of a kernel of which one's are not known, none are.
    pub fn or(&self, other: &Launches) -> Launches {
        let both = |(kernel, launched): (&String, &Launched)| {
            Some((kernel.clone(), launched.or(other.get(kernel)?)))
        };
        Launches {
            kernels: self.kernels.iter().filter_map(both).collect(),
            lost: self.lost.clone().or_else(|| other.lost.clone()),
        }
    }

    /// Why nothing more is known of the launches of a kernel.
    pub fn doubt(&self, kernel: &str) -> Option<&str> {
        let executed = self.get(kernel).is_some_and(|launched| launched.made.is_some());
        self.lost.as_deref().filter(|_| !executed)
    }
}

/// The launches of one kernel, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct Launched {
    /// Launches by call; none of one that the program does not launch. `None` if not all calls are known.
    pub calls: Option<Vec<HostLaunch>>,
    /// All of a program that is started without arguments, as far as executing it tells them: with what memory holds.
    pub made: Option<Vec<Concrete>>,
    /// All for any input, if the program looks at its arguments and executing it with unknown ones tells them. Extents
    /// are known; arguments and what memory holds may not be.
    pub for_every_input: Option<Vec<Concrete>>,
    /// The program looks at its arguments.
    pub asks: bool,
    /// Some that it makes for sure if it is given what they say.
    pub tried: Vec<Tried>,
}

impl Launched {
    /// Returns whether the program never launches it.
    pub fn is_unused(&self) -> bool {
        self.calls.as_ref().is_some_and(Vec::is_empty)
    }

    /// Launches of one program or another.
    pub fn or(&self, other: &Launched) -> Launched {
        fn both<T: Clone>(a: &Option<Vec<T>>, b: &Option<Vec<T>>) -> Option<Vec<T>> {
            Some([a.as_deref()?, b.as_deref()?].concat())
        }
        Launched {
            calls: both(&self.calls, &other.calls),
            made: both(&self.made, &other.made),
            for_every_input: both(&self.for_every_input, &other.for_every_input),
            asks: self.asks || other.asks,
            tried: self.tried.iter().chain(&other.tried).cloned().collect(),
        }
    }
}

/// The launches that one call makes, reached by one chain of calls.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    pub constraints: CallConstraints,
    /// The constraints of each case, if there are several.
    pub cases: Vec<CallConstraints>,
    /// In numbers, if all are known.
    pub concrete: Option<Vec<Concrete>>,
    /// The program comes there for every input, if it does not give up before.
    pub made: bool,
    /// And nothing else that is not known decides which of them are made.
    pub certain: bool,
    /// It makes one of these in numbers.
    pub one_of_them: bool,
    /// The same if the program is started without arguments, where its numbers are not known otherwise.
    pub unasked: Option<Box<HostLaunch>>,
}

/// Returns whether a module has the function that a program begins with.
pub fn has_main(ir: &str) -> bool {
    ir.lines().any(|line| line.starts_with("define ") && line.contains(" @main("))
}

/// Reads the text of all modules of a program. `objects` encodes the texture and surface objects that it creates.
pub fn launches(irs: &[&str], objects: &dyn ObjectEncoding) -> Launches {
    launches_until(irs, objects, &|| false)
}

/// Reads the launches like [`launches`]. Once `stop` returns true, nothing more is executed and evaluated: less is known
/// of the launches then, and the execution counts as lost.
pub fn launches_until(irs: &[&str], objects: &dyn ObjectEncoding, stop: &dyn Fn() -> bool) -> Launches {
    let irs: Vec<_> = irs.iter().map(|ir| prepare::unquoted(ir)).collect();
    let irs: Vec<&str> = irs.iter().map(AsRef::as_ref).collect();
    let program = Program::new(&irs, objects, stop);
    let mut found = Launches::default();
    if let Some((function, label)) = program.unknown_label() {
        found.lost = Some(format!("the host code could not be read: `{function}` has no label `{label}`"));
        return found;
    }
    let named = launch_sites::named(&program);
    let mut ways = Vec::new();
    let mut sites_of = BTreeMap::new();
    for (kernel, sites) in launch_sites::sites(&program) {
        let Some(sites) = sites.filter(|_| !named.holds(&kernel)) else { continue };
        let mut all = Vec::new();
        for (n, site) in sites.iter().enumerate() {
            for chain in launch_sites::chains(&program, site.frame) {
                program.refill();
                let mut launch = concrete::launch(&program, site, &chain, Default::default());
                let open = |c: &Concrete| c.arguments.iter().any(|a| a.pieces.is_empty());
                if launch.concrete.as_ref().is_none_or(|all| all.iter().any(open))
                    && let Some(given) = program.without_arguments(&chain)
                {
                    program.refill();
                    let unasked = concrete::launch(&program, site, &chain, given);
                    launch.unasked = unasked.concrete.is_some().then(|| Box::new(unasked));
                }
                // It is never come there.
                if launch.concrete.as_ref().is_none_or(|c| !c.is_empty()) {
                    all.push(launch);
                    ways.push((kernel.clone(), n, chain));
                }
            }
        }
        if program.whole || !all.is_empty() {
            sites_of.insert(kernel.clone(), sites);
            found.kernels.insert(kernel, Launched { calls: Some(all), ..Launched::default() });
        }
    }
    // Inputs are chosen when all launches have had their share of what may be followed.
    let tries = proposed::tries(ways.len());
    let mut proposed: Vec<Input> = Vec::new();
    for (kernel, n, chain) in ways {
        let Some(site) = sites_of.get(&kernel).and_then(|s| s.get(n)) else { continue };
        for input in proposed::inputs_that_lead(&program, site, &chain, tries) {
            if !proposed.contains(&input) {
                proposed.push(input);
            }
        }
    }
    // Inputs with few arguments are easier to read.
    proposed.sort_by_key(|input| input.arguments.len());
    if let Some(made) = run::run(&program, run::Inputs::NoArguments) {
        for (kernel, all) in made.kernels {
            let launched = found.kernels.entry(kernel).or_default();
            (launched.made, launched.asks) = (Some(all), made.asks);
        }
        found.lost = made.lost;
        let any = if made.asks { run::for_every_input(&program) } else { BTreeMap::new() };
        for (kernel, all) in any {
            if let Some(launched) = found.kernels.get_mut(&kernel) {
                launched.for_every_input = Some(all);
            }
        }
    }
    for (kernel, tried) in tried_inputs::tried(&program, proposed) {
        if let Some(launched) = found.kernels.get_mut(&kernel) {
            launched.tried = tried;
        }
    }
    found
}

#[cfg(test)]
mod tests;
