//! Modules and launches.

use super::{Recorder, missing, with};
use crate::capture::{self, Call};
use crate::graphs::Given;
use crate::tensor_maps;
use compilers::Texts;
use events::Dim3;
use kernels::{GlobalVariable, Source, VariableSpace};
use names::symbol;
use snapshot::session::{Arguments, Kernel, MemoryKind, Module, Step, Variable};
use std::collections::HashMap;
use std::ffi::c_void;
use std::io;

/// The first address of variables of which the driver does not tell where they are.
const NOWHERE: u64 = 0x5200_0000_0000;

/// What the session has of modules.
pub(super) struct Modules {
    known: HashMap<(usize, u32), Result<Known, String>>,
    /// Numbers of texts by their contents.
    texts: HashMap<String, u32>,
    next: u32,
    nowhere: u64,
}

impl Default for Modules {
    fn default() -> Self {
        let (known, texts) = Default::default();
        Modules { known, texts, next: 0, nowhere: NOWHERE }
    }
}

/// A module of the session.
#[derive(Clone)]
pub(super) struct Known {
    number: u32,
    /// The sizes of each kernel's parameters.
    parameters: HashMap<String, Vec<usize>>,
    /// Whether its kernels may synchronise with the host while they run.
    tells_host: bool,
}

/// Returns whether a text has operations of system scope.
fn may_tell_host(text: &str) -> bool {
    [".sys", ".volatile"].iter().any(|operation| text.contains(operation))
}

/// A loaded image, and the driver's handle of its module.
#[derive(Clone, Copy)]
pub(crate) struct Loading<'a> {
    /// The number by which this library knows the image.
    pub(crate) image: usize,
    pub(crate) texts: &'a Texts,
    pub(crate) module: Option<*mut c_void>,
}

impl Recorder {
    /// Returns a module of the session, which is added if it is new. The error is a sentence fragment.
    fn module(&mut self, of: Loading<'_>) -> io::Result<Result<Known, String>> {
        let device = crate::driver::device_of_several().and_then(|device| u32::try_from(device).ok());
        let key = (of.image, device.unwrap_or(0));
        if let Some(known) = self.modules.known.get(&key) {
            return Ok(known.clone());
        }
        let made = match self.linked(of) {
            Ok((module, parameters)) => {
                let mut texts = Vec::new();
                for text in &of.texts.texts {
                    let number = match self.modules.texts.get(text) {
                        Some(known) => *known,
                        None => self.writer.text(text)?,
                    };
                    self.modules.texts.insert(text.clone(), number);
                    texts.push(number);
                }
                for variable in &module.variables {
                    let kind = if variable.managed { MemoryKind::Managed } else { MemoryKind::Device };
                    self.memory.insert(variable.address, variable.bytes, kind);
                }
                let number = module.module;
                self.call("cuModuleLoadData", Step::Module(Module { texts, ..module }), Vec::new())?;
                let tells_host = of.texts.of_program().any(may_tell_host);
                Ok(Known { number, parameters, tells_host })
            }
            Err(why) => Err(why),
        };
        self.modules.known.insert(key, made.clone());
        Ok(made)
    }

    /// Links a module, and returns it with the sizes of its kernels' parameters.
    fn linked(&mut self, of: Loading<'_>) -> Result<(Module, HashMap<String, Vec<usize>>), String> {
        let texts = &of.texts.texts;
        let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
        let sources = Source::all(&parsed, texts, "module");
        let mut variables = Vec::new();
        let own = &mut self.modules;
        let mut place = |variable: &GlobalVariable<'_>| {
            let bytes = variable.bytes.max(1);
            let address = capture::variable(of.module, variable.name).unwrap_or_else(|| {
                let address = own.nowhere.next_multiple_of(variable.align.max(256));
                own.nowhere = address + bytes;
                address
            });
            let managed = variable.space == VariableSpace::Managed;
            variables.push(Variable { name: variable.name.to_owned(), address, bytes, managed });
            Ok(address)
        };
        let linked = kernels::link(&sources, &mut place).map_err(|error| error.to_string())?;
        let sizes = |kernel: &kernels::Kernel| kernel.params.iter().map(|p| p.size as usize).collect();
        let parameters = linked.kernels.iter().map(|k| (k.name.to_string(), sizes(k))).collect();
        own.next += 1;
        let (module, name) = (own.next, "module".to_owned());
        Ok((Module { module, name, texts: Vec::new(), variables }, parameters))
    }

    /// Returns the session's form of a launch. The error is a sentence fragment.
    ///
    /// # Safety
    /// The pointers of `call` are those of a launch of this kernel.
    unsafe fn kernel(
        &mut self,
        name: &str,
        of: Loading<'_>,
        call: &Call,
    ) -> io::Result<Result<Kernel, String>> {
        let known = match self.module(of)? {
            Ok(known) => known,
            Err(why) => return Ok(Err(why)),
        };
        let Some(sizes) = known.parameters.get(name) else {
            return Ok(Err("it is not in the PTX of its module".into()));
        };
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { arguments(sizes, call) };
        arguments.iter_mut().for_each(exchange);
        Ok(arguments
            .map(|arguments| kernel(&known, name, call, arguments))
            .ok_or_else(|| "its arguments are not understood".into()))
    }

    /// Adds that the host's accesses are not followed while a kernel may use memory that it shares with the host.
    fn not_followed(&mut self, name: &str, words: &[u64]) -> io::Result<()> {
        let shared = |&word: &u64| self.memory.at(word).is_some_and(|(_, _, kind)| kind.is_shared());
        if !words.iter().any(shared) {
            return Ok(());
        }
        let name = symbol::short(name);
        self.limit(format!(
            "the host's accesses of memory that `{name}` uses are not in the session while it may run: its module has \
             operations of system scope, by which the two may synchronise"
        ))
    }

    /// Returns the session's form of a graph's kernel. The error is a sentence fragment.
    pub(super) fn node_kernel(
        &mut self,
        name: &str,
        of: Loading<'_>,
        node: &crate::graphs::Kernel,
    ) -> io::Result<Result<Kernel, String>> {
        let mut pointers = node.pointers();
        let call = node.call(std::ptr::null_mut(), &mut pointers);
        let known = self.module(of)?;
        let mut arguments = match node.given() {
            Given::Each(each) => Arguments::Each(each.clone()),
            Given::Packed(all) => Arguments::Packed(all.clone()),
        };
        exchange(&mut arguments);
        Ok(known.map(|known| kernel(&known, name, &call, arguments)))
    }
}

fn kernel(known: &Known, name: &str, call: &Call, arguments: Arguments) -> Kernel {
    let extent = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
    Kernel {
        module: known.number,
        name: name.to_owned(),
        grid: extent(call.grid),
        block: extent(call.block),
        cluster: (call.cluster != [1; 3]).then(|| extent(call.cluster)),
        shared: call.shared,
        cooperative: call.cooperative,
        arguments,
    }
}

/// Copies the arguments of a launch.
///
/// # Safety
/// The pointers are those of a launch of a kernel with parameters of these sizes.
unsafe fn arguments(sizes: &[usize], call: &Call) -> Option<Arguments> {
    if call.parameters.is_null() && !call.extra.is_null() {
        // SAFETY: the caller's promise.
        return unsafe { capture::buffer(call.extra) }.map(|all| Arguments::Packed(all.to_vec()));
    }
    if call.parameters.is_null() {
        return sizes.is_empty().then(|| Arguments::Each(Vec::new()));
    }
    let argument = |(at, &size): (usize, &usize)| {
        // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
        unsafe { std::slice::from_raw_parts((*call.parameters.add(at)).cast::<u8>(), size) }.to_vec()
    };
    Some(Arguments::Each(sizes.iter().enumerate().map(argument).collect()))
}

/// Replaces the driver's tensor maps.
fn exchange(arguments: &mut Arguments) {
    match arguments {
        Arguments::Each(each) => each.iter_mut().for_each(|argument| tensor_maps::exchange(argument)),
        Arguments::Packed(all) => tensor_maps::exchange(all),
    }
}

/// Returns the words of arguments, each of which may be an address.
fn words(arguments: &Arguments) -> Vec<u64> {
    let of = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks_exact(8).filter_map(|word| word.try_into().ok().map(u64::from_le_bytes)).collect()
    };
    match arguments {
        Arguments::Each(each) => each.iter().flat_map(|argument| of(argument)).collect(),
        Arguments::Packed(all) => of(all),
    }
}

/// Records a launch that is about to begin.
///
/// # Safety
/// The pointers of `call` are those of a launch of this kernel.
pub(crate) unsafe fn launched(name: &str, of: Loading<'_>, call: &Call, programmatic: bool) {
    with(|session| {
        session.host_wrote()?;
        // SAFETY: the caller's promise.
        let kernel = match unsafe { session.kernel(name, of, call)? } {
            Ok(kernel) => kernel,
            Err(why) => return session.lacks(missing(name, &why)),
        };
        let (stream, words) = (session.stream(call.stream)?, words(&kernel.arguments));
        session.launches += 1;
        session.call("cuLaunchKernel", Step::Launched { kernel, stream, programmatic }, Vec::new())?;
        match session.module(of)?.is_ok_and(|known| known.tells_host) {
            // The host may wait for such a kernel by looking at memory again and again.
            true => {
                session.flies(stream, &[]);
                session.not_followed(name, &words)
            }
            false => {
                session.flies(stream, &words);
                Ok(())
            }
        }
    });
}

/// Records that a launch cannot be in the session. The reason is a sentence fragment.
pub(crate) fn not_launched(name: &str, why: &str) {
    with(|session| session.lacks(missing(name, why)));
}

/// Adds a module whose variables the program asks for.
pub(crate) fn loads(of: Loading<'_>) {
    with(|session| session.module(of).map(drop));
}
