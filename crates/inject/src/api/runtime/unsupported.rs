//! The rest of the runtime API: calls that are refused by name.
//!
//! Each answers `cudaErrorNotSupported` and is listed in the result. Those that would have
//! changed what kernels do make a clean verdict inconclusive; queries and clean-up do not.

use crate::abi::error::{CudaError, CudaResult};
use crate::call::Call;
use crate::context;

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

/// Defines functions that are refused, and `$table`, which names them, one a line, for the table of coverage
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

/// Registers what only device-side launches need.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterUnifiedTable(_: *mut core::ffi::c_void, _: *mut core::ffi::c_void) {
    let _ = context::get();
}

/// Functions whose effect could have changed what kernels do: the verdict is inconclusive.
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

/// Queries and clean-up: the verdict stays.
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
