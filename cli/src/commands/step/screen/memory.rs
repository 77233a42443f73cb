//! The variable that the memory pane shows, and the cell that is selected in it.

use warpsim::observe::AccessKind;
use warpsim_debugger::{Debugger, Region, Target, ThreadId, Writer};

/// Cells that are shown at most: those around the selected one.
const WINDOW: u64 = 1024;

/// What can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A shared or a global variable, by its name.
    Variable(String),
    /// The buffer of an argument, by the place of the argument.
    Buffer(String),
}

/// The choice of a person.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// `None` until a person chooses: then it is the first.
    chosen: Option<Choice>,
    /// The number of the cell.
    pub(super) cell: u64,
}

/// Cells of the chosen variable.
#[derive(Default)]
pub(super) struct Memory {
    /// The number of the chosen variable, from 1, and how many there are.
    pub(super) number: (usize, usize),
    /// What the variable is called.
    pub(super) name: String,
    /// All of the variable; `None` where its block has no memory now.
    pub(super) region: Option<Region>,
    /// The cells around the selected one, in order.
    pub(super) cells: Vec<Shown>,
    /// Why there are no cells.
    pub(super) missing: Option<String>,
    /// The number of the selected cell.
    pub(super) selected: u64,
    /// The step that wrote to the cells last.
    pub(super) latest: Option<usize>,
}

/// A cell.
pub(super) struct Shown {
    pub(super) index: u64,
    pub(super) value: String,
    /// What the last step did to it.
    pub(super) access: Option<AccessKind>,
    /// Who wrote it last.
    pub(super) writer: Option<Writer>,
    pub(super) is_watched: bool,
}

/// Everything that can be shown: shared variables, global variables, buffers.
fn choices(debugger: &Debugger<'_>) -> Vec<Choice> {
    let variables = debugger.stepper().variables();
    let variables = variables.into_iter().map(|variable| Choice::Variable(variable.name));
    let buffers = debugger.buffers().iter().map(|b| Choice::Buffer(b.place.to_string()));
    variables.chain(buffers).collect()
}

impl Choice {
    fn region(&self, debugger: &Debugger<'_>) -> Result<Region, String> {
        let (what, variable) = match self {
            Choice::Variable(name) => (name.clone(), debugger.stepper().variable(name)),
            Choice::Buffer(place) => (format!("@{place}"), None),
        };
        let region = match variable {
            Some(variable) => debugger.region_of_variable(&variable, None),
            None => match debugger.target(&what, None) {
                Ok(Target::Memory(region)) => Ok(region),
                Ok(_) => return Err(format!("{what} is no memory")),
                Err(error) => Err(error),
            },
        };
        region.map_err(|error| error.to_string())
    }

    fn name(&self) -> String {
        match self {
            Choice::Variable(name) => name.clone(),
            Choice::Buffer(place) => format!("@{place}"),
        }
    }
}

impl Selection {
    /// The number of the chosen one among all.
    fn number(&self, all: &[Choice]) -> usize {
        all.iter().position(|choice| Some(choice) == self.chosen.as_ref()).unwrap_or(0)
    }

    /// Chooses the next variable, or the one before.
    pub(super) fn turn(&mut self, debugger: &Debugger<'_>, is_forward: bool) {
        let all = choices(debugger);
        if all.is_empty() {
            return;
        }
        let by = if is_forward { 1 } else { all.len() - 1 };
        let next = (self.number(&all) + by) % all.len();
        (self.chosen, self.cell) = (all.get(next).cloned(), 0);
    }

    /// Selects a cell that is this many further on.
    pub(super) fn move_by(&mut self, by: i64, cells: u64) {
        let moved = self.cell.saturating_add_signed(by);
        self.cell = moved.min(cells.saturating_sub(1));
    }

    /// What a watchpoint on the selected cell watches.
    pub(super) fn target(&self, debugger: &Debugger<'_>) -> Result<Target, String> {
        let all = choices(debugger);
        let choice = all.get(self.number(&all)).ok_or("the program has no memory to watch")?;
        let region = choice.region(debugger)?;
        if self.cell >= region.cells {
            return Err(format!("{} has no cell {}", region.name, self.cell));
        }
        Ok(Target::Memory(part(&region, self.cell, 1)))
    }

    /// The cells as they are now.
    pub(super) fn memory(&self, debugger: &Debugger<'_>) -> Memory {
        let all = choices(debugger);
        let number = self.number(&all);
        let Some(choice) = all.get(number) else { return Memory::default() };
        let number = (number + 1, all.len());
        let name = choice.name();
        let region = match choice.region(debugger) {
            Ok(region) => region,
            Err(error) => {
                return Memory { number, name, missing: Some(error), ..Memory::default() };
            }
        };
        let selected = self.cell.min(region.cells.saturating_sub(1));
        let first = selected / WINDOW * WINDOW;
        let window = part(&region, first, WINDOW.min(region.cells - first));
        let (cells, missing) = match cells(debugger, &window) {
            Ok(cells) => (cells, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let latest = cells.iter().filter_map(|cell| Some(cell.writer?.step)).max();
        Memory { number, name, region: Some(region), cells, missing, selected, latest }
    }
}

/// Some cells of a region.
fn part(whole: &Region, first: u64, cells: u64) -> Region {
    let mut part = whole.clone();
    part.address += first * whole.step();
    part.first += first;
    part.cells = cells;
    part
}

fn cells(debugger: &Debugger<'_>, window: &Region) -> Result<Vec<Shown>, String> {
    let cells = debugger.cells(window).map_err(|error| error.to_string())?;
    let accesses = debugger.last_accesses(window);
    let writers = debugger.writers(window);
    let is_watched = |address: u64| {
        debugger.watches().iter().any(|watch| match &watch.target {
            Target::Memory(region) if region.block == window.block => {
                (region.address..region.address.saturating_add(region.bytes())).contains(&address)
            }
            _ => false,
        })
    };
    let shown = cells.into_iter().zip(accesses).zip(writers);
    let shown = shown.map(|((cell, access), writer)| Shown {
        index: cell.index,
        value: cell.value.to_string(),
        access,
        writer,
        is_watched: is_watched(cell.address),
    });
    Ok(shown.collect())
}

/// A thread as the grid of writers names it: `warp:lane`, with the block where it is another one.
pub(super) fn short_thread(thread: ThreadId, own: u64) -> String {
    let ThreadId { block, warp, lane } = thread;
    match block == own {
        true => format!("{warp}:{lane}"),
        false => format!("{block}:{warp}:{lane}"),
    }
}
