//! Reads from the driver which kernel a graph's node launches, and with which arguments.

use crate::call::call;
use crate::capture::{self, Call};
use crate::driver;
use crate::hooks::SUCCESS;
use std::ffi::{c_int, c_uint, c_void};

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`, `_CLUSTER_DIMENSION`
pub(crate) const COOPERATIVE: c_int = 2;
pub(crate) const CLUSTER: c_int = 4;

/// The fields of `CUDA_KERNEL_NODE_PARAMS` that this library reads.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct OldParams {
    pub(crate) function: *mut c_void,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared: c_uint,
    pub(crate) parameters: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS` from CUDA 12 on.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Params {
    pub(crate) old: OldParams,
    pub(crate) kernel: *mut c_void,
    pub(crate) context: *mut c_void,
}

/// A kernel's arguments, packed in one buffer or one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Each(Vec<Vec<u8>>),
    Packed(Vec<u8>),
}

/// The launch that a node makes.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) function: usize,
    /// The kernel's name as the driver returns it.
    pub(crate) name: Option<String>,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    cluster: [c_uint; 3],
    shared: c_uint,
    cooperative: bool,
    given: Given,
}

/// Owns the pointers to a kernel's arguments that the driver receives.
pub(crate) struct Pointers {
    each: Vec<*mut c_void>,
    size: Box<usize>,
    extra: [*mut c_void; 5],
}

impl Kernel {
    /// Returns the launch of a node with these parameters. `attribute` reads one of the node's attributes.
    ///
    /// # Safety
    /// The pointers are those of a launch of this kernel.
    pub(crate) unsafe fn new(
        params: &Params,
        attribute: impl Fn(c_int) -> Option<[c_uint; 16]>,
    ) -> Result<Kernel, &'static str> {
        let &Params { old, kernel, .. } = params;
        let function = if old.function.is_null() { kernel } else { old.function };
        // SAFETY: the caller's promise.
        let given = unsafe { given(function, old.parameters, old.extra) }?;
        let cluster =
            attribute(CLUSTER).map(|[x, y, z, ..]| [x, y, z]).filter(|extents| !extents.contains(&0));
        Ok(Kernel {
            function: function as usize,
            name: driver::name(function),
            grid: old.grid,
            block: old.block,
            cluster: cluster.unwrap_or([1; 3]),
            shared: old.shared,
            cooperative: attribute(COOPERATIVE).is_some_and(|value| value[0] != 0),
            given,
        })
    }

    pub(crate) fn given(&self) -> &Given {
        &self.given
    }

    /// Returns the launch as a call, whose pointers are valid as long as `pointers` lives.
    pub(crate) fn call(&self, stream: *mut c_void, pointers: &mut Pointers) -> Call {
        let mut call = Call {
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            shared: self.shared,
            cooperative: self.cooperative,
            stream,
            parameters: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
        };
        match &self.given {
            Given::Each(_) => call.parameters = pointers.each.as_mut_ptr(),
            Given::Packed(_) => call.extra = pointers.extra.as_mut_ptr(),
        }
        call
    }

    pub(crate) fn pointers(&self) -> Pointers {
        let mut out = Pointers { each: Vec::new(), size: Box::new(0), extra: [std::ptr::null_mut(); 5] };
        match &self.given {
            Given::Each(all) => out.each = all.iter().map(|one| one.as_ptr().cast_mut().cast()).collect(),
            Given::Packed(all) => {
                *out.size = all.len();
                let size = (&raw mut *out.size).cast();
                let (from, null) = (all.as_ptr().cast_mut().cast(), std::ptr::null_mut());
                out.extra = [capture::POINTER as *mut c_void, from, capture::SIZE as *mut c_void, size, null];
            }
        }
        out
    }
}

/// Copies the arguments of a launch.
///
/// # Safety
/// The pointers are those of a launch of this function.
unsafe fn given(
    function: *mut c_void,
    parameters: *const *mut c_void,
    extra: *const *mut c_void,
) -> Result<Given, &'static str> {
    if parameters.is_null() && !extra.is_null() {
        // SAFETY: the caller's promise.
        let all = unsafe { capture::buffer(extra) }.ok_or("its arguments are not understood")?;
        return Ok(Given::Packed(all.to_vec()));
    }
    if !driver::tells_parameters() {
        return Err("the driver does not tell what kernels of graphs are given (it is older than CUDA 12.4)");
    }
    let mut each = Vec::new();
    while let Some((_, bytes)) = driver::parameter(function, each.len()) {
        if parameters.is_null() {
            return Err("its graph does not tell what it is given");
        }
        // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
        each.push(
            unsafe { std::slice::from_raw_parts((*parameters.add(each.len())).cast::<u8>(), bytes) }.to_vec(),
        );
    }
    Ok(Given::Each(each))
}

/// Returns the launch of a kernel node of a graph. The node must not belong to an executable graph.
pub(super) fn read(node: *mut c_void) -> Result<Kernel, &'static str> {
    const UNTOLD: &str = "the driver does not tell what its graph launches";
    let null = std::ptr::null_mut();
    let old = OldParams {
        function: null,
        grid: [0; 3],
        block: [0; 3],
        shared: 0,
        parameters: null.cast(),
        extra: null.cast(),
    };
    let mut params = Params { old, kernel: null, context: null };
    let code = call!(c"cuGraphKernelNodeGetParams_v2"(node => *mut c_void, &mut params => *mut Params));
    if code != SUCCESS {
        return Err(UNTOLD);
    }
    // SAFETY: the pointers refer to the node's own copies, which live until the node is changed.
    unsafe { Kernel::new(&params, |which| attribute(node, which)) }
}

/// Returns an attribute of a kernel node.
pub(crate) fn attribute(node: *mut c_void, which: c_int) -> Option<[c_uint; 16]> {
    let mut value: [c_uint; 16] = [0; 16];
    let code = call!(c"cuGraphKernelNodeGetAttribute"(
        node => *mut c_void, which => c_int, &mut value => *mut [c_uint; 16],
    ));
    (code == SUCCESS).then_some(value)
}

/// Returns a kernel whose argument is its number.
#[cfg(test)]
pub(super) fn of(function: usize) -> Kernel {
    Kernel {
        function,
        name: None,
        grid: [1; 3],
        block: [32, 1, 1],
        cluster: [1; 3],
        shared: 0,
        cooperative: false,
        given: Given::Packed(vec![function as u8; 8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_passed_on_as_they_were_given() {
        let each = Kernel { given: Given::Each(vec![vec![1, 2, 3, 4], vec![5; 8]]), ..of(1) };
        let mut pointers = each.pointers();
        let call = each.call(std::ptr::null_mut(), &mut pointers);
        // SAFETY: the call has two pointers, to four and to eight bytes.
        let read =
            unsafe { ((*call.parameters).cast::<[u8; 4]>().read(), *(*call.parameters.add(1)).cast::<u8>()) };
        assert_eq!((read, call.extra.is_null()), (([1, 2, 3, 4], 5), true));
        let packed = of(9);
        let mut pointers = packed.pointers();
        let call = packed.call(std::ptr::null_mut(), &mut pointers);
        assert!(call.parameters.is_null());
        // SAFETY: the array has the layout that the driver expects.
        assert_eq!(unsafe { capture::buffer(call.extra) }, Some(&[9; 8][..]));
    }
}
