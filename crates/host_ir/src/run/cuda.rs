//! The effects of CUDA functions: memory, copies, variables, and launches.

use super::launch::Shape;
use super::memory::{self, Byte, Id, Place};
use super::state::State;
use super::{Machine, Outcome, Target, Value};
use crate::Last;
use std::collections::BTreeSet;
use std::rc::Rc;

/// These functions write only through their arguments.
const WRITE_THERE: [&str; 21] = [
    "cudaGetDeviceProperties",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaDeviceGetAttribute",
    "cudaMemGetInfo",
    "cudaEventCreate",
    "cudaEventElapsedTime",
    "cudaStreamCreate",
    "cudaOccupancy",
    "cudaFuncGetAttributes",
    "cudaDeviceGetStreamPriorityRange",
    "cudaRuntimeGetVersion",
    "cudaDriverGetVersion",
    "cudaGraphCreate",
    "cudaGraphInstantiate",
    "cudaStreamEndCapture",
    "cudaDeviceCanAccessPeer",
    "cudaPointerGetAttributes",
    "cudaStreamIsCapturing",
    "cudaGraphGet",
    "cudaChooseDevice",
];

/// These functions have no visible effect.
const QUIET: [&str; 29] = [
    "cudaDeviceSynchronize",
    "cudaThreadSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaEventRecord",
    "cudaEventDestroy",
    "cudaStreamDestroy",
    "cudaStreamWaitEvent",
    "cudaFree",
    "cudaSetDevice",
    "cudaDeviceReset",
    "cudaFuncSet",
    "cudaDeviceSet",
    "cudaMemPrefetchAsync",
    "cudaMemAdvise",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaProfiler",
    "cudaGraphDestroy",
    "cudaGraphExecDestroy",
    "cudaGraphUpload",
    "cudaHostUnregister",
    "cudaHostRegister",
    "cudaDeviceEnablePeerAccess",
    "cudaInitDevice",
    "cudaCtxResetPersistingL2Cache",
    "cudaStreamAttachMemAsync",
    "cudaDestroySurfaceObject",
    "cudaDestroyTextureObject",
];

/// The prefix of handles of kernels.
const HANDLE: i64 = 0x5C << 56;

/// Rows that the virtual GPU allocates begin at multiples of so many bytes.
const PITCH: i64 = 512;

impl<'a> Machine<'_, 'a> {
    /// Returns how far rows of so many bytes are apart in a run with an input, which is one on the virtual GPU. Otherwise it is
    /// the device's choice.
    fn pitch_of_virtual_gpu(&self, width: &Value) -> Option<i64> {
        self.input.as_ref()?;
        let width = width.number().filter(|width| (1..1 << 32).contains(width))?;
        Some((width + PITCH - 1) / PITCH * PITCH)
    }

    /// Executes a CUDA function; `None` if it is unknown.
    pub(super) fn cuda(
        &mut self,
        state: &mut State<'a>,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Outcome> {
        let unknown = Value::Unknown;
        let a = |n: usize| arguments.get(n).unwrap_or(&unknown);
        // These suffixes denote variants for per-thread default streams.
        let name = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name);
        let name = name.strip_suffix("_v2").unwrap_or(name);
        let done = Ok(Some(Value::Number(0)));
        let lost = "it is not known where something is written";
        // Copies in captured streams are made later.
        let is_copy = name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset");
        if is_copy && state.capturing {
            self.written(state, a(0));
            return done;
        }
        if self.image(state, name, arguments).is_some() {
            return done;
        }
        match name {
            "cudaMalloc"
            | "cudaMallocManaged"
            | "cudaMallocAsync"
            | "cudaMallocHost"
            | "cudaHostAlloc"
            | "cuMemAlloc"
            | "cuMemAllocManaged"
            | "cudaMallocFromPoolAsync"
            | "cuMemAllocHost"
            | "cuMemHostAlloc" => {
                self.new_memory(state, a(0), a(1)).ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaMallocPitch" => {
                let pitch = self.pitch_of_virtual_gpu(a(2));
                let bytes = pitch.zip(a(3).number()).and_then(|(pitch, rows)| pitch.checked_mul(rows));
                let bytes = bytes.map_or(Value::Unknown, Value::Number);
                self.new_memory(state, a(0), &bytes).ok_or_else(|| self.lose(state, lost))?;
                self.some(state, a(1));
                if let (Some(pitch), Some(to)) = (pitch, a(1).number()) {
                    state.write(to, 8, &Value::Number(pitch)).ok_or_else(|| self.lose(state, lost))?;
                }
            }
            "cudaHostGetDevicePointer" => {
                let to = a(0).number().and_then(|at| state.write(at, 8, a(1)));
                to.ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaMemcpy" | "cudaMemcpyAsync" | "cuMemcpyHtoD" | "cuMemcpyHtoDAsync" | "cuMemcpyDtoH"
            | "cuMemcpyDtoHAsync" | "cuMemcpyDtoD" | "cuMemcpy" => {
                self.copy(state, a(0), a(1), a(2)).ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaMemset" | "cudaMemsetAsync" | "cuMemsetD8" | "cuMemsetD8Async" => {
                self.fill(state, a(0), a(1), a(2)).ok_or_else(|| self.lose(state, lost))?;
            }
            "cuMemsetD32" | "cuMemsetD32Async" => {
                let bytes = a(2).number().map_or(Value::Unknown, |n| Value::Number(n.wrapping_mul(4)));
                let byte = a(1).number().filter(|v| [0, -1].contains(&(*v as i32)));
                let byte = byte.map_or(Value::Unknown, Value::Number);
                self.fill(state, a(0), &byte, &bytes).ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaMemcpyToSymbol" | "cudaMemcpyToSymbolAsync" => {
                let variable = self.variable(a(0));
                let (Some(id), Some(offset)) = (variable, a(3).number()) else {
                    return Err(self.lose(state, lost));
                };
                let to = Value::Number((memory::base(id) as i64).wrapping_add(offset));
                self.initialised(state, id);
                self.copy(state, &to, a(1), a(2)).ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaMemcpyFromSymbol" | "cudaMemcpyFromSymbolAsync" => {
                let from = match (self.variable(a(1)), a(3).number()) {
                    (Some(id), Some(offset)) => Value::Number((memory::base(id) as i64).wrapping_add(offset)),
                    _ => Value::Unknown,
                };
                self.copy(state, a(0), &from, a(2)).ok_or_else(|| self.lose(state, lost))?;
            }
            "cudaGetSymbolAddress" => {
                let address = self.variable(a(1)).map(|id| memory::base(id) as i64);
                let (Some(address), Some(at)) = (address, a(0).number()) else {
                    return Err(self.lose(state, lost));
                };
                state.write(at, 8, &Value::Number(address)).ok_or_else(|| self.lose(state, lost))?;
            }
            // The default streams of two devices are not ordered.
            "cudaSetDevice" | "cuCtxSetCurrent" | "cudaDeviceReset" => {
                state.objects.values_mut().for_each(|o| Rc::make_mut(o).last = Last::default());
            }
            "cudaStreamBeginCapture" | "cudaStreamBeginCaptureToGraph" => state.capturing = true,
            "cudaStreamEndCapture" => {
                state.capturing = false;
                self.some(state, a(1));
            }
            "cudaGraphLaunch" | "cuGraphLaunch" => {
                // The kernels of a graph may write at any time.
                let all: Vec<Id> = state.objects.keys().copied().collect();
                for id in all {
                    if state.objects.get(&id).is_some_and(|o| o.place != Place::Host) {
                        state.forget(id);
                    }
                }
            }
            "cudaLaunchKernel" | "cudaLaunchCooperativeKernel" => {
                let kernel = self.kernel_at(a(0));
                let shape = Shape::packed(&[1, 2, 3, 4, 6, 7].map(|n| a(n).clone()));
                let shape = shape.map(|s| Shape { cooperative: name.contains("Cooperative"), ..s });
                self.launch_by_array(state, kernel, shape, a(5));
            }
            "cudaLaunchKernelExC" => {
                let kernel = self.kernel_at(a(1));
                let shape = a(0).number().and_then(|at| configured(state, at));
                self.launch_by_array(state, kernel, shape, a(2));
            }
            "cudaGraphAddKernelNode"
            | "cudaGraphExecKernelNodeSetParams"
            | "cudaGraphKernelNodeSetParams" => {
                let node = name == "cudaGraphAddKernelNode";
                let parameters = match name {
                    "cudaGraphAddKernelNode" => a(4),
                    "cudaGraphExecKernelNodeSetParams" => a(2),
                    _ => a(1),
                };
                if node {
                    self.some(state, a(0));
                }
                // The parameters are the function, the extents of the grid and of the block, the size of
                // shared memory, and the arguments.
                let at = parameters.number().unwrap_or(0);
                let field = |offset: i64, bytes: u32| state.read(at.wrapping_add(offset), bytes);
                let kernel = self.kernel_at(&field(0, 8));
                let shape = Shape {
                    grid: [8, 12, 16].map(|o| field(o, 4).number()),
                    block: [20, 24, 28].map(|o| field(o, 4).number()),
                    shared: field(32, 4).number(),
                    cooperative: false,
                    cluster: None,
                    later: true,
                    in_order: false,
                };
                let array = field(40, 8);
                self.launch_by_array(state, kernel, Some(shape), &array);
            }
            "cuModuleGetFunction" | "cuLibraryGetKernel" | "cudaLibraryGetKernel" => {
                let text = a(2).number().and_then(|at| text(state, at));
                let handle = match text {
                    Some(text) => {
                        self.handles.push(text);
                        Value::Number(HANDLE | (self.handles.len() as i64 - 1) << 4)
                    }
                    None => Value::Unknown,
                };
                let to = a(0).number().and_then(|at| state.write(at, 8, &handle));
                to.ok_or_else(|| self.lose(state, lost))?;
            }
            "cuKernelGetFunction" => {
                let to = a(0).number().and_then(|at| state.write(at, 8, a(1)));
                to.ok_or_else(|| self.lose(state, lost))?;
            }
            "cuLaunchKernel" | "cuLaunchCooperativeKernel" => {
                let kernel = self.kernel_at(a(0));
                let extent = |n: usize| [n, n + 1, n + 2].map(|n| a(n).number());
                let shape = Shape {
                    grid: extent(1),
                    block: extent(4),
                    shared: a(7).number(),
                    cooperative: name.contains("Cooperative"),
                    cluster: None,
                    later: false,
                    in_order: false,
                };
                // Arguments in one buffer are not supported.
                let extra = name == "cuLaunchKernel" && *a(10) != Value::Number(0);
                self.launch_by_array(state, kernel, Some(shape).filter(|_| !extra), a(9));
            }
            "cuInit"
            | "cuCtxSynchronize"
            | "cuStreamSynchronize"
            | "cuMemFree"
            | "cuModuleUnload"
            | "cuCtxDestroy"
            | "cuFuncSetAttribute"
            | "cuMemFreeHost"
            | "cuDevicePrimaryCtxRelease" => {}
            "cuDeviceGet"
            | "cuCtxCreate"
            | "cuModuleLoad"
            | "cuModuleLoadData"
            | "cuModuleLoadDataEx"
            | "cuModuleLoadFatBinary"
            | "cuDeviceGetAttribute"
            | "cuDeviceGetCount"
            | "cuStreamCreate"
            | "cuEventCreate"
            | "cuDevicePrimaryCtxRetain"
            | "cuLibraryLoadData"
            | "cuDeviceTotalMem"
            | "cuDeviceGetName" => {
                self.some(state, a(0));
            }
            "cudaGetErrorString" | "cudaGetErrorName" | "cudaEventQuery" | "cudaStreamQuery" => {
                return Ok(Some(Value::Unknown));
            }
            _ if QUIET.iter().any(|q| name.starts_with(q)) => {}
            _ if WRITE_THERE.iter().any(|w| name.starts_with(w)) => {
                for n in 0..arguments.len().min(2) {
                    self.some(state, a(n));
                }
            }
            _ => {
                // An unknown function may launch the kernels that it is passed.
                let mut all: BTreeSet<i64> = arguments.iter().filter_map(Value::number).collect();
                for value in arguments.iter().filter_map(Value::number) {
                    let object = memory::object(value as u64).and_then(|(id, _)| state.objects.get(&id));
                    all.extend(object.into_iter().flat_map(|o| o.pointers()).map(|p| p as i64));
                }
                for v in all {
                    if let Some(kernel) = self.kernel_at(&Value::Number(v)) {
                        self.broken.insert(kernel);
                    }
                }
                for value in arguments {
                    self.written(state, value);
                }
                return Ok(Some(Value::Unknown));
            }
        }
        done
    }

    fn launch_by_array(
        &mut self,
        state: &mut State<'a>,
        kernel: Option<String>,
        shape: Option<Shape>,
        array: &Value,
    ) {
        let Some(kernel) = kernel else {
            self.all_broken = true;
            return;
        };
        match (shape, self.array(state, array)) {
            (Some(shape), Some(passed)) => self.launch(state, &kernel, shape, &passed),
            _ => _ = self.broken.insert(kernel),
        }
    }

    /// Returns the kernel that a host address or a handle stands for.
    pub(super) fn kernel_at(&self, value: &Value) -> Option<String> {
        let v = value.number()?;
        if v & !0xffff == HANDLE {
            return self.handles.get((v as usize & 0xffff) >> 4).cloned();
        }
        let (module, name) = match self.target(v)? {
            Target::Here(at) => (at.module, self.program.function(at).name),
            Target::Outside(name) => {
                return self.kernels.iter().find(|((_, n), _)| *n == name).map(|(_, k)| k.clone());
            }
        };
        self.kernels.get(&(module, name)).cloned()
    }

    fn variable(&self, host: &Value) -> Option<Id> {
        self.variables.get(&(host.number()? as u64)).copied()
    }

    /// Records a write to a variable; its other bytes become unknown, because its initial value is in its
    /// module.
    fn initialised(&self, state: &mut State<'a>, id: Id) {
        if let Some(object) = state.objects.get_mut(&id).filter(|o| o.untouched) {
            let object = Rc::make_mut(object);
            object.forget();
        }
    }

    /// Makes the variable that an argument points to unknown.
    pub(super) fn some(&self, state: &mut State<'a>, at: &Value) {
        match at {
            Value::Number(v) => {
                let Some((id, offset)) = memory::object(*v as u64) else { return };
                let Some(object) = state.objects.get_mut(&id) else { return };
                let object = Rc::make_mut(object);
                match object.size.and_then(|n| n.checked_sub(u64::try_from(offset).ok()?)) {
                    // The write affects a field, or a large structure.
                    Some(left) => object.fill(offset as u64, left.min(4096), Byte::Unknown),
                    None => object.forget(),
                }
            }
            other => self.written(state, other),
        }
    }
}

/// Reads a zero-terminated text.
fn text(state: &State<'_>, at: i64) -> Option<String> {
    let mut found = Vec::new();
    for n in 0..4096 {
        match state.read(at + n, 1).number()? as u8 {
            0 => return String::from_utf8(found).ok(),
            b => found.push(b),
        }
    }
    None
}

/// Reads a launch configuration from memory: extents, shared memory, a stream and attributes.
fn configured(state: &State<'_>, at: i64) -> Option<Shape> {
    let field = |offset: i64, bytes: u32| state.read(at + offset, bytes).number();
    let mut shape = Shape {
        grid: [0, 4, 8].map(|o| field(o, 4)),
        block: [12, 16, 20].map(|o| field(o, 4)),
        shared: field(24, 8),
        cooperative: false,
        cluster: None,
        later: false,
        in_order: false,
    };
    let (list, count) = (field(40, 8), field(48, 4)?);
    for n in 0..count {
        let attribute = list? + n * 72;
        let part = |offset: i64| u32::try_from(state.read(attribute + offset, 4).number()?).ok();
        match part(0)? {
            // These attributes are the cooperative flag and the extents of clusters.
            2 => shape.cooperative = part(8)? != 0,
            4 => shape.cluster = Some([part(8)?, part(12)?, part(16)?]),
            // These attributes affect access policies, synchronisation, priorities, early starts and events.
            1 | 3 | 6..=14 => {}
            _ => return None,
        }
    }
    Some(shape)
}
