//! Entry points: parameters, storage, limits and vocabulary, all known before any launch.

use crate::graph::CallGraph;
use crate::parts::Parts;
use crate::shared::{Layout, NamedShared};
use crate::source::Source;
use crate::uses;
use events::Dim3;
use events::task::SyncUse;
use ptx::ast::FunctionDirective;
use ptx::flat::{Arg, Flat};
use ptx::sreg::SpecialReg;

/// One kernel parameter's place among the bytes of a launch's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamLayout {
    pub offset: u32,
    pub size: u32,
    pub align: u32,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Mangled, as in PTX.
    pub name: String,
    /// Its index in [`Linked::functions`](crate::Linked::functions).
    pub function: usize,
    pub params: Vec<ParamLayout>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Bytes of static shared memory of the kernel and all it may call.
    pub static_shared: u32,
    /// What lies where in it, and last the names of the dynamic part.
    pub shared_variables: Vec<NamedShared>,
    /// Reads `%reserved_smem_offset_*`: its blocks have a system's part in shared memory.
    pub uses_reserved_shared: bool,
    /// Reads `%envreg1` or `%envreg2`, which say where a cooperative launch has its barrier's memory.
    pub uses_workspace: bool,
    /// Alignment of the dynamic shared memory that follows it.
    pub dynamic_shared_align: u32,
    /// `.maxntid` (product) or 1024.
    pub max_threads: u32,
    /// `.reqntid`
    pub required_threads: Option<Dim3>,
    /// `.reqnctapercluster`
    pub cluster: Option<Dim3>,
    /// Of the kernel and all it may call.
    pub uses: SyncUse,
    /// Is there a `.loc` in it?
    pub has_line_info: bool,
    /// The architecture that its PTX is for, times ten: 75 for `.target sm_75`; 0 if there is none.
    pub target: u32,
}

impl Kernel {
    /// Returns whether its architecture has `griddepcontrol` (`sm_90`): older ones can neither wait for the kernel before
    /// them nor let the next one begin.
    pub fn can_wait(&self) -> bool {
        !(1..90).contains(&self.target)
    }
}

/// The kernels in order of definition.
pub(crate) fn describe(
    sources: &[Source<'_>],
    parts: &Parts<'_>,
    graph: &CallGraph,
    layout: &Layout,
) -> Vec<Kernel> {
    let own: Vec<SyncUse> = parts.functions.iter().map(|f| uses::of(&f.flat)).collect();
    let mut kernels = Vec::new();
    for f in graph.kernels() {
        let flat = &parts.functions[f].flat;
        let reachable = graph.reachable(f);
        let (params, param_bytes) = params(flat);
        let mut kernel = Kernel {
            name: flat.function.name.text.to_string(),
            function: f,
            params,
            param_bytes,
            static_shared: layout.bytes[f],
            shared_variables: layout.variables[f].clone(),
            uses_reserved_shared: reachable.iter().any(|&g| reserved(&parts.functions[g].flat)),
            uses_workspace: reachable.iter().any(|&g| workspace(&parts.functions[g].flat)),
            dynamic_shared_align: layout.dynamic_align[f],
            max_threads: 1024,
            required_threads: None,
            cluster: None,
            uses: reachable.iter().fold(SyncUse::default(), |u, &g| uses::join(u, own[g])),
            has_line_info: !flat.locs.is_empty(),
            target: target(sources[parts.functions[f].source].tree),
        };
        for directive in &flat.function.directives {
            match directive {
                FunctionDirective::MaxNTid([x, y, z]) => {
                    kernel.max_threads = x.saturating_mul(*y).saturating_mul(*z).clamp(1, 1024);
                }
                FunctionDirective::ReqNTid([x, y, z]) => {
                    kernel.required_threads = Some(Dim3::new(*x, *y, *z))
                }
                FunctionDirective::ReqNCtaPerCluster([x, y, z]) => {
                    kernel.cluster = Some(Dim3::new(*x, *y, *z))
                }
                // Advice to the assembler, and what a launch itself says.
                FunctionDirective::MaxNReg(_)
                | FunctionDirective::MinNCtaPerSm(_)
                | FunctionDirective::MaxNCtaPerSm(_)
                | FunctionDirective::NoReturn
                | FunctionDirective::ExplicitCluster
                | FunctionDirective::MaxClusterRank(_)
                | FunctionDirective::Pragma(_)
                | FunctionDirective::Other(_) => {}
                // Lowering refuses it: its grid counts clusters.
                FunctionDirective::BlocksAreClusters => {}
            }
        }
        kernels.push(kernel);
    }
    kernels
}

/// The number of `.target sm_90a` and so on.
fn target(tree: &ptx::ast::Module) -> u32 {
    let number = |name: &str| {
        let digits = name.strip_prefix("sm_")?.trim_end_matches(|c: char| !c.is_ascii_digit());
        digits.parse().ok()
    };
    tree.target.iter().find_map(|name| number(name)).unwrap_or(0)
}

fn reserved(flat: &Flat<'_>) -> bool {
    use SpecialReg as S;
    flat.instructions.iter().flat_map(|i| &i.args).any(|arg| {
        matches!(
            arg,
            Arg::Special(
                S::ReservedSmemOffset(_)
                    | S::ReservedSmemOffsetBegin
                    | S::ReservedSmemOffsetEnd
                    | S::ReservedSmemOffsetCap
            )
        )
    })
}

fn workspace(flat: &Flat<'_>) -> bool {
    let mut args = flat.instructions.iter().flat_map(|i| &i.args);
    args.any(|arg| matches!(arg, Arg::Special(SpecialReg::EnvReg(1 | 2))))
}

/// Laid out as the frames of functions are: each parameter at the next multiple of its alignment.
fn params(flat: &Flat<'_>) -> (Vec<ParamLayout>, u32) {
    let mut end = 0u32;
    let params = flat
        .function
        .params
        .iter()
        .map(|p| {
            let size = p.size().unwrap_or(0).min(1 << 30) as u32;
            let align = p.alignment().clamp(1, 1 << 16).next_power_of_two();
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(size).min(1 << 30);
            ParamLayout { offset, size, align }
        })
        .collect();
    (params, end)
}
