//! Launches of kernels: the checks that CUDA makes before it submits them.

use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties as limits;
use crate::backend::KernelWork;
use crate::context::{self, Runtime, State};
use events::Dim3;

/// The configuration of a launch, without its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Configuration {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) cluster: Option<Dim3>,
    pub(crate) shared: usize,
    pub(crate) cooperative: bool,
    /// Whether programmatic stream serialisation was allowed.
    pub(crate) programmatic: bool,
}

/// Prepares a launch: loads its module, makes CUDA's checks, and copies the arguments. `argument` copies the
/// argument with an index to its place in the parameters.
pub(crate) fn prepare(
    runtime: &Runtime,
    state: &mut State,
    function: usize,
    device: u32,
    configuration: Configuration,
    mut argument: impl FnMut(usize, &mut [u8]) -> CudaResult,
) -> CudaResult<KernelWork> {
    let Configuration { grid, block, cluster, shared, cooperative, programmatic } = configuration;
    let record = state.function(function)?.clone();
    let (grid, block) = shaped(runtime, state, &record.name, grid, block);
    let module = context::module(runtime, state, record.fatbin, device)?;
    let index = module.kernel(&record.name).ok_or(CudaError::INVALID_DEVICE_FUNCTION)?;
    let kernel = &module.kernels()[index];

    let threads = block.count();
    let within = |d: Dim3, max: [u32; 3]| d.count() > 0 && d.x <= max[0] && d.y <= max[1] && d.z <= max[2];
    if !within(grid, limits::MAX_GRID)
        || !within(block, limits::MAX_BLOCK)
        || threads > u64::from(limits::MAX_THREADS_PER_BLOCK)
    {
        return Err(CudaError::INVALID_CONFIGURATION);
    }
    if threads > u64::from(kernel.max_threads) {
        return Err(CudaError::INVALID_VALUE);
    }
    if kernel.required_threads.is_some_and(|required| required != block) {
        return Err(CudaError::INVALID_VALUE);
    }
    let allowed = record.max_dynamic_shared().unwrap_or(0);
    let allowed = allowed.max(limits::SHARED_PER_BLOCK.saturating_sub(kernel.static_shared));
    if shared > allowed as usize {
        return Err(CudaError::INVALID_VALUE);
    }
    let cluster = cluster.or(kernel.cluster).unwrap_or(Dim3::ONE);
    if cluster.count() == 0 || cluster.count() > u64::from(record.most_blocks_of_a_cluster()) {
        return Err(CudaError::INVALID_CLUSTER_SIZE);
    }
    if !grid.x.is_multiple_of(cluster.x)
        || !grid.y.is_multiple_of(cluster.y)
        || !grid.z.is_multiple_of(cluster.z)
    {
        return Err(CudaError::INVALID_CONFIGURATION);
    }
    if cooperative {
        let resident = module.resident_blocks(index, threads as u32, shared as u32);
        if grid.count() > u64::from(resident) * u64::from(crate::device::device().processors) {
            return Err(CudaError::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    let mut params = vec![0u8; kernel.param_bytes as usize];
    let of_warprace = state.lanes.parameter(kernel);
    for (i, param) in kernel.params.iter().enumerate() {
        if Some(i) == of_warprace {
            // The launch parameter is filled in when the launch has its place in the order.
            continue;
        }
        let (offset, size) = (param.offset as usize, param.size as usize);
        argument(i, &mut params[offset..offset + size])?;
    }
    Ok(KernelWork {
        overlaps: programmatic && kernel.can_wait(),
        module,
        kernel: index,
        grid,
        block,
        cluster,
        dynamic_shared: shared as u32,
        cooperative,
        has_run: false,
        chosen: true,
        params,
        checked: true,
    })
}

/// Returns the shape of a launch, cut down to what `--launch-shape` allows of its kernel. The launch that the program
/// made is then not checked.
fn shaped(runtime: &Runtime, state: &mut State, kernel: &str, grid: Dim3, block: Dim3) -> (Dim3, Dim3) {
    let Some(shape) = runtime.options.shapes.iter().find(|shape| shape.kernel == kernel) else {
        return (grid, block);
    };
    let cut = shape.cut(grid, block);
    if cut != (grid, block) {
        let kernel = names::symbol::short(kernel);
        state.results.unchecked(format!("launches of `{kernel}` were cut down by `--launch-shape`"));
    }
    cut
}

/// Records a refused launch as a limit. Programs often do not query a launch's error, and its kernel would
/// seem clean.
pub(crate) fn tell_refused(state: &mut State, function: usize, error: CudaError) {
    if let Ok(record) = state.function(function) {
        let kernel = names::symbol::short(&record.name);
        let name = error.name().to_string_lossy();
        state.results.limit(format!("a launch of `{kernel}` was refused with `{name}` and did not run"));
    }
}
