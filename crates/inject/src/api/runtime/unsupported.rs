//! The unsupported functions of the runtime API, which are refused by name.
//!
//! Each answers `cudaErrorNotSupported` and is listed in the result. Those that would have changed what kernels do make a clean
//! verdict inconclusive; queries and clean-up do not. Which is which: `host::api`.

use crate::abi::error::{CudaError, CudaResult};
use crate::call::Call;
use crate::context;
use host::api::{RUNTIME, Served, find};

/// What every refused call does. Its arguments are not looked at.
fn refuse(call: &Call) -> CudaResult {
    let matters = find(RUNTIME, call.api) != Some(Served::Unanswered);
    let mut state = call.runtime.lock();
    state.results.unsupported(call.api, call.caller, matters);
    // The result is written now, since many programs give up on this error, some by a signal.
    if state.results.is_stale() {
        call.runtime.write_results(&mut state);
    }
    Err(CudaError::NOT_SUPPORTED)
}

/// Defines functions that `host::api` has as refused.
macro_rules! refused {
    ($($name:ident)*) => {
        api! { @refused $( fn $name() = |call| refuse(call); )* }
    };
}

/// Registers data for device-side launches, which is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterUnifiedTable(_: *mut core::ffi::c_void, _: *mut core::ffi::c_void) {
    let _ = context::get();
}

refused! {
    __cudaGetProcAddress
    cudaArrayGetMemoryRequirements
    cudaArrayGetPlane
    cudaArrayGetSparseProperties
    cudaDestroyExternalMemory
    cudaDestroyExternalSemaphore
    cudaDeviceGetHostAtomicCapabilities
    cudaDeviceGetNvSciSyncAttributes
    cudaDeviceGetP2PAtomicCapabilities
    cudaDeviceGetTexture1DLinearMaxWidth
    cudaDeviceRegisterAsyncNotification
    cudaDeviceUnregisterAsyncNotification
    cudaEGLStreamConsumerAcquireFrame
    cudaEGLStreamConsumerConnect
    cudaEGLStreamConsumerConnectWithFlags
    cudaEGLStreamConsumerDisconnect
    cudaEGLStreamConsumerReleaseFrame
    cudaEGLStreamProducerConnect
    cudaEGLStreamProducerDisconnect
    cudaEGLStreamProducerPresentFrame
    cudaEGLStreamProducerReturnFrame
    cudaEventCreateFromEGLSync
    cudaExternalMemoryGetMappedBuffer
    cudaExternalMemoryGetMappedMipmappedArray
    cudaFreeMipmappedArray
    cudaGLGetDevices
    cudaGLMapBufferObject
    cudaGLMapBufferObjectAsync
    cudaGLRegisterBufferObject
    cudaGLSetBufferObjectMapFlags
    cudaGLSetGLDevice
    cudaGLUnmapBufferObject
    cudaGLUnmapBufferObjectAsync
    cudaGLUnregisterBufferObject
    cudaGetExportTable
    cudaGetMipmappedArrayLevel
    cudaGetTextureObjectResourceDesc
    cudaGetTextureObjectResourceViewDesc
    cudaGetTextureObjectTextureDesc
    cudaGraphAddExternalSemaphoresSignalNode
    cudaGraphAddExternalSemaphoresWaitNode
    cudaGraphChildGraphNodeGetGraph
    cudaGraphDebugDotPrint
    cudaGraphEventRecordNodeGetEvent
    cudaGraphEventRecordNodeSetEvent
    cudaGraphEventWaitNodeGetEvent
    cudaGraphEventWaitNodeSetEvent
    cudaGraphExecChildGraphNodeSetParams
    cudaGraphExecEventRecordNodeSetEvent
    cudaGraphExecEventWaitNodeSetEvent
    cudaGraphExecExternalSemaphoresSignalNodeSetParams
    cudaGraphExecExternalSemaphoresWaitNodeSetParams
    cudaGraphExecMemcpyNodeSetParamsFromSymbol
    cudaGraphExecMemcpyNodeSetParamsToSymbol
    cudaGraphExternalSemaphoresSignalNodeGetParams
    cudaGraphExternalSemaphoresSignalNodeSetParams
    cudaGraphExternalSemaphoresWaitNodeGetParams
    cudaGraphExternalSemaphoresWaitNodeSetParams
    cudaGraphHostNodeGetParams
    cudaGraphKernelNodeCopyAttributes
    cudaGraphKernelNodeGetAttribute
    cudaGraphKernelNodeGetParams
    cudaGraphKernelNodeSetAttribute
    cudaGraphMemAllocNodeGetParams
    cudaGraphMemFreeNodeGetParams
    cudaGraphMemcpyNodeGetParams
    cudaGraphMemcpyNodeSetParamsFromSymbol
    cudaGraphMemcpyNodeSetParamsToSymbol
    cudaGraphMemsetNodeGetParams
    cudaGraphReleaseUserObject
    cudaGraphRetainUserObject
    cudaGraphicsEGLRegisterImage
    cudaGraphicsGLRegisterBuffer
    cudaGraphicsGLRegisterImage
    cudaGraphicsMapResources
    cudaGraphicsResourceGetMappedEglFrame
    cudaGraphicsResourceGetMappedMipmappedArray
    cudaGraphicsResourceGetMappedPointer
    cudaGraphicsResourceSetMapFlags
    cudaGraphicsSubResourceGetMappedArray
    cudaGraphicsUnmapResources
    cudaGraphicsUnregisterResource
    cudaGraphicsVDPAURegisterOutputSurface
    cudaGraphicsVDPAURegisterVideoSurface
    cudaImportExternalMemory
    cudaImportExternalSemaphore
    cudaKernelSetAttributeForDevice
    cudaLibraryEnumerateKernels
    cudaLibraryGetGlobal
    cudaLibraryGetKernel
    cudaLibraryGetKernelCount
    cudaLibraryGetManaged
    cudaLibraryGetUnifiedFunction
    cudaLibraryLoadData
    cudaLibraryLoadFromFile
    cudaLibraryUnload
    cudaLogsCurrent
    cudaLogsDumpToFile
    cudaLogsDumpToMemory
    cudaLogsRegisterCallback
    cudaLogsUnregisterCallback
    cudaMallocMipmappedArray
    cudaMemDiscardAndPrefetchBatchAsync
    cudaMemDiscardAndPrefetchBatchAsync_ptsz
    cudaMemDiscardBatchAsync
    cudaMemDiscardBatchAsync_ptsz
    cudaMemGetDefaultMemPool
    cudaMemGetMemPool
    cudaMemPoolExportPointer
    cudaMemPoolExportToShareableHandle
    cudaMemPoolImportFromShareableHandle
    cudaMemPoolImportPointer
    cudaMemPrefetchBatchAsync
    cudaMemPrefetchBatchAsync_ptsz
    cudaMemRangeGetAttribute
    cudaMemRangeGetAttributes
    cudaMemSetMemPool
    cudaMemcpy2DArrayToArray
    cudaMemcpy2DArrayToArray_ptds
    cudaMemcpy3DBatchAsync
    cudaMemcpy3DBatchAsync_ptsz
    cudaMemcpyArrayToArray
    cudaMemcpyArrayToArray_ptds
    cudaMemcpyBatchAsync
    cudaMemcpyBatchAsync_ptsz
    cudaMipmappedArrayGetMemoryRequirements
    cudaMipmappedArrayGetSparseProperties
    cudaSignalExternalSemaphoresAsync
    cudaSignalExternalSemaphoresAsync_ptsz
    cudaStreamGetAttribute
    cudaStreamGetAttribute_ptsz
    cudaUserObjectCreate
    cudaUserObjectRelease
    cudaUserObjectRetain
    cudaVDPAUGetDevice
    cudaVDPAUSetVDPAUDevice
    cudaWaitExternalSemaphoresAsync
    cudaWaitExternalSemaphoresAsync_ptsz
}
