//! Entry points: parameters, storage, limits and vocabulary, all determined before any launch.

use crate::definitions::Parts;
use crate::graph::CallGraph;
use crate::shared::{Layout, NamedShared};
use crate::source::Source;
use crate::uses;
use events::Dim3;
use events::task::SyncUse;
use ptx::ast::FunctionDirective;
use ptx::flat::{Arg, Flat};
use ptx::sreg::SpecialReg;

/// The layout of one kernel parameter among the bytes of a launch's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamLayout {
    pub offset: u32,
    pub size: u32,
    pub align: u32,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The mangled name, as in PTX.
    pub name: String,
    /// The index in [`Linked::functions`](crate::Linked::functions).
    pub function: usize,
    pub params: Vec<ParamLayout>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Bytes of static shared memory of the kernel and all functions it may call.
    pub static_shared: u32,
    /// The layout of its shared memory, with the names of the dynamic part last.
    pub shared_variables: Vec<NamedShared>,
    /// Whether it reads `%reserved_smem_offset_*`: its blocks then have a system part in shared memory.
    pub uses_reserved_shared: bool,
    /// Whether it reads `%envreg1` or `%envreg2`, which contain the address of a cooperative launch's barrier
    /// memory.
    pub uses_workspace: bool,
    /// The alignment of the dynamic shared memory, which follows the static part.
    pub dynamic_shared_align: u32,
    /// The product of `.maxntid`, or 1024.
    pub max_threads: u32,
    /// `.reqntid`.
    pub required_threads: Option<Dim3>,
    /// `.reqnctapercluster`.
    pub cluster: Option<Dim3>,
    /// The synchronisation that the kernel and all functions it may call use.
    pub uses: SyncUse,
    /// Whether it contains a `.loc`.
    pub has_line_info: bool,
    /// The compute capability of its PTX target, times ten: 75 for `.target sm_75`; 0 if there is none.
    pub target: u32,
}

impl Kernel {
    /// Returns whether its target has `griddepcontrol` (`sm_90`). Kernels for older targets can neither wait
    /// for the preceding kernel nor let the next one begin.
    pub fn can_wait(&self) -> bool {
        !(1..90).contains(&self.target)
    }
}

/// Returns the kernels in order of definition.
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
                // Directives that advise the assembler, or that the launch's configuration repeats.
                FunctionDirective::MaxNReg(_)
                | FunctionDirective::MinNCtaPerSm(_)
                | FunctionDirective::MaxNCtaPerSm(_)
                | FunctionDirective::NoReturn
                | FunctionDirective::ExplicitCluster
                | FunctionDirective::MaxClusterRank(_)
                | FunctionDirective::Pragma(_)
                | FunctionDirective::Other(_) => {}
                // Lowering refuses this directive, because the grid then counts clusters.
                FunctionDirective::BlocksAreClusters => {}
            }
        }
        kernels.push(kernel);
    }
    kernels
}

/// Returns the number in `.target sm_90a` and the like.
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

/// Lays out parameters like the frames of functions: each at the next multiple of its alignment.
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
