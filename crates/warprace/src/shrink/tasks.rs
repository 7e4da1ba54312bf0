//! Writes what is left: a saved launch, or two tasks as a session, which `warprace replay` makes again.

use super::beside::{Beside, Touch, Toucher};
use super::saved::{Memory, Saved};
use events::Allocation;
use events::task::AllocKind;
use snapshot::Launch;
use snapshot::session::{
    Arguments, Call, Fill, Header, Kernel, MemoryKind, Module, Shape, Side, Step, Variable, Waited, Writer,
};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The streams of the two, which wait for no other stream.
const STREAMS: [u64; 2] = [0x10, 0x20];

/// Writes a file that replays.
pub(super) fn write(saved: &Saved, path: &Path) -> io::Result<()> {
    match saved.beside {
        Some(_) => session(saved, BufWriter::new(File::create(path)?))?.flush(),
        None => saved.write(path),
    }
}

/// Writes a launch and what is beside it as a session.
fn session<W: Write>(saved: &Saved, out: W) -> io::Result<W> {
    let Launch { program, devices, .. } = &saved.launch;
    let mut session = Steps {
        writer: Writer::new(out, &Header { program: program.clone(), process: 1, devices: *devices })?,
        device: saved.launch.device,
    };
    session.memory(saved)?;
    let first = session.module(saved, &saved.launch, 1)?;
    let second = match &saved.beside {
        Some(Beside::Launch { launch, .. }) if !saved.is_one_module() => session.module(saved, launch, 2)?,
        _ => first,
    };
    session.contents(saved)?;
    let launch = &saved.launch;
    session.stream(STREAMS[0])?;
    session.launched(launch, first, STREAMS[0], false)?;
    match &saved.beside {
        Some(Beside::Launch { launch, programmatic: true }) => {
            session.launched(launch, second, STREAMS[0], true)?;
        }
        Some(Beside::Launch { launch, .. }) => {
            session.device = launch.device;
            session.stream(STREAMS[1])?;
            session.launched(launch, second, STREAMS[1], false)?;
        }
        Some(Beside::Touch(touch)) => session.touched(touch)?,
        None => {}
    }
    session.call("cudaDeviceSynchronize", Step::Waited(Waited::All), Vec::new())?;
    session.writer.finish()
}

struct Steps<W: Write> {
    writer: Writer<W>,
    device: u32,
}

impl<W: Write> Steps<W> {
    fn call(&mut self, api: &str, step: Step, bytes: Vec<u8>) -> io::Result<()> {
        let api = api.to_owned();
        self.writer.call(&Call { api, site: None, thread: 1, device: self.device, step, bytes })
    }

    /// Allocates the memory that is no variable, and lets each device use that of the others.
    fn memory(&mut self, saved: &Saved) -> io::Result<()> {
        for Memory { range, .. } in &saved.ranges {
            let Allocation { base, bytes, kind, device, call, .. } = &range.allocation;
            let kind = match kind {
                AllocKind::Device => MemoryKind::Device,
                AllocKind::Managed => MemoryKind::Managed,
                AllocKind::HostMapped => MemoryKind::Pinned,
                // Variables come with their module, and a device has a heap of its own.
                AllocKind::Variable | AllocKind::DeviceHeap => continue,
            };
            self.device = *device;
            let step = Step::Allocated { base: *base, bytes: *bytes, kind, name: None, stream: None };
            self.call(&call.api, step, Vec::new())?;
        }
        let devices = saved.launch.devices;
        for device in 0..devices {
            for peer in (0..devices).filter(|&peer| peer != device) {
                self.device = device;
                let step = Step::Peer { peer, access: true };
                self.call("cudaDeviceEnablePeerAccess", step, Vec::new())?;
            }
        }
        self.device = saved.launch.device;
        Ok(())
    }

    /// Loads the module of a launch, and returns its number.
    fn module(&mut self, saved: &Saved, launch: &Launch, number: u32) -> io::Result<u32> {
        self.device = launch.device;
        let texts = launch.texts.iter().map(|text| self.writer.text(text)).collect::<Result<_, _>>()?;
        let variable = |(name, address): &(String, u64)| {
            let range = saved.ranges.iter().map(|m| &m.range.allocation).find(|at| at.base == *address);
            let (bytes, managed) = range.map_or((1, false), |at| (at.bytes, at.kind == AllocKind::Managed));
            Variable { name: name.clone(), address: *address, bytes, managed }
        };
        let variables = launch.variables.iter().map(variable).collect();
        let module = Module { module: number, name: launch.module.clone(), texts, variables };
        self.call("cuModuleLoadData", Step::Module(module), Vec::new())?;
        Ok(number)
    }

    fn contents(&mut self, saved: &Saved) -> io::Result<()> {
        self.device = saved.launch.device;
        for object in &saved.objects {
            self.call("cudaCreateTextureObject", Step::Image(object.clone()), Vec::new())?;
        }
        let is_known = |memory: &Memory| {
            let at = &memory.range.allocation;
            match at.kind {
                AllocKind::DeviceHeap => false,
                AllocKind::Variable => saved.variables().any(|(_, address)| *address == at.base),
                _ => true,
            }
        };
        for memory in saved.ranges.iter().filter(|memory| is_known(memory)) {
            let base = memory.range.allocation.base;
            for (offset, bytes) in memory.pieces.iter().filter(|(_, bytes)| !bytes.is_empty()) {
                self.call("", Step::Contents { at: base + offset, within: None }, bytes.clone())?;
            }
        }
        Ok(())
    }

    fn stream(&mut self, stream: u64) -> io::Result<()> {
        self.call("cudaStreamCreateWithFlags", Step::Stream { stream, blocking: false }, Vec::new())
    }

    fn launched(&mut self, launch: &Launch, module: u32, stream: u64, programmatic: bool) -> io::Result<()> {
        let kernel = Kernel {
            module,
            name: launch.kernel.clone(),
            grid: launch.grid,
            block: launch.block,
            cluster: Some(launch.cluster),
            shared: launch.dynamic_shared,
            cooperative: launch.cooperative,
            arguments: Arguments::Packed(launch.params.clone()),
        };
        self.device = launch.device;
        self.call("cuLaunchKernelEx", Step::Launched { kernel, stream, programmatic }, Vec::new())
    }

    fn touched(&mut self, touch: &Touch) -> io::Result<()> {
        let Touch { kind, api, site, address, bytes, write } = touch;
        let site = Some(self.writer.site(site)?);
        let memory = Side::Memory { at: *address, row: *bytes, slice: *bytes };
        let (step, given) = match kind {
            Toucher::Host => {
                let (address, bytes, write) = (*address, *bytes, *write);
                (Step::HostAccess { address, bytes, write, within: None }, 0)
            }
            Toucher::Fill => {
                let (at, width) = (*address, *bytes);
                let fill = Fill { at, row: width, width, height: 1, value: 0, element: 1 };
                (Step::Filled { fill, stream: STREAMS[1], synchronous: false }, 0)
            }
            Toucher::Copy => {
                let (to, from) = if *write { (memory, Side::Host) } else { (Side::Host, memory) };
                let (shape, stream) = (Shape::line(*bytes), STREAMS[1]);
                let given = if *write { *bytes } else { 0 };
                (Step::Copied { to, from, shape, stream, synchronous: false }, given)
            }
        };
        if *kind != Toucher::Host {
            self.stream(STREAMS[1])?;
        }
        let (api, bytes, device) = (api.clone(), vec![0; given as usize], self.device);
        self.writer.call(&Call { api, site, thread: 1, device, step, bytes })
    }
}
