//! The table of PTX instruction forms.

use super::Cell;
use super::named::{Sources, instructions, is_instruction, names, row_of};
use events::SiteTable;
use events::task::AllocKind;
use instrument::{collide, guard};
use kernels::effects::{Order, Place};
use kernels::{Effects, Source, effects};
use ptx::ast::Item;
use ptx::flat::flatten;
use ptx::op::{Fence, MemSpace, Op};
use simt::{AddressSpace, Module, Region};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A row of `tests/coverage/ptx-isa.txt`.
struct Form {
    section: String,
    name: String,
    /// The form's words.
    words: Vec<String>,
    /// One of these is among the words of an instruction of the form, if there are any.
    types: Vec<String>,
    probe: String,
}

impl Form {
    fn read(line: &str) -> Form {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        let (section, name, types, probe) = (next(), next(), next(), next());
        let words = name.split('.').map(str::to_owned).collect();
        let types = types.split(',').filter(|t| !t.is_empty()).map(str::to_owned).collect();
        Form { section, name, words, types, probe }
    }

    /// How the form's row begins.
    fn beginning(&self) -> String {
        let types =
            if self.types.is_empty() { String::new() } else { format!(" ({})", self.types.join(", ")) };
        format!("| {} | `{}`{types} |", self.section, self.name)
    }

    /// The form's row in the page.
    fn row(&self) -> String {
        row_of(&self.beginning())
    }

    /// How well an instruction fits, if it has all of the form's words in their order.
    fn fits(&self, words: &[&str]) -> Option<Fit> {
        let mut places = Vec::new();
        for word in &self.words {
            let from = places.last().map_or(0, |last: &usize| last + 1);
            places.push(from + words.get(from..)?.iter().position(|w| w == word)?);
        }
        let typed = self.types.iter().any(|t| words.contains(&t.as_str()));
        let opcode = places.first() == Some(&0);
        (opcode && (typed || self.types.is_empty())).then_some(Fit {
            words: places.len(),
            places: Reverse(places),
            typed,
        })
    }
}

/// An instruction is of the form that fits it best: that with the most words, then with the first ones.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    words: usize,
    places: Reverse<Vec<usize>>,
    typed: bool,
}

fn forms() -> Vec<Form> {
    super::data("tests/coverage/ptx-isa.txt").iter().map(|line| Form::read(line)).collect()
}

/// The form of an instruction such as `ld.global.u32`.
fn form_of(forms: &[Form], instruction: &str) -> Option<usize> {
    let words: Vec<&str> = instruction.split('.').collect();
    let fitting = forms.iter().enumerate().filter_map(|(i, form)| Some((form.fits(&words)?, i)));
    // Of equal ones the first.
    fitting.max_by(|(a, i), (b, j)| a.cmp(b).then(j.cmp(i))).map(|(_, i)| i)
}

/// The engines that a form is tested by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    VirtualGpu,
    Lens,
    Guard,
    Collide,
    Prove,
}

impl By {
    pub(super) const ALL: [By; 5] = [By::VirtualGpu, By::Lens, By::Guard, By::Collide, By::Prove];

    /// Where tests of it are.
    fn places(self) -> &'static [&'static str] {
        match self {
            By::VirtualGpu => &["tests/ptx", "crates/simt/tests", "tests/ui", "crates/inject/tests/programs"],
            By::Lens => &[
                "crates/simt/tests/heard.rs",
                "crates/simt/tests/uncommon.rs",
                "crates/simt/tests/events.rs",
                "tests/ui",
            ],
            By::Guard => &["crates/instrument/tests/guard", "crates/instrument/tests/both.rs"],
            By::Collide => &["crates/instrument/tests/collide.rs", "crates/instrument/tests/both.rs"],
            By::Prove => &["tests/prove", "crates/prove/tests"],
        }
    }

    /// For each form a file that has an instruction of it: the one that the page names, or else that of `tests/ptx` which is
    /// named after the form, or else the first.
    fn tests(self, forms: &[Form]) -> BTreeMap<usize, String> {
        let rows: Vec<String> = forms.iter().map(Form::row).collect();
        let mut found: BTreeMap<usize, (String, [bool; 2])> = BTreeMap::new();
        for (name, text) in Sources::of(self.places(), &["ptx", "cu", "h", "rs"]).files {
            let title = Path::new(&name).file_stem().map(|s| s.to_string_lossy().into_owned());
            let title = title.unwrap_or_default();
            for (word, behind) in instructions(&text) {
                if !is_instruction(word, behind, &name) {
                    continue;
                }
                let Some(form) = form_of(forms, word) else { continue };
                let rank = [names(&rows[form], &name), title.starts_with(&forms[form].name)];
                let entry = found.entry(form).or_insert_with(|| (name.clone(), rank));
                if rank > entry.1 {
                    *entry = (name.clone(), rank);
                }
            }
        }
        found.into_iter().map(|(form, (name, _))| (form, name)).collect()
    }
}

/// A module with one instruction in its kernel.
fn around(instruction: &str) -> String {
    format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n\
         .visible .entry form(.param .u64 p)\n{{\n\
         .reg .pred %p<8>; .reg .b8 %b<4>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<16>;\n\
         .reg .f32 %f<16>; .reg .f64 %e<8>; .reg .b128 %q<4>;\n\
         .shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n\
         {instruction}\nret;\n}}\n"
    )
}

/// The text in which a form is looked at, and the instruction's first word there.
fn subject(form: &Form, file: Option<&String>, forms: &[Form], index: usize) -> Option<String> {
    if !form.probe.is_empty() {
        return Some(around(&form.probe).replace(".visible", ".const .align 4 .b32 c[4];\n.visible"));
    }
    let file = file.filter(|file| file.ends_with(".ptx"))?;
    let text = super::read(file);
    let has = instructions(&text).any(|(word, _)| form_of(forms, word) == Some(index));
    has.then_some(text)
}

/// What the code says of a form.
struct Row {
    virtual_gpu: Cell,
    ptx: Cell,
    guard: Cell,
    collide: Cell,
    prove: Cell,
}

fn row(forms: &[Form], index: usize, text: &str) -> Row {
    let tree = ptx::parse(text).module;
    let mut of_form: Option<Result<(Op, Effects), String>> = None;
    for item in &tree.items {
        let Item::Function(function) = item else { continue };
        for inst in &flatten(function).instructions {
            let words = std::iter::once(&inst.source.opcode).chain(&inst.source.modifiers);
            let spelled = words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(".");
            if form_of(forms, &spelled) == Some(index) && of_form.is_none() {
                of_form = Some(match &inst.op {
                    Ok(op) => Ok((op.clone(), effects(op, &inst.args))),
                    Err(error) => Err(error.to_string()),
                });
            }
        }
    }
    let named = || Cell::Refused("by name, where it is executed".into());
    let known = matches!(&of_form, Some(Ok((op, _))) if !matches!(op, Op::Unknown));
    let Some(Ok((op, effects))) = of_form.filter(|_| known) else {
        let [guard, collide] = uninstrumented(text);
        return Row { virtual_gpu: named(), ptx: named(), guard, collide, prove: proved(&tree, text) };
    };
    // What the tables of arithmetic do not know is an error where it is executed.
    let known = !matches!(op, Op::Cvt { .. }) || simt::num::eval(&op, &[0; 4], false).is_some();
    let virtual_gpu = if known { executed(&tree, text) } else { named() };
    let ptx = match (&virtual_gpu, looked_at(&effects)) {
        (Cell::Refused(_), _) => named(),
        (_, false) => Cell::Nothing,
        (_, true) => Cell::Served,
    };
    let (guard, collide) = instrumented(forms, index, text, &effects);
    Row { virtual_gpu, ptx, guard, collide, prove: proved(&tree, text) }
}

/// Whether a detector has anything to do with it.
fn looked_at(effects: &Effects) -> bool {
    let shared = |place: Place| match place {
        Place::Memory(space) => match space {
            MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc => false,
            MemSpace::Const
            | MemSpace::Generic
            | MemSpace::Global
            | MemSpace::SharedCta
            | MemSpace::SharedCluster => true,
        },
        Place::Texture
        | Place::Surface
        | Place::Multimem
        | Place::Tensor
        | Place::Descriptor
        | Place::TensorMemory => true,
    };
    effects.touches.iter().any(|touch| shared(touch.place))
        || match effects.order {
            None | Some(Order::Rendezvous | Order::Aligned) => false,
            Some(_) => true,
        }
}

fn source<'a>(tree: &'a ptx::ast::Module, text: &'a str) -> Source<'a> {
    Source { tree, text, name: "form" }
}

fn executed(tree: &ptx::ast::Module, text: &str) -> Cell {
    let memory = AddressSpace::new();
    let mut pages: Vec<Box<[u64]>> = Vec::new();
    let mut sites = SiteTable::default();
    let loaded = Module::load(&[source(tree, text)], &mut sites, &memory, &mut |variable| {
        let mut page = vec![0u64; variable.bytes.div_ceil(8).max(1) as usize].into_boxed_slice();
        let base = 0x7000_0000_0000 + pages.len() as u64 * 0x1000_0000;
        let region = Region {
            base,
            bytes: variable.bytes,
            host: page.as_mut_ptr().cast(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only: false,
        };
        pages.push(page);
        memory.map(region).expect("a place of its own");
        Ok(base)
    });
    match loaded {
        Ok(module) if module.unsupported().is_empty() => Cell::Served,
        _ => Cell::Refused("by name, where it is executed".into()),
    }
}

fn guarded(text: &str, sites: &mut SiteTable) -> Result<guard::Guarded, String> {
    let options = guard::Options {
        sink: instrument::sink::ADDRESS,
        table: Some(0x6f00_0000_0000),
        lines: guard::FEWEST,
        exchange: true,
        told: true,
        first_check: 0,
        prune: false,
    };
    let guarded = guard::guard(text, &options, sites, &|_| true).map_err(|error| error.to_string())?;
    assert!(guarded.left_out.is_empty(), "{:?}:\n{text}", guarded.left_out);
    Ok(guarded)
}

fn collided(text: &str, sites: &mut SiteTable) -> Result<collide::Collided, String> {
    let options = collide::Options { prune: false, ..collide::Options::fastest(instrument::sink::ADDRESS) };
    collide::collide(text, &options, sites, &|_| true).map_err(|error| error.to_string())
}

/// What engines `guard` and `collide` make of a form that is not known. Panics if one of them takes it in silence.
fn uninstrumented(text: &str) -> [Cell; 2] {
    let mut sites = SiteTable::default();
    let by_guard = guarded(text, &mut sites).map(|g| g.unchecked.keys().next().map(|why| why.name()));
    let by_collide = collided(text, &mut sites).map(|c| c.unchecked.keys().next().map(|why| why.name()));
    [by_guard, by_collide].map(|by| match by {
        Err(error) => Cell::Refused(error),
        Ok(Some(why)) => Cell::Refused(format!("{why} are counted as not checked")),
        Ok(None) => panic!("an engine for GPUs takes in silence what it does not know:\n{text}"),
    })
}

/// What engines `guard` and `collide` make of it.
fn instrumented(forms: &[Form], index: usize, text: &str, effects: &Effects) -> (Cell, Cell) {
    if !looked_at(effects) {
        return (Cell::Nothing, Cell::Nothing);
    }
    let is_form = |sites: &SiteTable, site| {
        let described = sites.get(site);
        described.is_some_and(|s| instructions(&s.text).any(|(word, _)| form_of(forms, word) == Some(index)))
    };
    let cell =
        |checked: bool, unchecked: Option<&str>, order: Option<Order>| match (checked, unchecked, order) {
            (true, ..) => Cell::Served,
            (false, Some(why), _) => Cell::Refused(format!("{why} are counted as not checked")),
            (false, None, Some(order)) => ordered(order),
            (false, None, None) => Cell::Nothing,
        };
    let mut sites = SiteTable::default();
    let by_guard = guarded(text, &mut sites).map_or_else(Cell::Refused, |guarded| {
        let checked = guarded.checks.iter().any(|check| is_form(&sites, check.site));
        cell(checked, guarded.unchecked.keys().next().map(|why| why.name()), effects.order)
    });
    let mut sites = SiteTable::default();
    let by_collide = collided(text, &mut sites).map_or_else(Cell::Refused, |collided| {
        let checked = collided.checks.iter().any(|check| is_form(&sites, check.site));
        cell(checked, collided.unchecked.keys().next().map(|why| why.name()), None)
    });
    (by_guard, by_collide)
}

/// What engine `guard` makes of what orders memory; see `docs/gpu.md`.
fn ordered(order: Order) -> Cell {
    let limit = |what: &str| Cell::Limit(what.into());
    match order {
        Order::Barrier(_) | Order::WarpBarrier | Order::GridDependency { .. } => Cell::Served,
        Order::Fence(Fence::Thread { .. }) => Cell::Served,
        Order::Fence(Fence::Proxy(_) | Fence::MbarrierInit) => {
            limit("proxies are told apart for bulk copies only")
        }
        Order::ClusterArrive(_) | Order::ClusterWait => {
            limit("only the order of whole blocks of a cluster is known")
        }
        Order::Mbarrier(_) => limit("a wait counts for all bulk copies of its block"),
        Order::Warpgroup | Order::TensorMemory => {
            Cell::Refused("asynchronous accesses are counted as not checked".into())
        }
        Order::AsyncGroup => limit("a thread remembers eight copies"),
        Order::Rendezvous | Order::Aligned => Cell::Nothing,
    }
}

fn proved(tree: &ptx::ast::Module, text: &str) -> Cell {
    let sources = [source(tree, text)];
    let Ok(prover) = prove::Prover::new(&sources) else { return Cell::Refused("unknown, by name".into()) };
    let (answer, summary) = prover.decide(0, &prove::Facts::default(), &|| true);
    match (summary, answer.verdict) {
        (Some(summary), _) if summary.unmodelled.is_none() => Cell::Served,
        (Some(_), _) => Cell::Refused("unknown, by name".into()),
        (None, prove::Verdict::Unknown(_)) => Cell::Refused("unknown, by name".into()),
        (None, _) => Cell::Served,
    }
}

/// The table in Markdown. Panics where a form can be looked at nowhere, or is served and exercised by no test.
pub(super) fn table() -> String {
    let forms = forms();
    let tests = By::ALL.map(|by| by.tests(&forms));
    let mut out = format!(
        "## PTX instructions\n\nThe {} forms of PTX ISA 9.3, chapter 9.7, by `tests/coverage/ptx-isa.txt`. Modifiers that a served\n\
         form does not support (types, shapes) are refused by name, too.\n\n\
         Each row names a test that executes an instruction of the form on the virtual GPU, and those tests\n\
         of the other engines that have one. Each other cell is what its engine answered when the test of\n\
         this page (`crates/warprace/tests/coverage/instructions.rs`) asked it with such an instruction.\n\n\
         | § | form | virtual GPU | lens `ptx` | `guard` | `collide` | `prove` | tests |\n|---|---|---|---|---|---|---|---|\n",
        forms.len()
    );
    let mut missing = Vec::new();
    for (i, form) in forms.iter().enumerate() {
        let Some(text) = subject(form, tests[0].get(&i), &forms, i) else {
            missing.push(format!("{} `{}`: no test and no probe", form.section, form.name));
            continue;
        };
        let mut row = row(&forms, i, &text);
        if matches!(row.prove, Cell::Refused(_)) && tests[4].contains_key(&i) {
            row.prove = Cell::Limit("in the patterns that `docs/prove.md` names".into());
        }
        let cells = [&row.virtual_gpu, &row.ptx, &row.guard, &row.collide, &row.prove];
        let named = tests_of(form, cells, tests.each_ref().map(|tests| tests.get(&i)), &mut missing);
        let cells = cells.map(Cell::to_string).join(" | ");
        let _ = writeln!(out, "{} {cells} | {named} |", form.beginning());
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    out
}

/// The tests of a row's served cells, each once. Of the virtual GPU there must be one.
fn tests_of(
    form: &Form,
    cells: [&Cell; 5],
    tests: [Option<&String>; 5],
    missing: &mut Vec<String>,
) -> String {
    let served = |cell: &Cell| matches!(cell, Cell::Served | Cell::Limit(_));
    if served(cells[0]) && tests[0].is_none() {
        missing.push(format!("{} `{}` is served, and no test has it", form.section, form.name));
    }
    let mut named: Vec<&str> = Vec::new();
    for (cell, test) in cells.into_iter().zip(tests) {
        let test = if served(cells[0]) { test.map(String::as_str) } else { Some(REFUSED) };
        if let Some(test) = test.filter(|test| !named.contains(test) && (served(cell) || *test == REFUSED)) {
            named.push(test);
        }
    }
    named.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ")
}

/// The cells of a form's row, by its name.
pub(super) fn cells(name: &str) -> [Cell; 5] {
    let forms = forms();
    let index =
        forms.iter().position(|form| form.name == name).unwrap_or_else(|| panic!("no form is {name}"));
    let tests = By::VirtualGpu.tests(&forms);
    let text = subject(&forms[index], tests.get(&index), &forms, index).expect("the form can be looked at");
    let row = row(&forms, index, &text);
    [row.virtual_gpu, row.ptx, row.guard, row.collide, row.prove]
}

/// The test that executes every refused form.
const REFUSED: &str = "crates/warprace/tests/coverage/refused.rs";

/// Forms that the virtual GPU refuses: name, and a module with an instruction of it.
pub(super) fn refused() -> Vec<(String, String)> {
    let forms = forms();
    let tests = By::VirtualGpu.tests(&forms);
    let texts = forms
        .iter()
        .enumerate()
        .filter_map(|(i, form)| Some((i, form, subject(form, tests.get(&i), &forms, i)?)));
    let refused = texts.filter(|(i, _, text)| matches!(row(&forms, *i, text).virtual_gpu, Cell::Refused(_)));
    refused.map(|(_, form, text)| (form.name.clone(), text)).collect()
}

#[test]
fn every_opcode_that_is_decoded_has_a_form() {
    let forms = forms();
    let lacks: Vec<&&str> =
        ptx::OPCODES.iter().filter(|name| !forms.iter().any(|f| f.words[0] == **name)).collect();
    assert!(lacks.is_empty(), "tests/coverage/ptx-isa.txt lacks {lacks:?}");
}

#[test]
fn each_probe_is_of_its_form() {
    let (forms, mut wrong) = (forms(), Vec::new());
    for (i, form) in forms.iter().enumerate().filter(|(_, form)| !form.probe.is_empty()) {
        let word = form.probe.split([' ', ';']).next().unwrap();
        let found = form_of(&forms, word);
        if found != Some(i) {
            wrong.push(format!(
                "{word} of `{}` is of {:?}",
                form.name,
                found.map(|found| &forms[found].name)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (i, form) in forms.iter().enumerate() {
        let twin = forms[..i].iter().find(|other| other.name == form.name && other.types == form.types);
        assert!(twin.is_none(), "`{}` has two rows", form.name);
    }
}
