//! What a session asks of modules and kernels.

use super::{Function, ImageId, State};
use crate::capture;
use crate::graphs::{Graph, Kernel};
use crate::session::{self, Loading};
use std::ffi::c_void;

impl State {
    /// Records a launch that is about to begin.
    pub(crate) fn session_launch(&mut self, function: usize, call: &capture::Call, programmatic: bool) {
        let Some(Function { name, image, .. }) = self.modules.functions.get(&function) else { return };
        match image.and_then(|image| self.session_loading(image, function)) {
            // SAFETY: the pointers are the arguments of a launch that has not begun.
            Some(loading) => unsafe { session::launched(name, loading, call, programmatic) },
            None => session::not_launched(name, "its PTX is not known"),
        }
    }

    /// Records a module whose variables the program asks for. `handle` is the one by which it was loaded.
    pub(crate) fn session_module(&self, handle: usize, module: *mut c_void) {
        if let Some(image) = self.modules.image_of(handle)
            && let Some(texts) = self.modules.texts(image)
        {
            session::loads(Loading { image, texts, module: Some(module) });
        }
    }

    /// Records an executable graph that was made of a graph, or was changed to be like it.
    pub(crate) fn session_graph(&mut self, api: &str, made: usize, read: Result<&Graph, &'static str>) {
        session::graph_made(api, made as u64, read, &|kernel| self.session_kernel(kernel));
    }

    /// Records a change of a kernel of an executable graph.
    pub(crate) fn session_node(&mut self, made: usize, node: usize, kernel: Result<&Kernel, &'static str>) {
        let (api, made, node) = ("cuGraphExecKernelNodeSetParams", made as u64, node as u64);
        match kernel {
            Ok(kernel) => {
                let find = |kernel: &Kernel| self.session_kernel(kernel);
                session::graph_changed(api, made, node, Some((kernel, &find)), None);
            }
            Err(_) => session::graph_changed(api, made, node, None, None),
        }
    }

    fn session_kernel(&self, kernel: &Kernel) -> Result<(String, Loading<'_>), &'static str> {
        let (name, image) = self.kernel_of(kernel)?;
        let loading = self.session_loading(image, kernel.function).ok_or("its PTX is not known")?;
        Ok((name, loading))
    }

    fn session_loading(&self, image: ImageId, function: usize) -> Option<Loading<'_>> {
        let texts = self.modules.texts(image)?;
        Some(Loading { image, texts, module: capture::module(self.parts.own(function) as *mut c_void) })
    }
}
