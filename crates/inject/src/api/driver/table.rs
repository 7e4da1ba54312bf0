//! Every function of `cuda.h` 13.0, as the driver exports it, and what becomes of it.
//!
//! A row is a state, a name, the version of CUDA that has the function in this form, and, behind `|`, the variant for per-thread
//! default streams with its version:
//!
//! * `served`: as CUDA's driver does it, as far as a race detector can tell.
//! * `limited`: the same within a limit, which the row names.
//! * `effect`, `query`: refused. The function answers `CUDA_ERROR_NOT_SUPPORTED` and the report names it; a call of the first
//!   kind could have changed what kernels do and makes a clean verdict inconclusive.
//!
//! A test holds the table against `cuda.h`.
//!
//! **Size:** a table.

use super::{Call, CudaError, CudaResult};
use std::ffi::{c_int, c_void};

type Address = unsafe extern "C" fn();

/// A function as the library exports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// The first version of CUDA that has it in this form.
    since: c_int,
    address: Address,
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) function: Function,
    /// The one for per-thread default streams.
    variant: Option<Function>,
}

impl Row {
    /// The name that `cuGetProcAddress` is asked for.
    fn base(&self) -> &'static str {
        match self.function.name.rsplit_once("_v") {
            Some((base, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => base,
            _ => self.function.name,
        }
    }

    /// The function of this row that a version of CUDA has.
    fn choose(&self, version: c_int, per_thread: bool) -> Option<Function> {
        let variant = self.variant.filter(|variant| per_thread && variant.since <= version);
        variant.or((self.function.since <= version).then_some(self.function))
    }
}

/// What `cuGetProcAddress` found.
pub(crate) enum Found {
    Function(Function),
    /// No version of CUDA that this is the driver of has it.
    Unknown,
    /// The version that the caller asks for does not have it yet.
    Later,
}

impl Found {
    pub(crate) fn address(&self) -> *mut c_void {
        match self {
            Found::Function(function) => function.address as *mut c_void,
            _ => std::ptr::null_mut(),
        }
    }

    /// `CUdriverProcAddressQueryResult`
    pub(crate) fn status(&self) -> c_int {
        match self {
            Found::Function(_) => 0,
            Found::Unknown => 1,
            Found::Later => 2,
        }
    }
}

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`
const PER_THREAD: u64 = 2;

/// The function that a version of CUDA means by a name.
pub(crate) fn find(name: &str, version: c_int, flags: u64) -> Found {
    let name = match name {
        // From there on they are one function.
        "cuGraphInstantiate" if version >= 12_000 => "cuGraphInstantiateWithFlags",
        name => name,
    };
    let per_thread = flags & PER_THREAD != 0;
    let named = || FUNCTIONS.iter().filter(|row| row.base() == name);
    let fits = named().filter_map(|row| Some((row.function.since, row.choose(version, per_thread)?)));
    let chosen = fits.max_by_key(|(since, _)| *since).map(|(_, function)| function);
    match (chosen, named().next()) {
        (Some(function), _) => Found::Function(function),
        (None, Some(_)) => Found::Later,
        (None, None) => Found::Unknown,
    }
}

/// What every refused call does. Its arguments are not looked at.
fn refuse(call: &Call, matters: bool) -> CudaResult {
    let mut state = call.runtime.lock();
    state.results.unsupported(call.api, call.caller, matters);
    // Many programs give up on this error, and some by a signal.
    if state.results.is_stale() {
        call.runtime.write_results(&mut state);
    }
    Err(CudaError::NOT_SUPPORTED)
}

macro_rules! functions {
    ($(
        $state:ident $name:ident $since:literal $(| $variant:ident $variant_since:literal)? $($limit:literal)?;
    )*) => {
        $(
            functions!(@stub $state $name);
            $( functions!(@stub $state $variant); )?
        )*

        /// All of them.
        pub(crate) static FUNCTIONS: &[Row] = &[$(
            functions!(@row $name $since $(| $variant $variant_since)?),
        )*];

        /// State, name and limit of each, one a line: what tools read of the library.
        const TEXT: &str = concat!($(stringify!($state), " ", stringify!($name), " ", $($limit,)? "\n"),*);
    };
    (@stub effect $name:ident) => { driver! { fn $name() = |call| refuse(call, true); } };
    (@stub query $name:ident) => { driver! { fn $name() = |call| refuse(call, false); } };
    (@stub $served:ident $name:ident) => {};
    (@row $name:ident $since:literal | $variant:ident $variant_since:literal) => {
        Row {
            function: functions!(@function $name $since),
            variant: Some(functions!(@function $variant $variant_since)),
        }
    };
    (@row $name:ident $since:literal) => {
        Row {
            function: functions!(@function $name $since),
            variant: None,
        }
    };
    (@function $name:ident $since:literal) => {
        Function {
            name: stringify!($name),
            since: $since,
            address: {
                // Defined with its own parameters in another file, or in this one.
                #[allow(clashing_extern_declarations)]
                unsafe extern "C" { fn $name(); }
                $name
            },
        }
    };
}

#[rustfmt::skip]
functions! {
    effect cuArray3DCreate 2000;
    served cuArray3DCreate_v2 3020;
    query cuArray3DGetDescriptor 2000;
    served cuArray3DGetDescriptor_v2 3020;
    effect cuArrayCreate 2000;
    served cuArrayCreate_v2 3020;
    served cuArrayDestroy 2000;
    query cuArrayGetDescriptor 2000;
    served cuArrayGetDescriptor_v2 3020;
    query cuArrayGetMemoryRequirements 11060;
    query cuArrayGetPlane 11020;
    query cuArrayGetSparseProperties 11010;
    effect cuCheckpointProcessCheckpoint 12080;
    query cuCheckpointProcessGetRestoreThreadId 12080;
    query cuCheckpointProcessGetState 12080;
    effect cuCheckpointProcessLock 12080;
    effect cuCheckpointProcessRestore 12080;
    effect cuCheckpointProcessUnlock 12080;
    query cuCoredumpGetAttribute 12010;
    query cuCoredumpGetAttributeGlobal 12010;
    effect cuCoredumpSetAttribute 12010;
    effect cuCoredumpSetAttributeGlobal 12010;
    effect cuCtxAttach 2000;
    effect cuCtxCreate 2000;
    limited cuCtxCreate_v2 3020 "default streams of two contexts of a device are ordered";
    limited cuCtxCreate_v3 11040 "default streams of two contexts of a device are ordered; no affinity";
    limited cuCtxCreate_v4 12050 "default streams of two contexts of a device are ordered; no affinity";
    query cuCtxDestroy 2000;
    limited cuCtxDestroy_v2 4000 "memory and streams stay";
    effect cuCtxDetach 2000;
    served cuCtxDisablePeerAccess 4000;
    served cuCtxEnablePeerAccess 4000;
    effect cuCtxFromGreenCtx 12040;
    served cuCtxGetApiVersion 3020;
    served cuCtxGetCacheConfig 3020;
    served cuCtxGetCurrent 4000;
    served cuCtxGetDevice 2000;
    served cuCtxGetDevice_v2 13000;
    query cuCtxGetDevResource 12040;
    query cuCtxGetExecAffinity 11040;
    served cuCtxGetFlags 7000;
    served cuCtxGetId 12000;
    served cuCtxGetLimit 3010;
    served cuCtxGetSharedMemConfig 4020;
    served cuCtxGetStreamPriorityRange 5050;
    effect cuCtxPopCurrent 2000;
    served cuCtxPopCurrent_v2 4000;
    effect cuCtxPushCurrent 2000;
    served cuCtxPushCurrent_v2 4000;
    effect cuCtxRecordEvent 12050;
    served cuCtxResetPersistingL2Cache 11000;
    served cuCtxSetCacheConfig 3020;
    served cuCtxSetCurrent 4000;
    served cuCtxSetFlags 12010;
    served cuCtxSetLimit 3010;
    served cuCtxSetSharedMemConfig 4020;
    served cuCtxSynchronize 2000;
    served cuCtxSynchronize_v2 13000;
    effect cuCtxWaitEvent 12050;
    query cuDestroyExternalMemory 10000;
    query cuDestroyExternalSemaphore 10000;
    served cuDeviceCanAccessPeer 4000;
    served cuDeviceComputeCapability 2000;
    served cuDeviceGet 2000;
    served cuDeviceGetAttribute 2000;
    served cuDeviceGetByPCIBusId 4010;
    served cuDeviceGetCount 2000;
    served cuDeviceGetDefaultMemPool 11020;
    query cuDeviceGetDevResource 12040;
    served cuDeviceGetExecAffinitySupport 11040;
    served cuDeviceGetGraphMemAttribute 11040;
    query cuDeviceGetHostAtomicCapabilities 13000;
    query cuDeviceGetLuid 10000;
    served cuDeviceGetMemPool 11020;
    served cuDeviceGetName 2000;
    query cuDeviceGetNvSciSyncAttributes 10020;
    query cuDeviceGetP2PAtomicCapabilities 13000;
    served cuDeviceGetP2PAttribute 8000;
    served cuDeviceGetPCIBusId 4010;
    served cuDeviceGetProperties 2000;
    query cuDeviceGetTexture1DLinearMaxWidth 11010;
    served cuDeviceGetUuid 9020;
    served cuDeviceGetUuid_v2 11040;
    served cuDeviceGraphMemTrim 11040;
    served cuDevicePrimaryCtxGetState 7000;
    query cuDevicePrimaryCtxRelease 7000;
    limited cuDevicePrimaryCtxRelease_v2 11000 "memory and streams stay";
    effect cuDevicePrimaryCtxReset 7000;
    served cuDevicePrimaryCtxReset_v2 11000;
    served cuDevicePrimaryCtxRetain 7000;
    effect cuDevicePrimaryCtxSetFlags 7000;
    served cuDevicePrimaryCtxSetFlags_v2 11000;
    effect cuDeviceRegisterAsyncNotification 12040;
    served cuDeviceSetGraphMemAttribute 11040;
    served cuDeviceSetMemPool 11020;
    effect cuDeviceTotalMem 2000;
    served cuDeviceTotalMem_v2 3020;
    query cuDeviceUnregisterAsyncNotification 12040;
    effect cuDevResourceGenerateDesc 12040;
    effect cuDevSmResourceSplitByCount 12040;
    served cuDriverGetVersion 2020;
    served cuEventCreate 2000;
    query cuEventDestroy 2000;
    served cuEventDestroy_v2 4000;
    served cuEventElapsedTime 2000;
    served cuEventElapsedTime_v2 12080;
    served cuEventQuery 2000;
    served cuEventRecord 2000 | cuEventRecord_ptsz 7000;
    served cuEventRecordWithFlags 11010 | cuEventRecordWithFlags_ptsz 11010;
    served cuEventSynchronize 2000;
    query cuExternalMemoryGetMappedBuffer 10000;
    query cuExternalMemoryGetMappedMipmappedArray 10000;
    served cuFlushGPUDirectRDMAWrites 11030;
    served cuFuncGetAttribute 2020;
    served cuFuncGetModule 11000;
    served cuFuncGetName 12030;
    served cuFuncGetParamInfo 12040;
    served cuFuncIsLoaded 12040;
    served cuFuncLoad 12040;
    served cuFuncSetAttribute 9000;
    effect cuFuncSetBlockShape 2000;
    served cuFuncSetCacheConfig 3000;
    served cuFuncSetSharedMemConfig 4020;
    effect cuFuncSetSharedSize 2000;
    served cuGetErrorName 6000;
    served cuGetErrorString 6000;
    limited cuGetExportTable 3000 "refused, and named: it hands out private tables of NVIDIA's runtime";
    served cuGetProcAddress 11030;
    served cuGetProcAddress_v2 12000;
    effect cuGraphAddBatchMemOpNode 11070;
    served cuGraphAddChildGraphNode 10000;
    effect cuGraphAddDependencies 10000;
    served cuGraphAddDependencies_v2 12030;
    served cuGraphAddEmptyNode 10000;
    served cuGraphAddEventRecordNode 11010;
    served cuGraphAddEventWaitNode 11010;
    effect cuGraphAddExternalSemaphoresSignalNode 11020;
    effect cuGraphAddExternalSemaphoresWaitNode 11020;
    served cuGraphAddHostNode 10000;
    effect cuGraphAddKernelNode 10000;
    served cuGraphAddKernelNode_v2 12000;
    served cuGraphAddMemAllocNode 11040;
    served cuGraphAddMemcpyNode 10000;
    served cuGraphAddMemFreeNode 11040;
    served cuGraphAddMemsetNode 10000;
    served cuGraphAddNode 12020;
    served cuGraphAddNode_v2 12030;
    query cuGraphBatchMemOpNodeGetParams 11070;
    effect cuGraphBatchMemOpNodeSetParams 11070;
    query cuGraphChildGraphNodeGetGraph 10000;
    served cuGraphClone 10000;
    served cuGraphConditionalHandleCreate 12030;
    served cuGraphCreate 10000;
    query cuGraphDebugDotPrint 11030;
    served cuGraphDestroy 10000;
    served cuGraphDestroyNode 10000;
    query cuGraphEventRecordNodeGetEvent 11010;
    effect cuGraphEventRecordNodeSetEvent 11010;
    query cuGraphEventWaitNodeGetEvent 11010;
    effect cuGraphEventWaitNodeSetEvent 11010;
    effect cuGraphExecBatchMemOpNodeSetParams 11070;
    effect cuGraphExecChildGraphNodeSetParams 11010;
    served cuGraphExecDestroy 10000;
    effect cuGraphExecEventRecordNodeSetEvent 11010;
    effect cuGraphExecEventWaitNodeSetEvent 11010;
    effect cuGraphExecExternalSemaphoresSignalNodeSetParams 11020;
    effect cuGraphExecExternalSemaphoresWaitNodeSetParams 11020;
    served cuGraphExecGetFlags 12000;
    served cuGraphExecHostNodeSetParams 10020;
    effect cuGraphExecKernelNodeSetParams 10010;
    served cuGraphExecKernelNodeSetParams_v2 12000;
    served cuGraphExecMemcpyNodeSetParams 10020;
    served cuGraphExecMemsetNodeSetParams 10020;
    served cuGraphExecNodeSetParams 12020;
    effect cuGraphExecUpdate 10020;
    served cuGraphExecUpdate_v2 12000;
    query cuGraphExternalSemaphoresSignalNodeGetParams 11020;
    effect cuGraphExternalSemaphoresSignalNodeSetParams 11020;
    query cuGraphExternalSemaphoresWaitNodeGetParams 11020;
    effect cuGraphExternalSemaphoresWaitNodeSetParams 11020;
    query cuGraphGetEdges 10000;
    served cuGraphGetEdges_v2 12030;
    served cuGraphGetNodes 10000;
    served cuGraphGetRootNodes 10000;
    query cuGraphHostNodeGetParams 10000;
    served cuGraphHostNodeSetParams 10000;
    effect cuGraphicsMapResources 3000 | cuGraphicsMapResources_ptsz 7000;
    query cuGraphicsResourceGetMappedMipmappedArray 5000;
    query cuGraphicsResourceGetMappedPointer 3000;
    query cuGraphicsResourceGetMappedPointer_v2 3020;
    effect cuGraphicsResourceSetMapFlags 3000;
    effect cuGraphicsResourceSetMapFlags_v2 6050;
    query cuGraphicsSubResourceGetMappedArray 3000;
    effect cuGraphicsUnmapResources 3000 | cuGraphicsUnmapResources_ptsz 7000;
    query cuGraphicsUnregisterResource 3000;
    effect cuGraphInstantiate 10000;
    effect cuGraphInstantiate_v2 11000;
    served cuGraphInstantiateWithFlags 11040;
    served cuGraphInstantiateWithParams 12000 | cuGraphInstantiateWithParams_ptsz 12000;
    effect cuGraphKernelNodeCopyAttributes 11000;
    query cuGraphKernelNodeGetAttribute 11000;
    query cuGraphKernelNodeGetParams 10000;
    query cuGraphKernelNodeGetParams_v2 12000;
    effect cuGraphKernelNodeSetAttribute 11000;
    effect cuGraphKernelNodeSetParams 10000;
    served cuGraphKernelNodeSetParams_v2 12000;
    limited cuGraphLaunch 10000 | cuGraphLaunch_ptsz 10000 "not into a stream that is being captured";
    query cuGraphMemAllocNodeGetParams 11040;
    query cuGraphMemcpyNodeGetParams 10000;
    served cuGraphMemcpyNodeSetParams 10000;
    query cuGraphMemFreeNodeGetParams 11040;
    query cuGraphMemsetNodeGetParams 10000;
    served cuGraphMemsetNodeSetParams 10000;
    served cuGraphNodeFindInClone 10000;
    query cuGraphNodeGetDependencies 10000;
    served cuGraphNodeGetDependencies_v2 12030;
    query cuGraphNodeGetDependentNodes 10000;
    served cuGraphNodeGetDependentNodes_v2 12030;
    served cuGraphNodeGetEnabled 11060;
    served cuGraphNodeGetType 10000;
    served cuGraphNodeSetEnabled 11060;
    served cuGraphNodeSetParams 12020;
    query cuGraphReleaseUserObject 11030;
    effect cuGraphRemoveDependencies 10000;
    served cuGraphRemoveDependencies_v2 12030;
    effect cuGraphRetainUserObject 11030;
    served cuGraphUpload 11010 | cuGraphUpload_ptsz 11010;
    effect cuGreenCtxCreate 12040;
    query cuGreenCtxDestroy 12040;
    query cuGreenCtxGetDevResource 12040;
    query cuGreenCtxGetId 12090;
    effect cuGreenCtxRecordEvent 12040;
    effect cuGreenCtxStreamCreate 12050;
    effect cuGreenCtxWaitEvent 12040;
    effect cuImportExternalMemory 10000;
    effect cuImportExternalSemaphore 10000;
    served cuInit 2000;
    served cuIpcCloseMemHandle 4010;
    served cuIpcGetEventHandle 4010;
    served cuIpcGetMemHandle 4010;
    served cuIpcOpenEventHandle 4010;
    effect cuIpcOpenMemHandle 4010;
    served cuIpcOpenMemHandle_v2 11000;
    served cuKernelGetAttribute 12000;
    served cuKernelGetFunction 12000;
    served cuKernelGetLibrary 12050;
    served cuKernelGetName 12030;
    served cuKernelGetParamInfo 12040;
    served cuKernelSetAttribute 12000;
    served cuKernelSetCacheConfig 12000;
    effect cuLaunch 2000;
    served cuLaunchCooperativeKernel 9000 | cuLaunchCooperativeKernel_ptsz 9000;
    effect cuLaunchCooperativeKernelMultiDevice 9000;
    effect cuLaunchGrid 2000;
    effect cuLaunchGridAsync 2000;
    served cuLaunchHostFunc 10000 | cuLaunchHostFunc_ptsz 10000;
    served cuLaunchKernel 4000 | cuLaunchKernel_ptsz 7000;
    limited cuLaunchKernelEx 11060 | cuLaunchKernelEx_ptsz 11060 "events of a launch, memory synchronisation domains and updatable nodes are refused";
    served cuLibraryEnumerateKernels 12040;
    served cuLibraryGetGlobal 12000;
    served cuLibraryGetKernel 12000;
    served cuLibraryGetKernelCount 12040;
    served cuLibraryGetManaged 12000;
    served cuLibraryGetModule 12000;
    query cuLibraryGetUnifiedFunction 12000;
    limited cuLibraryLoadData 12000 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuLibraryLoadFromFile 12000 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuLibraryUnload 12000 "variables stay in memory";
    effect cuLinkAddData 5050;
    limited cuLinkAddData_v2 6050 "PTX, fatbins, objects and libraries with PTX, and cubins whose PTX is known";
    effect cuLinkAddFile 5050;
    limited cuLinkAddFile_v2 6050 "PTX, fatbins, objects and libraries with PTX, and cubins whose PTX is known";
    served cuLinkComplete 5050;
    effect cuLinkCreate 5050;
    served cuLinkCreate_v2 6050;
    served cuLinkDestroy 5050;
    query cuLogsCurrent 12090;
    query cuLogsDumpToFile 12090;
    query cuLogsDumpToMemory 12090;
    query cuLogsRegisterCallback 12090;
    query cuLogsUnregisterCallback 12090;
    served cuMemAddressFree 10020;
    served cuMemAddressReserve 10020;
    served cuMemAdvise 8000;
    served cuMemAdvise_v2 12020;
    effect cuMemAlloc 2000;
    served cuMemAlloc_v2 3020;
    served cuMemAllocAsync 11020 | cuMemAllocAsync_ptsz 11020;
    served cuMemAllocFromPoolAsync 11020 | cuMemAllocFromPoolAsync_ptsz 11020;
    effect cuMemAllocHost 2000;
    served cuMemAllocHost_v2 3020;
    served cuMemAllocManaged 6000;
    effect cuMemAllocPitch 2000;
    served cuMemAllocPitch_v2 3020;
    effect cuMemBatchDecompressAsync 12060 | cuMemBatchDecompressAsync_ptsz 12060;
    served cuMemcpy 4000 | cuMemcpy_ptds 7000;
    effect cuMemcpy2D 2000;
    served cuMemcpy2D_v2 3020 | cuMemcpy2D_v2_ptds 7000;
    effect cuMemcpy2DAsync 2000;
    served cuMemcpy2DAsync_v2 3020 | cuMemcpy2DAsync_v2_ptsz 7000;
    effect cuMemcpy2DUnaligned 2000;
    served cuMemcpy2DUnaligned_v2 3020 | cuMemcpy2DUnaligned_v2_ptds 7000;
    effect cuMemcpy3D 2000;
    served cuMemcpy3D_v2 3020 | cuMemcpy3D_v2_ptds 7000;
    effect cuMemcpy3DAsync 2000;
    served cuMemcpy3DAsync_v2 3020 | cuMemcpy3DAsync_v2_ptsz 7000;
    effect cuMemcpy3DBatchAsync 12080 | cuMemcpy3DBatchAsync_ptsz 12080;
    effect cuMemcpy3DBatchAsync_v2 13000 | cuMemcpy3DBatchAsync_v2_ptsz 13000;
    served cuMemcpy3DPeer 4000 | cuMemcpy3DPeer_ptds 7000;
    served cuMemcpy3DPeerAsync 4000 | cuMemcpy3DPeerAsync_ptsz 7000;
    served cuMemcpyAsync 4000 | cuMemcpyAsync_ptsz 7000;
    effect cuMemcpyAtoA 2000;
    served cuMemcpyAtoA_v2 3020 | cuMemcpyAtoA_v2_ptds 7000;
    effect cuMemcpyAtoD 2000;
    served cuMemcpyAtoD_v2 3020 | cuMemcpyAtoD_v2_ptds 7000;
    effect cuMemcpyAtoH 2000;
    served cuMemcpyAtoH_v2 3020 | cuMemcpyAtoH_v2_ptds 7000;
    effect cuMemcpyAtoHAsync 2000;
    served cuMemcpyAtoHAsync_v2 3020 | cuMemcpyAtoHAsync_v2_ptsz 7000;
    effect cuMemcpyBatchAsync 12080 | cuMemcpyBatchAsync_ptsz 12080;
    effect cuMemcpyBatchAsync_v2 13000 | cuMemcpyBatchAsync_v2_ptsz 13000;
    effect cuMemcpyDtoA 2000;
    served cuMemcpyDtoA_v2 3020 | cuMemcpyDtoA_v2_ptds 7000;
    effect cuMemcpyDtoD 2000;
    served cuMemcpyDtoD_v2 3020 | cuMemcpyDtoD_v2_ptds 7000;
    effect cuMemcpyDtoDAsync 3000;
    served cuMemcpyDtoDAsync_v2 3020 | cuMemcpyDtoDAsync_v2_ptsz 7000;
    effect cuMemcpyDtoH 2000;
    served cuMemcpyDtoH_v2 3020 | cuMemcpyDtoH_v2_ptds 7000;
    effect cuMemcpyDtoHAsync 2000;
    served cuMemcpyDtoHAsync_v2 3020 | cuMemcpyDtoHAsync_v2_ptsz 7000;
    effect cuMemcpyHtoA 2000;
    served cuMemcpyHtoA_v2 3020 | cuMemcpyHtoA_v2_ptds 7000;
    effect cuMemcpyHtoAAsync 2000;
    served cuMemcpyHtoAAsync_v2 3020 | cuMemcpyHtoAAsync_v2_ptsz 7000;
    effect cuMemcpyHtoD 2000;
    served cuMemcpyHtoD_v2 3020 | cuMemcpyHtoD_v2_ptds 7000;
    effect cuMemcpyHtoDAsync 2000;
    served cuMemcpyHtoDAsync_v2 3020 | cuMemcpyHtoDAsync_v2_ptsz 7000;
    served cuMemcpyPeer 4000 | cuMemcpyPeer_ptds 7000;
    served cuMemcpyPeerAsync 4000 | cuMemcpyPeerAsync_ptsz 7000;
    limited cuMemCreate 10020 "memory of devices, not shared with other processes";
    effect cuMemDiscardAndPrefetchBatchAsync 13000 | cuMemDiscardAndPrefetchBatchAsync_ptsz 13000;
    effect cuMemDiscardBatchAsync 13000 | cuMemDiscardBatchAsync_ptsz 13000;
    effect cuMemExportToShareableHandle 10020;
    effect cuMemFree 2000;
    served cuMemFree_v2 3020;
    served cuMemFreeAsync 11020 | cuMemFreeAsync_ptsz 11020;
    served cuMemFreeHost 2000;
    served cuMemGetAccess 10020;
    query cuMemGetAddressRange 2000;
    served cuMemGetAddressRange_v2 3020;
    served cuMemGetAllocationGranularity 10020;
    served cuMemGetAllocationPropertiesFromHandle 10020;
    query cuMemGetDefaultMemPool 13000;
    query cuMemGetHandleForAddressRange 11070;
    query cuMemGetInfo 2000;
    served cuMemGetInfo_v2 3020;
    query cuMemGetMemPool 13000;
    served cuMemHostAlloc 2020;
    query cuMemHostGetDevicePointer 2020;
    served cuMemHostGetDevicePointer_v2 3020;
    served cuMemHostGetFlags 2030;
    effect cuMemHostRegister 4000;
    served cuMemHostRegister_v2 6050;
    served cuMemHostUnregister 4000;
    effect cuMemImportFromShareableHandle 10020;
    limited cuMemMap 10020 "at one place at a time, as a whole";
    effect cuMemMapArrayAsync 11010 | cuMemMapArrayAsync_ptsz 11010;
    served cuMemPoolCreate 11020;
    served cuMemPoolDestroy 11020;
    effect cuMemPoolExportPointer 11020;
    effect cuMemPoolExportToShareableHandle 11020;
    served cuMemPoolGetAccess 11020;
    served cuMemPoolGetAttribute 11020;
    effect cuMemPoolImportFromShareableHandle 11020;
    effect cuMemPoolImportPointer 11020;
    served cuMemPoolSetAccess 11020;
    served cuMemPoolSetAttribute 11020;
    served cuMemPoolTrimTo 11020;
    served cuMemPrefetchAsync 8000 | cuMemPrefetchAsync_ptsz 8000;
    served cuMemPrefetchAsync_v2 12020 | cuMemPrefetchAsync_v2_ptsz 12020;
    effect cuMemPrefetchBatchAsync 13000 | cuMemPrefetchBatchAsync_ptsz 13000;
    query cuMemRangeGetAttribute 8000;
    query cuMemRangeGetAttributes 8000;
    served cuMemRelease 10020;
    served cuMemRetainAllocationHandle 11000;
    served cuMemSetAccess 10020;
    effect cuMemsetD16 2000;
    served cuMemsetD16_v2 3020 | cuMemsetD16_v2_ptds 7000;
    served cuMemsetD16Async 3020 | cuMemsetD16Async_ptsz 7000;
    effect cuMemsetD2D16 2000;
    served cuMemsetD2D16_v2 3020 | cuMemsetD2D16_v2_ptds 7000;
    served cuMemsetD2D16Async 3020 | cuMemsetD2D16Async_ptsz 7000;
    effect cuMemsetD2D32 2000;
    served cuMemsetD2D32_v2 3020 | cuMemsetD2D32_v2_ptds 7000;
    served cuMemsetD2D32Async 3020 | cuMemsetD2D32Async_ptsz 7000;
    effect cuMemsetD2D8 2000;
    served cuMemsetD2D8_v2 3020 | cuMemsetD2D8_v2_ptds 7000;
    served cuMemsetD2D8Async 3020 | cuMemsetD2D8Async_ptsz 7000;
    effect cuMemsetD32 2000;
    served cuMemsetD32_v2 3020 | cuMemsetD32_v2_ptds 7000;
    served cuMemsetD32Async 3020 | cuMemsetD32Async_ptsz 7000;
    effect cuMemsetD8 2000;
    served cuMemsetD8_v2 3020 | cuMemsetD8_v2_ptds 7000;
    served cuMemsetD8Async 3020 | cuMemsetD8Async_ptsz 7000;
    effect cuMemSetMemPool 13000;
    served cuMemUnmap 10020;
    effect cuMipmappedArrayCreate 5000;
    query cuMipmappedArrayDestroy 5000;
    query cuMipmappedArrayGetLevel 5000;
    query cuMipmappedArrayGetMemoryRequirements 11060;
    query cuMipmappedArrayGetSparseProperties 11010;
    served cuModuleEnumerateFunctions 12040;
    served cuModuleGetFunction 2000;
    served cuModuleGetFunctionCount 12040;
    query cuModuleGetGlobal 2000;
    served cuModuleGetGlobal_v2 3020;
    served cuModuleGetLoadingMode 11070;
    query cuModuleGetSurfRef 3000;
    query cuModuleGetTexRef 2000;
    limited cuModuleLoad 2000 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuModuleLoadData 2000 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuModuleLoadDataEx 2010 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuModuleLoadFatBinary 2000 "PTX, fatbins with PTX, and cubins whose PTX is known";
    limited cuModuleUnload 2000 "variables stay in memory";
    effect cuMulticastAddDevice 12010;
    effect cuMulticastBindAddr 12010;
    effect cuMulticastBindMem 12010;
    effect cuMulticastCreate 12010;
    query cuMulticastGetGranularity 12010;
    effect cuMulticastUnbind 12010;
    served cuOccupancyAvailableDynamicSMemPerBlock 10020;
    served cuOccupancyMaxActiveBlocksPerMultiprocessor 6050;
    served cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags 7000;
    served cuOccupancyMaxActiveClusters 11070;
    served cuOccupancyMaxPotentialBlockSize 6050;
    served cuOccupancyMaxPotentialBlockSizeWithFlags 7000;
    served cuOccupancyMaxPotentialClusterSize 11070;
    effect cuParamSetf 2000;
    effect cuParamSeti 2000;
    effect cuParamSetSize 2000;
    effect cuParamSetTexRef 2000;
    effect cuParamSetv 2000;
    served cuPointerGetAttribute 4000;
    served cuPointerGetAttributes 7000;
    served cuPointerSetAttribute 6000;
    effect cuSignalExternalSemaphoresAsync 10000 | cuSignalExternalSemaphoresAsync_ptsz 10000;
    served cuStreamAddCallback 5000 | cuStreamAddCallback_ptsz 7000;
    served cuStreamAttachMemAsync 6000 | cuStreamAttachMemAsync_ptsz 7000;
    served cuStreamBatchMemOp 8000 | cuStreamBatchMemOp_ptsz 8000;
    served cuStreamBatchMemOp_v2 11070 | cuStreamBatchMemOp_v2_ptsz 11070;
    effect cuStreamBeginCapture 10000 | cuStreamBeginCapture_ptsz 10000;
    served cuStreamBeginCapture_v2 10010 | cuStreamBeginCapture_v2_ptsz 10010;
    served cuStreamBeginCaptureToGraph 12030 | cuStreamBeginCaptureToGraph_ptsz 12030;
    served cuStreamCopyAttributes 11000 | cuStreamCopyAttributes_ptsz 11000;
    served cuStreamCreate 2000;
    served cuStreamCreateWithPriority 5050;
    query cuStreamDestroy 2000;
    served cuStreamDestroy_v2 4000;
    served cuStreamEndCapture 10000 | cuStreamEndCapture_ptsz 10000;
    query cuStreamGetAttribute 11000 | cuStreamGetAttribute_ptsz 11000;
    query cuStreamGetCaptureInfo 10010 | cuStreamGetCaptureInfo_ptsz 10010;
    query cuStreamGetCaptureInfo_v2 11030 | cuStreamGetCaptureInfo_v2_ptsz 11030;
    served cuStreamGetCaptureInfo_v3 12030 | cuStreamGetCaptureInfo_v3_ptsz 12030;
    served cuStreamGetCtx 9020 | cuStreamGetCtx_ptsz 9020;
    served cuStreamGetCtx_v2 12050 | cuStreamGetCtx_v2_ptsz 12050;
    served cuStreamGetDevice 12080 | cuStreamGetDevice_ptsz 12080;
    served cuStreamGetFlags 5050 | cuStreamGetFlags_ptsz 7000;
    query cuStreamGetGreenCtx 12040;
    served cuStreamGetId 12000 | cuStreamGetId_ptsz 12000;
    served cuStreamGetPriority 5050 | cuStreamGetPriority_ptsz 7000;
    served cuStreamIsCapturing 10000 | cuStreamIsCapturing_ptsz 10000;
    served cuStreamQuery 2000 | cuStreamQuery_ptsz 7000;
    limited cuStreamSetAttribute 11000 | cuStreamSetAttribute_ptsz 11000 "attributes are hints";
    served cuStreamSynchronize 2000 | cuStreamSynchronize_ptsz 7000;
    effect cuStreamUpdateCaptureDependencies 11030 | cuStreamUpdateCaptureDependencies_ptsz 11030;
    served cuStreamUpdateCaptureDependencies_v2 12030 | cuStreamUpdateCaptureDependencies_v2_ptsz 12030;
    served cuStreamWaitEvent 3020 | cuStreamWaitEvent_ptsz 7000;
    served cuStreamWaitValue32 8000 | cuStreamWaitValue32_ptsz 8000;
    served cuStreamWaitValue32_v2 11070 | cuStreamWaitValue32_v2_ptsz 11070;
    served cuStreamWaitValue64 9000 | cuStreamWaitValue64_ptsz 9000;
    served cuStreamWaitValue64_v2 11070 | cuStreamWaitValue64_v2_ptsz 11070;
    served cuStreamWriteValue32 8000 | cuStreamWriteValue32_ptsz 8000;
    served cuStreamWriteValue32_v2 11070 | cuStreamWriteValue32_v2_ptsz 11070;
    served cuStreamWriteValue64 9000 | cuStreamWriteValue64_ptsz 9000;
    served cuStreamWriteValue64_v2 11070 | cuStreamWriteValue64_v2_ptsz 11070;
    served cuSurfObjectCreate 5000;
    served cuSurfObjectDestroy 5000;
    served cuSurfObjectGetResourceDesc 5000;
    query cuSurfRefGetArray 3000;
    effect cuSurfRefSetArray 3000;
    served cuTensorMapEncodeIm2col 12000;
    served cuTensorMapEncodeIm2colWide 12080;
    limited cuTensorMapEncodeTiled 12000 "interleaved boxes of several slices of channels are refused where they are used";
    served cuTensorMapReplaceAddress 12000;
    served cuTexObjectCreate 5000;
    served cuTexObjectDestroy 5000;
    query cuTexObjectGetResourceDesc 5000;
    query cuTexObjectGetResourceViewDesc 5000;
    query cuTexObjectGetTextureDesc 5000;
    effect cuTexRefCreate 2000;
    query cuTexRefDestroy 2000;
    query cuTexRefGetAddress 2000;
    query cuTexRefGetAddress_v2 3020;
    query cuTexRefGetAddressMode 2000;
    query cuTexRefGetArray 2000;
    query cuTexRefGetBorderColor 8000;
    query cuTexRefGetFilterMode 2000;
    query cuTexRefGetFlags 2000;
    query cuTexRefGetFormat 2000;
    query cuTexRefGetMaxAnisotropy 5000;
    query cuTexRefGetMipmapFilterMode 5000;
    query cuTexRefGetMipmapLevelBias 5000;
    query cuTexRefGetMipmapLevelClamp 5000;
    query cuTexRefGetMipmappedArray 5000;
    effect cuTexRefSetAddress 2000;
    effect cuTexRefSetAddress_v2 3020;
    effect cuTexRefSetAddress2D 2020;
    effect cuTexRefSetAddress2D_v2 3020;
    effect cuTexRefSetAddress2D_v3 4010;
    effect cuTexRefSetAddressMode 2000;
    effect cuTexRefSetArray 2000;
    effect cuTexRefSetBorderColor 8000;
    effect cuTexRefSetFilterMode 2000;
    effect cuTexRefSetFlags 2000;
    effect cuTexRefSetFormat 2000;
    effect cuTexRefSetMaxAnisotropy 5000;
    effect cuTexRefSetMipmapFilterMode 5000;
    effect cuTexRefSetMipmapLevelBias 5000;
    effect cuTexRefSetMipmapLevelClamp 5000;
    effect cuTexRefSetMipmappedArray 5000;
    served cuThreadExchangeStreamCaptureMode 10010;
    effect cuUserObjectCreate 11030;
    query cuUserObjectRelease 11030;
    effect cuUserObjectRetain 11030;
    effect cuWaitExternalSemaphoresAsync 10000 | cuWaitExternalSemaphoresAsync_ptsz 10000;
}

/// The table for the page of coverage (`docs/coverage.md`).
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, unreachable_pub)]
pub static warprace_driver_functions: [u8; TEXT.len()] = {
    let mut bytes = [0; TEXT.len()];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = TEXT.as_bytes()[i];
        i += 1;
    }
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(name: &str, version: c_int, flags: u64) -> &'static str {
        match find(name, version, flags) {
            Found::Function(function) => function.name,
            Found::Unknown => "unknown",
            Found::Later => "later",
        }
    }

    #[test]
    fn a_name_means_what_a_version_of_cuda_has() {
        assert_eq!(chosen("cuMemAlloc", 13000, 0), "cuMemAlloc_v2");
        assert_eq!(chosen("cuMemAlloc", 2000, 0), "cuMemAlloc");
        assert_eq!(chosen("cuMemcpyHtoD", 13000, 2), "cuMemcpyHtoD_v2_ptds");
        assert_eq!(chosen("cuStreamGetCaptureInfo", 11000, 0), "cuStreamGetCaptureInfo");
        assert_eq!(chosen("cuGraphInstantiate", 12000, 0), "cuGraphInstantiateWithFlags");
        assert_eq!(chosen("cuLibraryLoadData", 11000, 0), "later");
        assert_eq!(chosen("cuNoSuchFunction", 13000, 0), "unknown");
        assert!(!find("cuInit", 13000, 0).address().is_null());
    }

    /// The names that `cuda.h` declares, and those that its macros make of them.
    fn names_of(header: &str) -> Vec<String> {
        let mut out = Vec::new();
        for line in header.lines() {
            let line = line.trim();
            if let Some((_, rest)) = line.split_once("CUDAAPI cu") {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                out.push(format!("cu{}", &rest[..end]));
            }
            let Some(rest) = line.strip_prefix('#').map(str::trim).and_then(|l| l.strip_prefix("define cu"))
            else {
                continue;
            };
            let Some((_, value)) = rest.split_once(char::is_whitespace) else { continue };
            let value = value.trim();
            let variant = ["__CUDA_API_PTDS(", "__CUDA_API_PTSZ("].iter().find_map(|m| value.strip_prefix(m));
            match variant.and_then(|v| v.strip_suffix(')')) {
                Some(name) => {
                    out.push(name.to_owned());
                    let suffix = if value.contains("PTDS") { "_ptds" } else { "_ptsz" };
                    out.push(format!("{name}{suffix}"));
                }
                None if value.starts_with("cu") && !value.contains(' ') => out.push(value.to_owned()),
                None => {}
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    #[test]
    fn every_function_of_the_header_has_a_row() {
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/cuda/nvidia/cu13/include/cuda.h");
        let Ok(header) = std::fs::read_to_string(header) else {
            eprintln!("skipped: there is no cuda.h under target/cuda");
            return;
        };
        let all = FUNCTIONS.iter().flat_map(|row| std::iter::once(row.function).chain(row.variant));
        let mut rows: Vec<String> = all.map(|function| function.name.to_owned()).collect();
        rows.sort_unstable();
        let duplicate = rows.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(duplicate, None);
        // One is an inline function of the header.
        rows.push("cuGetProcAddress_v2_ptsz".into());
        let missing: Vec<String> =
            names_of(&header).into_iter().filter(|name| !rows.contains(name)).collect();
        assert_eq!(missing, Vec::<String>::new());
        for line in TEXT.lines() {
            let mut parts = line.splitn(3, ' ');
            let (state, name, limit) = (parts.next(), parts.next(), parts.next());
            assert_eq!(state == Some("limited"), limit != Some(""), "{name:?}");
        }
    }
}
