//! The runtime's error codes, with the names and descriptions that `cudaGetErrorName` and
//! `cudaGetErrorString` return.

/// A `cudaError_t` other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CudaError(pub(crate) i32);

/// The result of an entry point, before it is converted to a `cudaError_t`.
pub(crate) type CudaResult<T = ()> = Result<T, CudaError>;

/// The runtime's description of an unknown code.
pub(crate) const UNRECOGNIZED: &std::ffi::CStr = c"unrecognized error code";

#[allow(dead_code)]
impl CudaError {
    pub(crate) const INVALID_VALUE: CudaError = CudaError(1);
    pub(crate) const MEMORY_ALLOCATION: CudaError = CudaError(2);
    pub(crate) const INITIALIZATION_ERROR: CudaError = CudaError(3);
    pub(crate) const CUDART_UNLOADING: CudaError = CudaError(4);
    pub(crate) const PROFILER_DISABLED: CudaError = CudaError(5);
    pub(crate) const PROFILER_NOT_INITIALIZED: CudaError = CudaError(6);
    pub(crate) const PROFILER_ALREADY_STARTED: CudaError = CudaError(7);
    pub(crate) const PROFILER_ALREADY_STOPPED: CudaError = CudaError(8);
    pub(crate) const INVALID_CONFIGURATION: CudaError = CudaError(9);
    pub(crate) const INVALID_PITCH_VALUE: CudaError = CudaError(12);
    pub(crate) const INVALID_SYMBOL: CudaError = CudaError(13);
    pub(crate) const INVALID_HOST_POINTER: CudaError = CudaError(16);
    pub(crate) const INVALID_DEVICE_POINTER: CudaError = CudaError(17);
    pub(crate) const INVALID_TEXTURE: CudaError = CudaError(18);
    pub(crate) const INVALID_TEXTURE_BINDING: CudaError = CudaError(19);
    pub(crate) const INVALID_CHANNEL_DESCRIPTOR: CudaError = CudaError(20);
    pub(crate) const INVALID_MEMCPY_DIRECTION: CudaError = CudaError(21);
    pub(crate) const ADDRESS_OF_CONSTANT: CudaError = CudaError(22);
    pub(crate) const TEXTURE_FETCH_FAILED: CudaError = CudaError(23);
    pub(crate) const TEXTURE_NOT_BOUND: CudaError = CudaError(24);
    pub(crate) const SYNCHRONIZATION_ERROR: CudaError = CudaError(25);
    pub(crate) const INVALID_FILTER_SETTING: CudaError = CudaError(26);
    pub(crate) const INVALID_NORM_SETTING: CudaError = CudaError(27);
    pub(crate) const MIXED_DEVICE_EXECUTION: CudaError = CudaError(28);
    pub(crate) const NOT_YET_IMPLEMENTED: CudaError = CudaError(31);
    pub(crate) const MEMORY_VALUE_TOO_LARGE: CudaError = CudaError(32);
    pub(crate) const STUB_LIBRARY: CudaError = CudaError(34);
    pub(crate) const INSUFFICIENT_DRIVER: CudaError = CudaError(35);
    pub(crate) const CALL_REQUIRES_NEWER_DRIVER: CudaError = CudaError(36);
    pub(crate) const INVALID_SURFACE: CudaError = CudaError(37);
    pub(crate) const DUPLICATE_VARIABLE_NAME: CudaError = CudaError(43);
    pub(crate) const DUPLICATE_TEXTURE_NAME: CudaError = CudaError(44);
    pub(crate) const DUPLICATE_SURFACE_NAME: CudaError = CudaError(45);
    pub(crate) const DEVICES_UNAVAILABLE: CudaError = CudaError(46);
    pub(crate) const INCOMPATIBLE_DRIVER_CONTEXT: CudaError = CudaError(49);
    pub(crate) const MISSING_CONFIGURATION: CudaError = CudaError(52);
    pub(crate) const PRIOR_LAUNCH_FAILURE: CudaError = CudaError(53);
    pub(crate) const LAUNCH_MAX_DEPTH_EXCEEDED: CudaError = CudaError(65);
    pub(crate) const LAUNCH_FILE_SCOPED_TEX: CudaError = CudaError(66);
    pub(crate) const LAUNCH_FILE_SCOPED_SURF: CudaError = CudaError(67);
    pub(crate) const SYNC_DEPTH_EXCEEDED: CudaError = CudaError(68);
    pub(crate) const LAUNCH_PENDING_COUNT_EXCEEDED: CudaError = CudaError(69);
    pub(crate) const INVALID_DEVICE_FUNCTION: CudaError = CudaError(98);
    pub(crate) const NO_DEVICE: CudaError = CudaError(100);
    pub(crate) const INVALID_DEVICE: CudaError = CudaError(101);
    pub(crate) const DEVICE_NOT_LICENSED: CudaError = CudaError(102);
    pub(crate) const SOFTWARE_VALIDITY_NOT_ESTABLISHED: CudaError = CudaError(103);
    pub(crate) const STARTUP_FAILURE: CudaError = CudaError(127);
    pub(crate) const INVALID_KERNEL_IMAGE: CudaError = CudaError(200);
    pub(crate) const DEVICE_UNINITIALIZED: CudaError = CudaError(201);
    pub(crate) const MAP_BUFFER_OBJECT_FAILED: CudaError = CudaError(205);
    pub(crate) const UNMAP_BUFFER_OBJECT_FAILED: CudaError = CudaError(206);
    pub(crate) const ARRAY_IS_MAPPED: CudaError = CudaError(207);
    pub(crate) const ALREADY_MAPPED: CudaError = CudaError(208);
    pub(crate) const NO_KERNEL_IMAGE_FOR_DEVICE: CudaError = CudaError(209);
    pub(crate) const ALREADY_ACQUIRED: CudaError = CudaError(210);
    pub(crate) const NOT_MAPPED: CudaError = CudaError(211);
    pub(crate) const NOT_MAPPED_AS_ARRAY: CudaError = CudaError(212);
    pub(crate) const NOT_MAPPED_AS_POINTER: CudaError = CudaError(213);
    pub(crate) const E_CC_UNCORRECTABLE: CudaError = CudaError(214);
    pub(crate) const UNSUPPORTED_LIMIT: CudaError = CudaError(215);
    pub(crate) const DEVICE_ALREADY_IN_USE: CudaError = CudaError(216);
    pub(crate) const PEER_ACCESS_UNSUPPORTED: CudaError = CudaError(217);
    pub(crate) const INVALID_PTX: CudaError = CudaError(218);
    pub(crate) const INVALID_GRAPHICS_CONTEXT: CudaError = CudaError(219);
    pub(crate) const NVLINK_UNCORRECTABLE: CudaError = CudaError(220);
    pub(crate) const JIT_COMPILER_NOT_FOUND: CudaError = CudaError(221);
    pub(crate) const UNSUPPORTED_PTX_VERSION: CudaError = CudaError(222);
    pub(crate) const JIT_COMPILATION_DISABLED: CudaError = CudaError(223);
    pub(crate) const UNSUPPORTED_EXEC_AFFINITY: CudaError = CudaError(224);
    pub(crate) const UNSUPPORTED_DEV_SIDE_SYNC: CudaError = CudaError(225);
    pub(crate) const CONTAINED: CudaError = CudaError(226);
    pub(crate) const INVALID_SOURCE: CudaError = CudaError(300);
    pub(crate) const FILE_NOT_FOUND: CudaError = CudaError(301);
    pub(crate) const SHARED_OBJECT_SYMBOL_NOT_FOUND: CudaError = CudaError(302);
    pub(crate) const SHARED_OBJECT_INIT_FAILED: CudaError = CudaError(303);
    pub(crate) const OPERATING_SYSTEM: CudaError = CudaError(304);
    pub(crate) const INVALID_RESOURCE_HANDLE: CudaError = CudaError(400);
    pub(crate) const ILLEGAL_STATE: CudaError = CudaError(401);
    pub(crate) const LOSSY_QUERY: CudaError = CudaError(402);
    pub(crate) const SYMBOL_NOT_FOUND: CudaError = CudaError(500);
    pub(crate) const NOT_READY: CudaError = CudaError(600);
    pub(crate) const ILLEGAL_ADDRESS: CudaError = CudaError(700);
    pub(crate) const LAUNCH_OUT_OF_RESOURCES: CudaError = CudaError(701);
    pub(crate) const LAUNCH_TIMEOUT: CudaError = CudaError(702);
    pub(crate) const LAUNCH_INCOMPATIBLE_TEXTURING: CudaError = CudaError(703);
    pub(crate) const PEER_ACCESS_ALREADY_ENABLED: CudaError = CudaError(704);
    pub(crate) const PEER_ACCESS_NOT_ENABLED: CudaError = CudaError(705);
    pub(crate) const SET_ON_ACTIVE_PROCESS: CudaError = CudaError(708);
    pub(crate) const CONTEXT_IS_DESTROYED: CudaError = CudaError(709);
    pub(crate) const ASSERT: CudaError = CudaError(710);
    pub(crate) const TOO_MANY_PEERS: CudaError = CudaError(711);
    pub(crate) const HOST_MEMORY_ALREADY_REGISTERED: CudaError = CudaError(712);
    pub(crate) const HOST_MEMORY_NOT_REGISTERED: CudaError = CudaError(713);
    pub(crate) const HARDWARE_STACK_ERROR: CudaError = CudaError(714);
    pub(crate) const ILLEGAL_INSTRUCTION: CudaError = CudaError(715);
    pub(crate) const MISALIGNED_ADDRESS: CudaError = CudaError(716);
    pub(crate) const INVALID_ADDRESS_SPACE: CudaError = CudaError(717);
    pub(crate) const INVALID_PC: CudaError = CudaError(718);
    pub(crate) const LAUNCH_FAILURE: CudaError = CudaError(719);
    pub(crate) const COOPERATIVE_LAUNCH_TOO_LARGE: CudaError = CudaError(720);
    pub(crate) const TENSOR_MEMORY_LEAK: CudaError = CudaError(721);
    pub(crate) const NOT_PERMITTED: CudaError = CudaError(800);
    pub(crate) const NOT_SUPPORTED: CudaError = CudaError(801);
    pub(crate) const SYSTEM_NOT_READY: CudaError = CudaError(802);
    pub(crate) const SYSTEM_DRIVER_MISMATCH: CudaError = CudaError(803);
    pub(crate) const COMPAT_NOT_SUPPORTED_ON_DEVICE: CudaError = CudaError(804);
    pub(crate) const MPS_CONNECTION_FAILED: CudaError = CudaError(805);
    pub(crate) const MPS_RPC_FAILURE: CudaError = CudaError(806);
    pub(crate) const MPS_SERVER_NOT_READY: CudaError = CudaError(807);
    pub(crate) const MPS_MAX_CLIENTS_REACHED: CudaError = CudaError(808);
    pub(crate) const MPS_MAX_CONNECTIONS_REACHED: CudaError = CudaError(809);
    pub(crate) const MPS_CLIENT_TERMINATED: CudaError = CudaError(810);
    pub(crate) const CDP_NOT_SUPPORTED: CudaError = CudaError(811);
    pub(crate) const CDP_VERSION_MISMATCH: CudaError = CudaError(812);
    pub(crate) const STREAM_CAPTURE_UNSUPPORTED: CudaError = CudaError(900);
    pub(crate) const STREAM_CAPTURE_INVALIDATED: CudaError = CudaError(901);
    pub(crate) const STREAM_CAPTURE_MERGE: CudaError = CudaError(902);
    pub(crate) const STREAM_CAPTURE_UNMATCHED: CudaError = CudaError(903);
    pub(crate) const STREAM_CAPTURE_UNJOINED: CudaError = CudaError(904);
    pub(crate) const STREAM_CAPTURE_ISOLATION: CudaError = CudaError(905);
    pub(crate) const STREAM_CAPTURE_IMPLICIT: CudaError = CudaError(906);
    pub(crate) const CAPTURED_EVENT: CudaError = CudaError(907);
    pub(crate) const STREAM_CAPTURE_WRONG_THREAD: CudaError = CudaError(908);
    pub(crate) const TIMEOUT: CudaError = CudaError(909);
    pub(crate) const GRAPH_EXEC_UPDATE_FAILURE: CudaError = CudaError(910);
    pub(crate) const EXTERNAL_DEVICE: CudaError = CudaError(911);
    pub(crate) const INVALID_CLUSTER_SIZE: CudaError = CudaError(912);
    pub(crate) const FUNCTION_NOT_LOADED: CudaError = CudaError(913);
    pub(crate) const INVALID_RESOURCE_TYPE: CudaError = CudaError(914);
    pub(crate) const INVALID_RESOURCE_CONFIGURATION: CudaError = CudaError(915);
    pub(crate) const UNKNOWN: CudaError = CudaError(999);

    /// Returns the enumerator's name.
    pub(crate) fn name(self) -> &'static std::ffi::CStr {
        describe(self.0).0
    }
}

/// Returns the name and description of a code; [`UNRECOGNIZED`] for unknown ones.
pub(crate) fn describe(code: i32) -> (&'static std::ffi::CStr, &'static std::ffi::CStr) {
    match TABLE.binary_search_by_key(&code, |row| row.0) {
        Ok(i) => (TABLE[i].1, TABLE[i].2),
        Err(_) => (UNRECOGNIZED, UNRECOGNIZED),
    }
}

/// Sorted by code.
#[rustfmt::skip]
const TABLE: &[(i32, &std::ffi::CStr, &std::ffi::CStr)] = &[
    (0, c"cudaSuccess", c"no error"),
    (1, c"cudaErrorInvalidValue", c"invalid argument"),
    (2, c"cudaErrorMemoryAllocation", c"out of memory"),
    (3, c"cudaErrorInitializationError", c"initialization error"),
    (4, c"cudaErrorCudartUnloading", c"driver shutting down"),
    (5, c"cudaErrorProfilerDisabled", c"profiler disabled while using external profiling tool"),
    (6, c"cudaErrorProfilerNotInitialized", c"profiler not initialized: call cudaProfilerInitialize()"),
    (7, c"cudaErrorProfilerAlreadyStarted", c"profiler already started"),
    (8, c"cudaErrorProfilerAlreadyStopped", c"profiler already stopped"),
    (9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument"),
    (12, c"cudaErrorInvalidPitchValue", c"invalid pitch argument"),
    (13, c"cudaErrorInvalidSymbol", c"invalid device symbol"),
    (16, c"cudaErrorInvalidHostPointer", c"invalid host pointer"),
    (17, c"cudaErrorInvalidDevicePointer", c"invalid device pointer"),
    (18, c"cudaErrorInvalidTexture", c"invalid texture reference"),
    (19, c"cudaErrorInvalidTextureBinding", c"texture is not bound to a pointer"),
    (20, c"cudaErrorInvalidChannelDescriptor", c"invalid channel descriptor"),
    (21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy"),
    (22, c"cudaErrorAddressOfConstant", c"invalid address of constant"),
    (23, c"cudaErrorTextureFetchFailed", c"fetch from texture failed"),
    (24, c"cudaErrorTextureNotBound", c"cannot fetch from a texture that is not bound"),
    (25, c"cudaErrorSynchronizationError", c"incorrect use of __syncthreads()"),
    (26, c"cudaErrorInvalidFilterSetting", c"linear filtering not supported for non-float type"),
    (27, c"cudaErrorInvalidNormSetting", c"read as normalized float not supported for data type"),
    (28, c"cudaErrorMixedDeviceExecution", c"device emulation mode and device execution mode cannot be mixed"),
    (31, c"cudaErrorNotYetImplemented", c"feature not yet implemented"),
    (32, c"cudaErrorMemoryValueTooLarge", c"memory size or pointer value too large to fit in 32 bit"),
    (34, c"cudaErrorStubLibrary", c"CUDA driver is a stub library"),
    (35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version"),
    (36, c"cudaErrorCallRequiresNewerDriver", c"API call is not supported in the installed CUDA driver"),
    (37, c"cudaErrorInvalidSurface", c"invalid surface reference"),
    (43, c"cudaErrorDuplicateVariableName", c"duplicate global variable looked up by string name"),
    (44, c"cudaErrorDuplicateTextureName", c"duplicate texture looked up by string name"),
    (45, c"cudaErrorDuplicateSurfaceName", c"duplicate surface looked up by string name"),
    (46, c"cudaErrorDevicesUnavailable", c"CUDA-capable device(s) is/are busy or unavailable"),
    (49, c"cudaErrorIncompatibleDriverContext", c"incompatible driver context"),
    (52, c"cudaErrorMissingConfiguration", c"__global__ function call is not configured"),
    (53, c"cudaErrorPriorLaunchFailure", c"unspecified launch failure in prior launch"),
    (65, c"cudaErrorLaunchMaxDepthExceeded", c"launch would exceed maximum depth of nested launches"),
    (66, c"cudaErrorLaunchFileScopedTex", c"launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"),
    (67, c"cudaErrorLaunchFileScopedSurf", c"launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"),
    (68, c"cudaErrorSyncDepthExceeded", c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    (69, c"cudaErrorLaunchPendingCountExceeded", c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, c"cudaErrorInvalidDeviceFunction", c"invalid device function"),
    (100, c"cudaErrorNoDevice", c"no CUDA-capable device is detected"),
    (101, c"cudaErrorInvalidDevice", c"invalid device ordinal"),
    (102, c"cudaErrorDeviceNotLicensed", c"device doesn't have valid Grid license"),
    (103, c"cudaErrorSoftwareValidityNotEstablished", c"integrity checks failed"),
    (127, c"cudaErrorStartupFailure", c"startup failure in cuda runtime"),
    (200, c"cudaErrorInvalidKernelImage", c"device kernel image is invalid"),
    (201, c"cudaErrorDeviceUninitialized", c"invalid device context"),
    (205, c"cudaErrorMapBufferObjectFailed", c"mapping of buffer object failed"),
    (206, c"cudaErrorUnmapBufferObjectFailed", c"unmapping of buffer object failed"),
    (207, c"cudaErrorArrayIsMapped", c"array is mapped"),
    (208, c"cudaErrorAlreadyMapped", c"resource already mapped"),
    (209, c"cudaErrorNoKernelImageForDevice", c"no kernel image is available for execution on the device"),
    (210, c"cudaErrorAlreadyAcquired", c"resource already acquired"),
    (211, c"cudaErrorNotMapped", c"resource not mapped"),
    (212, c"cudaErrorNotMappedAsArray", c"resource not mapped as array"),
    (213, c"cudaErrorNotMappedAsPointer", c"resource not mapped as pointer"),
    (214, c"cudaErrorECCUncorrectable", c"uncorrectable ECC error encountered"),
    (215, c"cudaErrorUnsupportedLimit", c"limit is not supported on this architecture"),
    (216, c"cudaErrorDeviceAlreadyInUse", c"exclusive-thread device already in use by a different thread"),
    (217, c"cudaErrorPeerAccessUnsupported", c"peer access is not supported between these two devices"),
    (218, c"cudaErrorInvalidPtx", c"a PTX JIT compilation failed"),
    (219, c"cudaErrorInvalidGraphicsContext", c"invalid OpenGL or DirectX context"),
    (220, c"cudaErrorNvlinkUncorrectable", c"uncorrectable NVLink error detected during the execution"),
    (221, c"cudaErrorJitCompilerNotFound", c"PTX JIT compiler library not found"),
    (222, c"cudaErrorUnsupportedPtxVersion", c"the provided PTX was compiled with an unsupported toolchain."),
    (223, c"cudaErrorJitCompilationDisabled", c"PTX JIT compilation was disabled"),
    (224, c"cudaErrorUnsupportedExecAffinity", c"the provided execution affinity is not supported"),
    (225, c"cudaErrorUnsupportedDevSideSync", c"the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    (226, c"cudaErrorContained", c"Invalid access of peer GPU memory over nvlink or a hardware error"),
    (300, c"cudaErrorInvalidSource", c"device kernel image is invalid"),
    (301, c"cudaErrorFileNotFound", c"file not found"),
    (302, c"cudaErrorSharedObjectSymbolNotFound", c"shared object symbol not found"),
    (303, c"cudaErrorSharedObjectInitFailed", c"shared object initialization failed"),
    (304, c"cudaErrorOperatingSystem", c"OS call failed or operation not supported on this OS"),
    (400, c"cudaErrorInvalidResourceHandle", c"invalid resource handle"),
    (401, c"cudaErrorIllegalState", c"the operation cannot be performed in the present state"),
    (402, c"cudaErrorLossyQuery", c"attempted introspection would be semantically lossy"),
    (500, c"cudaErrorSymbolNotFound", c"named symbol not found"),
    (600, c"cudaErrorNotReady", c"device not ready"),
    (700, c"cudaErrorIllegalAddress", c"an illegal memory access was encountered"),
    (701, c"cudaErrorLaunchOutOfResources", c"too many resources requested for launch"),
    (702, c"cudaErrorLaunchTimeout", c"the launch timed out and was terminated"),
    (703, c"cudaErrorLaunchIncompatibleTexturing", c"launch uses incompatible texturing mode"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled", c"peer access is already enabled"),
    (705, c"cudaErrorPeerAccessNotEnabled", c"peer access has not been enabled"),
    (708, c"cudaErrorSetOnActiveProcess", c"cannot set while device is active in this process"),
    (709, c"cudaErrorContextIsDestroyed", c"context is destroyed"),
    (710, c"cudaErrorAssert", c"device-side assert triggered"),
    (711, c"cudaErrorTooManyPeers", c"peer mapping resources exhausted"),
    (712, c"cudaErrorHostMemoryAlreadyRegistered", c"part or all of the requested memory range is already mapped"),
    (713, c"cudaErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region"),
    (714, c"cudaErrorHardwareStackError", c"hardware stack error"),
    (715, c"cudaErrorIllegalInstruction", c"an illegal instruction was encountered"),
    (716, c"cudaErrorMisalignedAddress", c"misaligned address"),
    (717, c"cudaErrorInvalidAddressSpace", c"operation not supported on global/shared address space"),
    (718, c"cudaErrorInvalidPc", c"invalid program counter"),
    (719, c"cudaErrorLaunchFailure", c"unspecified launch failure"),
    (720, c"cudaErrorCooperativeLaunchTooLarge", c"too many blocks in cooperative launch"),
    (721, c"cudaErrorTensorMemoryLeak", c"tensor memory not completely freed"),
    (800, c"cudaErrorNotPermitted", c"operation not permitted"),
    (801, c"cudaErrorNotSupported", c"operation not supported"),
    (802, c"cudaErrorSystemNotReady", c"system not yet initialized"),
    (803, c"cudaErrorSystemDriverMismatch", c"system has unsupported display driver / cuda driver combination"),
    (804, c"cudaErrorCompatNotSupportedOnDevice", c"forward compatibility was attempted on non supported HW"),
    (805, c"cudaErrorMpsConnectionFailed", c"MPS client failed to connect to the MPS control daemon or the MPS server"),
    (806, c"cudaErrorMpsRpcFailure", c"the remote procedural call between the MPS server and the MPS client failed"),
    (807, c"cudaErrorMpsServerNotReady", c"MPS server is not ready to accept new MPS client requests"),
    (808, c"cudaErrorMpsMaxClientsReached", c"the hardware resources required to create MPS client have been exhausted"),
    (809, c"cudaErrorMpsMaxConnectionsReached", c"the hardware resources required to support device connections have been exhausted"),
    (810, c"cudaErrorMpsClientTerminated", c"the MPS client has been terminated by the server"),
    (811, c"cudaErrorCdpNotSupported", c"is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"),
    (812, c"cudaErrorCdpVersionMismatch", c"unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    (900, c"cudaErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing"),
    (901, c"cudaErrorStreamCaptureInvalidated", c"operation failed due to a previous error during capture"),
    (902, c"cudaErrorStreamCaptureMerge", c"operation would result in a merge of separate capture sequences"),
    (903, c"cudaErrorStreamCaptureUnmatched", c"capture was not ended in the same stream as it began"),
    (904, c"cudaErrorStreamCaptureUnjoined", c"capturing stream has unjoined work"),
    (905, c"cudaErrorStreamCaptureIsolation", c"dependency created on uncaptured work in another stream"),
    (906, c"cudaErrorStreamCaptureImplicit", c"operation would make the legacy stream depend on a capturing blocking stream"),
    (907, c"cudaErrorCapturedEvent", c"operation not permitted on an event last recorded in a capturing stream"),
    (908, c"cudaErrorStreamCaptureWrongThread", c"attempt to terminate a thread-local capture sequence from another thread"),
    (909, c"cudaErrorTimeout", c"wait operation timed out"),
    (910, c"cudaErrorGraphExecUpdateFailure", c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    (911, c"cudaErrorExternalDevice", c"an async error has occured in external entity outside of CUDA"),
    (912, c"cudaErrorInvalidClusterSize", c"a kernel launch error has occurred due to cluster misconfiguration"),
    (913, c"cudaErrorFunctionNotLoaded", c"the function handle is not loaded when calling an API that requires a loaded function"),
    (914, c"cudaErrorInvalidResourceType", c"one or more resources passed in are not valid resource types for the operation"),
    (915, c"cudaErrorInvalidResourceConfiguration", c"one or more resources are insufficient or non-applicable for the operation"),
    (999, c"cudaErrorUnknown", c"unknown error"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_and_answers_like_the_runtime() {
        assert!(TABLE.windows(2).all(|w| w[0].0 < w[1].0));
        assert_eq!(describe(0), (c"cudaSuccess", c"no error"));
        assert_eq!(describe(700).0, c"cudaErrorIllegalAddress");
        assert_eq!(describe(4242), (UNRECOGNIZED, UNRECOGNIZED));
        assert_eq!(CudaError::NOT_SUPPORTED.name(), c"cudaErrorNotSupported");
    }
}
