//! Records out of their chunk: decoded once, played to any number of monitors.

use crate::encode::lanes;
use events::access::Warp;
use events::sync::Member;
use events::{
    Access, AccessKind, AsyncOpId, BarrierId, BarrierMembers, BlockId, HostEvent, LaneMask, Proxy, SiteId,
    Space, Strength, Sync, TaskId, WarpId, Written,
};

/// The number of shapes that a batch has; accesses of further shapes are stored whole.
const MOST_SHAPES: usize = 64;

/// An access with its lanes still packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) warp: Warp,
    pub(crate) site: SiteId,
    pub(crate) space: Space,
    pub(crate) shape: Shape,
    pub(crate) mask: LaneMask,
    pub(crate) stored: LaneMask,
    pub(crate) lanes: Lanes,
    /// Index of the first active lane's values in [`Batch::values`].
    pub(crate) values: Option<u32>,
    /// As [`Written::Differing`], of a write whose lanes overlap.
    pub(crate) differing: Option<LaneMask>,
}

/// The properties that accesses of one instruction share, and mostly those of many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) kind: AccessKind,
    pub(crate) strength: Strength,
    pub(crate) proxy: Proxy,
    pub(crate) size: u32,
    pub(crate) elements: u8,
}

/// Addresses of active lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lanes {
    /// The address of the first active lane, and the distance from each lane, active or not, to the next.
    Even { base: u64, stride: u64 },
    /// From this place in [`Batch::addresses`] on.
    Listed(u32),
}

/// The most common form of an access: global memory or the block's own, no values, nothing unusual. It is
/// small because mostly another core decoded it, and it has to be fetched from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    task: TaskId,
    block: BlockId,
    site: SiteId,
    mask: LaneMask,
    base: u64,
    /// If lanes are listed, the place.
    stride: i32,
    /// The place in [`Batch::shapes`].
    shape: u8,
    warp: u8,
    shared: bool,
    listed: bool,
}

/// A host event, out of its record.
pub(crate) type Host = HostEvent<'static>;

/// Elements of one of a batch's lists: the first, and the one after the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part(pub(crate) u32, pub(crate) u32);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// One that lists nothing.
    Sync(Sync<'static>),
    Completed {
        task: TaskId,
        block: BlockId,
        id: BarrierId,
        members: Part,
    },
    Waited {
        warp: Warp,
        site: SiteId,
        lanes: LaneMask,
        ops: Part,
        reads_only: bool,
        together: bool,
    },
    Arrived {
        warp: Warp,
        site: SiteId,
        lane: u8,
        ops: Part,
        space: Space,
        address: u64,
        phase: u64,
    },
}

/// A record that a chunk's cursor reads.
pub(crate) enum Record {
    Access(Packed),
    Order(Order),
    Host(Host),
}

/// A record, or its place in one of the batch's lists.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Plain(Plain),
    Packed(u32),
    Order(u32),
    Host(u32),
}

/// Records in the order in which they were made, and what they list.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    slots: Vec<Slot>,
    shapes: Vec<Shape>,
    packed: Vec<Packed>,
    orders: Vec<Order>,
    hosts: Vec<Host>,
    pub(crate) addresses: Vec<u64>,
    pub(crate) values: Vec<(u64, u64)>,
    pub(crate) members: Vec<Member>,
    pub(crate) ops: Vec<AsyncOpId>,
    /// The places of each player's records, if records are dealt.
    dealt: Vec<Vec<u32>>,
    counts: Vec<(TaskId, Count)>,
}

/// The counts of a task's kernel, in a batch or in all of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Accesses of threads.
    pub accesses: u64,
    /// Accesses and synchronisation, each once for a warp.
    pub events: u64,
}

/// Number of neighbouring blocks that one player gets: neighbours use neighbouring memory, and players of
/// single blocks in turn would access the same pages of shadow at the same time.
const TOGETHER: u32 = 4;

impl Batch {
    /// One whose records are dealt to `players` players, each getting some of the blocks.
    pub(crate) fn for_players(players: usize) -> Self {
        Batch { dealt: vec![Vec::new(); players], ..Batch::default() }
    }

    /// Empties it, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.shapes.clear();
        self.packed.clear();
        self.orders.clear();
        self.hosts.clear();
        self.addresses.clear();
        self.values.clear();
        self.members.clear();
        self.ops.clear();
        self.dealt.iter_mut().for_each(Vec::clear);
        self.counts.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn push(&mut self, record: Record) {
        let (slot, place, accesses) = match record {
            Record::Access(packed) => {
                let Warp { task, block, .. } = packed.warp;
                let slot = match self.plain(&packed) {
                    Some(plain) => Slot::Plain(plain),
                    None => Slot::Packed(add(&mut self.packed, packed)),
                };
                (slot, Some((task, block)), packed.mask.count_ones())
            }
            Record::Order(order) => {
                let place = self.sync(&order).place();
                (Slot::Order(add(&mut self.orders, order)), Some(place), 0)
            }
            Record::Host(host) => (Slot::Host(add(&mut self.hosts, host)), None, 0),
        };
        let number = self.slots.len() as u32;
        self.slots.push(slot);
        if let Some((task, block)) = place {
            self.count(task, accesses);
            if !self.dealt.is_empty() {
                let owner = self.owner(block);
                self.dealt[owner].push(number);
            }
        } else {
            self.dealt.iter_mut().for_each(|list| list.push(number));
        }
    }

    fn count(&mut self, task: TaskId, accesses: u32) {
        if self.counts.last().is_none_or(|(last, _)| *last != task) {
            self.counts.push((task, Count::default()));
        }
        if let Some((_, count)) = self.counts.last_mut() {
            count.accesses += u64::from(accesses);
            count.events += 1;
        }
    }

    fn plain(&mut self, packed: &Packed) -> Option<Plain> {
        let Packed { warp, site, space, shape, mask, stored, lanes, values, differing } = *packed;
        let shared = space == Space::Shared(warp.block);
        let usual = if shape.kind.writes() { mask } else { 0 };
        if !(shared || space == Space::Global) || stored != usual || values.is_some() || differing.is_some() {
            return None;
        }
        let (base, stride, listed) = match lanes {
            Lanes::Even { base, stride } => (base, i32::try_from(stride as i64).ok()?, false),
            Lanes::Listed(at) => (0, at as i32, true),
        };
        let place = match self.shapes.iter().position(|known| *known == shape) {
            Some(place) => place,
            None if self.shapes.len() < MOST_SHAPES => {
                self.shapes.push(shape);
                self.shapes.len() - 1
            }
            None => return None,
        };
        let Warp { task, block, warp } = warp;
        let (warp, shape) = (warp.0 as u8, place as u8);
        Some(Plain { task, block, site, mask, base, stride, shape, warp, shared, listed })
    }

    /// The records of one player, if those of all its kernels are dealt, with their places among all.
    pub(crate) fn of(&self, player: usize) -> impl Iterator<Item = (u32, Told<'_>)> {
        self.dealt[player].iter().map(|&at| (at, self.told(&self.slots[at as usize])))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Told<'_>> {
        self.slots.iter().map(|slot| self.told(slot))
    }

    pub(crate) fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Returns the player of the block. Only for a batch that is dealt to players.
    pub(crate) fn owner(&self, block: BlockId) -> usize {
        (block.0 / TOGETHER) as usize % self.dealt.len().max(1)
    }

    /// Returns the counts of its kernels; a task may come several times.
    pub(crate) fn counts(&self) -> &[(TaskId, Count)] {
        &self.counts
    }

    #[inline]
    fn told(&self, slot: &Slot) -> Told<'_> {
        match *slot {
            Slot::Plain(plain) => Told::Access(plain.packed(&self.shapes)),
            Slot::Packed(at) => Told::Access(self.packed[at as usize]),
            Slot::Order(at) => Told::Sync(self.sync(&self.orders[at as usize])),
            Slot::Host(at) => Told::Host(&self.hosts[at as usize]),
        }
    }

    fn sync(&self, order: &Order) -> Sync<'_> {
        match *order {
            Order::Sync(sync) => sync,
            Order::Completed { task, block, id, members } => {
                let members = BarrierMembers::Some(members.of(&self.members));
                Sync::BarrierComplete { task, block, id, members }
            }
            Order::Waited { warp, site, lanes, ops, reads_only, together } => {
                Sync::AsyncWaited { warp, site, lanes, ops: ops.of(&self.ops), reads_only, together }
            }
            Order::Arrived { warp, site, lane, ops, space, address, phase } => {
                Sync::AsyncArrive { warp, site, lane, ops: ops.of(&self.ops), space, address, phase }
            }
        }
    }
}

fn add<T>(list: &mut Vec<T>, one: T) -> u32 {
    list.push(one);
    list.len() as u32 - 1
}

impl Part {
    fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.0 as usize..self.1 as usize]
    }
}

impl Plain {
    fn packed(self, shapes: &[Shape]) -> Packed {
        let shape = shapes[usize::from(self.shape)];
        let lanes = match self.listed {
            false => Lanes::Even { base: self.base, stride: i64::from(self.stride) as u64 },
            true => Lanes::Listed(self.stride as u32),
        };
        Packed {
            warp: Warp { task: self.task, block: self.block, warp: WarpId(self.warp.into()) },
            site: self.site,
            space: if self.shared { Space::Shared(self.block) } else { Space::Global },
            shape,
            mask: self.mask,
            stored: if shape.kind.writes() { self.mask } else { 0 },
            lanes,
            values: None,
            differing: None,
        }
    }
}

/// A record as its listener hears it.
pub(crate) enum Told<'a> {
    Access(Packed),
    Sync(Sync<'a>),
    Host(&'a Host),
}

/// Room for the addresses and values of one access.
#[derive(Default)]
pub(crate) struct Unpacked {
    addresses: [u64; 32],
    values: [(u64, u64); 32],
}

impl Unpacked {
    /// Addresses and values of lanes that are not in the mask are 0.
    pub(crate) fn access<'u>(&'u mut self, batch: &Batch, packed: &Packed) -> Access<'u> {
        let Packed { warp, site, space, shape, mask, stored, .. } = *packed;
        let stride = match packed.lanes {
            Lanes::Even { base, stride } => {
                let mut next = base.wrapping_sub(stride.wrapping_mul(mask.trailing_zeros().into()));
                for (lane, address) in self.addresses.iter_mut().enumerate() {
                    *address = if mask >> lane & 1 != 0 { next } else { 0 };
                    next = next.wrapping_add(stride);
                }
                Some(stride)
            }
            Lanes::Listed(at) => {
                self.addresses = [0; 32];
                for (lane, &address) in lanes(mask).zip(&batch.addresses[at as usize..]) {
                    self.addresses[lane] = address;
                }
                None
            }
        };
        if let Some(at) = packed.values {
            self.values = [(0, 0); 32];
            for (lane, &value) in lanes(mask).zip(&batch.values[at as usize..]) {
                self.values[lane] = value;
            }
        }
        let Shape { kind, strength, proxy, size, elements } = shape;
        let (addresses, values) = (&self.addresses, packed.values.map(|_| &self.values));
        Access {
            warp,
            site,
            space,
            kind,
            strength,
            proxy,
            size,
            elements,
            mask,
            addresses,
            stride,
            stored,
            values,
            written: packed.differing.map_or(Written::Unknown, Written::Differing),
        }
    }
}
