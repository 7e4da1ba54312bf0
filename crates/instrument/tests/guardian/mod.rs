//! An instrumented module on the virtual GPU.

use crate::support::Machine;
use events::SiteTable;
use events::task::AllocKind;
use instrument::collide::KINDS;
use instrument::guard::{ENDED, FEWEST, Guarded, Options, guard, table_bytes};
use instrument::pass::Pass;
use instrument::sink::{ADDRESS, First, RECORD, Record};
use simt::{Region, Schedule};

/// An instrumented module on a machine, with its sink.
pub(crate) struct Guardian {
    pub(crate) machine: Machine,
    pub(crate) guarded: Guarded,
    pub(crate) sites: SiteTable,
    pub(crate) _memory: Vec<Box<[u64]>>,
}

/// The table's address.
pub(crate) const TABLE: u64 = ADDRESS + (64 << 20);

pub(crate) fn options() -> Options {
    Options {
        sink: ADDRESS,
        table: Some(TABLE),
        lines: FEWEST,
        exchange: false,
        told: false,
        first_check: 0,
        prune: false,
    }
}

impl Guardian {
    pub(crate) fn new(text: &str, schedule: Schedule) -> Guardian {
        Guardian::with(text, schedule, &options())
    }

    pub(crate) fn with(text: &str, schedule: Schedule, options: &Options) -> Guardian {
        let mut sites = SiteTable::default();
        let guarded = guard(text, options, &mut sites, &|_| true).unwrap();
        let declared = Pass::Guard(options.clone(), None).declared(guarded.checks.len() as u32);
        validate::validate(text, &guarded.text, &declared)
            .unwrap_or_else(|fault| panic!("{fault}\n{}", guarded.text));
        Guardian::of(guarded, sites, schedule)
    }

    pub(crate) fn of(guarded: Guarded, sites: SiteTable, schedule: Schedule) -> Guardian {
        let machine = Machine::try_new(&guarded.text).unwrap_or_else(|e| panic!("{e}\n{}", guarded.text));
        Guardian::on(machine, guarded, sites, schedule)
    }

    /// Returns the module's checks on a machine that has its text.
    pub(crate) fn on(
        mut machine: Machine,
        guarded: Guarded,
        sites: SiteTable,
        schedule: Schedule,
    ) -> Guardian {
        machine.options.schedule = schedule;
        let records = (guarded.checks.len() as u64 + 9) * u64::from(KINDS) * RECORD;
        let mut memory = Vec::new();
        for (base, bytes) in [(ADDRESS, records), (TABLE, table_bytes(FEWEST))] {
            let mut words = vec![0u64; (bytes / 8) as usize].into_boxed_slice();
            let host = words.as_mut_ptr().cast();
            let (kind, accessible_from) = (AllocKind::Device, 1);
            let region = Region { base, bytes, host, kind, device: 0, accessible_from, read_only: false };
            machine.memory.map(region).unwrap();
            memory.push(words);
        }
        Guardian { machine, guarded, sites, _memory: memory }
    }

    /// Maps the words of the sink behind the records, and stores one of them.
    pub(crate) fn mark(&mut self, at: u64, word: u32) {
        let base = ADDRESS + ENDED;
        let mut words = vec![0u64; RECORD as usize / 8].into_boxed_slice();
        words[(at - ENDED) as usize / 8] = word.into();
        let host = words.as_mut_ptr().cast();
        let (kind, accessible_from) = (AllocKind::Device, 1);
        let region = Region { base, bytes: RECORD, host, kind, device: 0, accessible_from, read_only: false };
        self.machine.memory.map(region).unwrap();
        self._memory.push(words);
    }

    /// Returns the lines of both accesses in the original text, the earlier access first, and the record.
    pub(crate) fn seen(&self) -> Vec<(u32, u32, First)> {
        let seen = self.records().into_iter();
        seen.map(|(check, first)| (self.line(first.other.unwrap().check), self.line(check), first)).collect()
    }

    /// Returns the line of a check's access in the original text.
    pub(crate) fn line(&self, check: u32) -> u32 {
        let check = self.guarded.checks[check as usize];
        self.sites.get(check.site).unwrap().ptx_line
    }

    /// Returns the failed checks, with their reports.
    pub(crate) fn records(&self) -> Vec<(u32, First)> {
        let mut found = Vec::new();
        for i in 0..self.guarded.checks.len() as u32 {
            for kind in 0..KINDS {
                let mut bytes = [0; RECORD as usize];
                self.machine.memory.read(ADDRESS + u64::from(i * KINDS + kind) * RECORD, &mut bytes).unwrap();
                if let Some(first) = Record::read(&bytes).and_then(|record| record.first) {
                    found.push((i, first));
                }
            }
        }
        found
    }
}

pub(crate) fn module(body: &str) -> String {
    format!(
        ".version 7.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[1024];\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, s;\n\
         shl.b32 %r4, %r1, 2;\nadd.s32 %r4, %r4, %r3;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r2, 0;\n\
         {body}\nret;\n}}\n"
    )
}

/// The line of the first instruction of a [`module`]'s body.
pub(crate) const BODY: u32 = 19;

/// Returns the races of `blocks` times `threads` under several schedules.
pub(crate) fn races(body: &str, blocks: u32, threads: u32) -> Vec<(i32, i32)> {
    races_of(&module(body), blocks, threads)
}

/// Returns the races of a text; lines are counted from [`BODY`] on, those of functions before it are
/// negative.
pub(crate) fn races_of(text: &str, blocks: u32, threads: u32) -> Vec<(i32, i32)> {
    let mut all = Vec::new();
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        let guardian = Guardian::new(text, schedule);
        let words = guardian.machine.upload(&[0; 512]);
        guardian.machine.finish("k", blocks, threads, args![words]);
        for (first, second, _) in guardian.seen() {
            let behind = |line: u32| line as i32 - BODY as i32;
            let pair = (behind(first.min(second)), behind(first.max(second)));
            if !all.contains(&pair) {
                all.push(pair);
            }
        }
    }
    all.sort_unstable();
    all
}
