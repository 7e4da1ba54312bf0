//! The unsupported functions of the runtime API, which are refused by name.
//!
//! Each returns `cudaErrorNotSupported` and is listed in the result. Functions that would have affected
//! kernels make a clean verdict inconclusive; queries and clean-up do not.

use crate::abi::error::{CudaError, CudaResult};
use crate::call::Call;
use crate::context;

/// Implements every refused function. The arguments are ignored.
fn refuse(call: &Call, matters: bool) -> CudaResult {
    let mut state = call.runtime.lock();
    state.results.unsupported(call.api, call.caller, matters);
    // The result is written now, since many programs give up on this error, some by a signal.
    if state.results.is_stale() {
        call.runtime.write_results(&mut state);
    }
    Err(CudaError::NOT_SUPPORTED)
}

/// Defines refused functions, and `$table`, which lists their names, one a line, for the table of coverage
/// (`docs/coverage.md`).
macro_rules! refused {
    ($table:ident $matters:literal: $($name:ident)*) => {
        api! { $( fn $name() = |call| refuse(call, $matters); )* }

        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals, missing_docs)]
        pub static $table: [u8; NAMES.len()] = {
            let mut bytes = [0; NAMES.len()];
            let mut i = 0;
            while i < bytes.len() {
                bytes[i] = NAMES.as_bytes()[i];
                i += 1;
            }
            bytes
        };
        const NAMES: &str = concat!($(stringify!($name), "\n"),*);
    };
}

/// Registers data for device-side launches, which is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterUnifiedTable(_: *mut core::ffi::c_void, _: *mut core::ffi::c_void) {
    let _ = context::get();
}

/// Functions that would have affected kernels: the verdict becomes inconclusive.
mod effects {
    use super::refuse;

    refused! { warprace_refused true:
        cudaDeviceRegisterAsyncNotification
        cudaEGLStreamConsumerAcquireFrame
        cudaEGLStreamConsumerConnect
        cudaEGLStreamConsumerConnectWithFlags
        cudaEGLStreamConsumerDisconnect
        cudaEGLStreamProducerConnect
        cudaEGLStreamProducerDisconnect
        cudaEGLStreamProducerPresentFrame
        cudaEGLStreamProducerReturnFrame
        cudaEventCreateFromEGLSync
        cudaFreeMipmappedArray
        cudaGLMapBufferObject
        cudaGLMapBufferObjectAsync
        cudaGLRegisterBufferObject
        cudaGLSetBufferObjectMapFlags
        cudaGLSetGLDevice
        cudaGLUnmapBufferObject
        cudaGLUnmapBufferObjectAsync
        cudaGraphAddExternalSemaphoresSignalNode
        cudaGraphAddExternalSemaphoresWaitNode
        cudaGraphEventRecordNodeSetEvent
        cudaGraphEventWaitNodeSetEvent
        cudaGraphExecChildGraphNodeSetParams
        cudaGraphExecEventRecordNodeSetEvent
        cudaGraphExecEventWaitNodeSetEvent
        cudaGraphExecExternalSemaphoresSignalNodeSetParams
        cudaGraphExecExternalSemaphoresWaitNodeSetParams
        cudaGraphExecMemcpyNodeSetParamsFromSymbol
        cudaGraphExecMemcpyNodeSetParamsToSymbol
        cudaGraphExecNodeSetParams
        cudaGraphExternalSemaphoresSignalNodeSetParams
        cudaGraphExternalSemaphoresWaitNodeSetParams
        cudaGraphKernelNodeCopyAttributes
        cudaGraphKernelNodeSetAttribute
        cudaGraphMemcpyNodeSetParamsFromSymbol
        cudaGraphMemcpyNodeSetParamsToSymbol
        cudaGraphicsEGLRegisterImage
        cudaGraphicsGLRegisterBuffer
        cudaGraphicsGLRegisterImage
        cudaGraphicsMapResources
        cudaGraphicsResourceSetMapFlags
        cudaGraphicsUnmapResources
        cudaGraphicsVDPAURegisterOutputSurface
        cudaGraphicsVDPAURegisterVideoSurface
        cudaImportExternalMemory
        cudaImportExternalSemaphore
        cudaKernelSetAttributeForDevice
        cudaLibraryEnumerateKernels
        cudaLibraryLoadData
        cudaLibraryLoadFromFile
        cudaLibraryUnload
        cudaMallocMipmappedArray
        cudaMemPoolExportPointer
        cudaMemPoolExportToShareableHandle
        cudaMemPoolImportFromShareableHandle
        cudaMemPoolImportPointer
        cudaMemSetMemPool
        cudaMemcpy2DArrayToArray
        cudaMemcpy2DArrayToArray_ptds
        cudaMemcpy3DBatchAsync
        cudaMemcpy3DBatchAsync_ptsz
        cudaMemcpyArrayToArray
        cudaMemcpyArrayToArray_ptds
        cudaMemcpyBatchAsync
        cudaMemcpyBatchAsync_ptsz
        cudaSignalExternalSemaphoresAsync
        cudaSignalExternalSemaphoresAsync_ptsz
        cudaUserObjectCreate
        cudaVDPAUSetVDPAUDevice
        cudaWaitExternalSemaphoresAsync
        cudaWaitExternalSemaphoresAsync_ptsz
    }
}

/// Queries and clean-up: the verdict is unaffected.
mod queries {
    use super::refuse;

    refused! { warprace_refused_queries false:
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
        cudaDeviceUnregisterAsyncNotification
        cudaEGLStreamConsumerReleaseFrame
        cudaExternalMemoryGetMappedBuffer
        cudaExternalMemoryGetMappedMipmappedArray
        cudaGLGetDevices
        cudaGLUnregisterBufferObject
        cudaGetExportTable
        cudaGetMipmappedArrayLevel
        cudaGetTextureObjectResourceDesc
        cudaGetTextureObjectResourceViewDesc
        cudaGetTextureObjectTextureDesc
        cudaGraphChildGraphNodeGetGraph
        cudaGraphDebugDotPrint
        cudaGraphEventRecordNodeGetEvent
        cudaGraphEventWaitNodeGetEvent
        cudaGraphExternalSemaphoresSignalNodeGetParams
        cudaGraphExternalSemaphoresWaitNodeGetParams
        cudaGraphHostNodeGetParams
        cudaGraphKernelNodeGetAttribute
        cudaGraphKernelNodeGetParams
        cudaGraphMemAllocNodeGetParams
        cudaGraphMemFreeNodeGetParams
        cudaGraphMemcpyNodeGetParams
        cudaGraphMemsetNodeGetParams
        cudaGraphReleaseUserObject
        cudaGraphRetainUserObject
        cudaGraphicsResourceGetMappedEglFrame
        cudaGraphicsResourceGetMappedMipmappedArray
        cudaGraphicsResourceGetMappedPointer
        cudaGraphicsSubResourceGetMappedArray
        cudaGraphicsUnregisterResource
        cudaLibraryGetGlobal
        cudaLibraryGetKernel
        cudaLibraryGetKernelCount
        cudaLibraryGetManaged
        cudaLibraryGetUnifiedFunction
        cudaLogsCurrent
        cudaLogsDumpToFile
        cudaLogsDumpToMemory
        cudaLogsRegisterCallback
        cudaLogsUnregisterCallback
        cudaMemDiscardAndPrefetchBatchAsync
        cudaMemDiscardAndPrefetchBatchAsync_ptsz
        cudaMemDiscardBatchAsync
        cudaMemDiscardBatchAsync_ptsz
        cudaMemGetDefaultMemPool
        cudaMemGetMemPool
        cudaMemPrefetchBatchAsync
        cudaMemPrefetchBatchAsync_ptsz
        cudaMemRangeGetAttribute
        cudaMemRangeGetAttributes
        cudaMipmappedArrayGetMemoryRequirements
        cudaMipmappedArrayGetSparseProperties
        cudaStreamGetAttribute
        cudaStreamGetAttribute_ptsz
        cudaUserObjectRelease
        cudaUserObjectRetain
        cudaVDPAUGetDevice
    }
}
