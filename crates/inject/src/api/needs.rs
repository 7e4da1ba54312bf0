//! What functions of the driver need before they can be called.

/// What a function needs before it can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    Nothing,
    /// `cuInit`
    Initialised,
    /// A current context.
    Context,
}

/// Names that begin so need `cuInit` only.
const WITHOUT_CONTEXT: [&str; 17] = [
    "cuDevice",
    "cuCtxCreate",
    "cuCtxDestroy",
    "cuCtxSetCurrent",
    "cuCtxGetCurrent",
    "cuCtxPush",
    "cuCtxPop",
    "cuLibrary",
    "cuKernel",
    "cuModuleGetLoadingMode",
    "cuMemAddress",
    "cuMemCreate",
    "cuMemGetAllocation",
    "cuMemPool",
    "cuPointerGet",
    "cuMulticast",
    "cuDevResource",
];

/// These as well.
const WITHOUT_CONTEXT_EXACTLY: [&str; 14] = [
    "cuMemMap",
    "cuMemUnmap",
    "cuMemRelease",
    "cuMemSetAccess",
    "cuMemGetAccess",
    "cuMemRetainAllocationHandle",
    "cuMemGetHandleForAddressRange",
    "cuMemExportToShareableHandle",
    "cuMemImportFromShareableHandle",
    "cuThreadExchangeStreamCaptureMode",
    "cuCtxGetApiVersion",
    "cuCtxGetDevice_v2",
    "cuCtxSynchronize_v2",
    "cuMemHostRegister_v2",
];

impl Needs {
    pub(crate) fn of(api: &str) -> Needs {
        match api {
            "cuInit" | "cuDriverGetVersion" | "cuGetErrorName" | "cuGetErrorString" | "cuGetExportTable" => {
                Needs::Nothing
            }
            _ if api.starts_with("cuGetProcAddress") => Needs::Nothing,
            _ if WITHOUT_CONTEXT_EXACTLY.contains(&api) => Needs::Initialised,
            _ if WITHOUT_CONTEXT.iter().any(|begin| api.starts_with(begin)) => Needs::Initialised,
            _ => Needs::Context,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_needs_follows_from_its_name() {
        assert_eq!(Needs::of("cuInit"), Needs::Nothing);
        assert_eq!(Needs::of("cuDevicePrimaryCtxRetain"), Needs::Initialised);
        assert_eq!(Needs::of("cuMemMap"), Needs::Initialised);
        assert_eq!(Needs::of("cuMemAlloc_v2"), Needs::Context);
        assert_eq!(Needs::of("cuLaunchKernel_ptsz"), Needs::Context);
    }
}
