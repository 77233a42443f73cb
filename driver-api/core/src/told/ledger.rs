//! The progress of each process of a program: its number of launches, the launch that runs, and
//! whether its end was seen. It lies in memory that the command and all processes of the program
//! share. So it is there whatever ends a process, a `SIGKILL` too.
//!
//! The memory is 64-bit words in rows. The first row has the number of processes that took a row,
//! and whether the command has ended. Each process has one row and writes that row alone, so
//! nothing has to be locked.
//!
//! In which direction it can be wrong: a process may be killed between two words of a note. Then
//! the launch that ended just then still counts as running. A count is never too high by a launch
//! that did not begin.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::told::journal::Leaked;

/// The words of a row.
const ROW: usize = 32;

/// The rows, the first included.
const ROWS: usize = 4096;

/// All words.
pub const LEDGER_WORDS: usize = ROW * ROWS;

/// The word of the first row that says that the command has ended.
const OVER: usize = 1;

/// The byte offset at which the command writes these bytes when it has ended.
pub const LEDGER_OVER: (u64, [u8; 8]) = (OVER as u64 * 8, 1u64.to_le_bytes());

/// The words of a row, by what they hold.
const STAGE: usize = 0;
const LAUNCHES: usize = 1;
const UNCHECKED: usize = 2;
const UNFINISHED: usize = 3;
const FORGOTTEN: usize = 4;
const LEAKED_PIECES: usize = 5;
const LEAKED_BYTES: usize = 6;
const LOST: usize = 7;
const RUNNING: usize = 8;
const NAME_BYTES: usize = 9;
const IN_TURN: usize = 10;
const COUNTED: usize = 11;
const NAME: usize = 12;

/// The bytes of a kernel's name that are kept.
const LONGEST_NAME: usize = (ROW - NAME) * 8;

/// The stage of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its end was not seen.
    Running = 1,
    /// It has ended.
    Ended = 2,
    /// It has ended while one of its threads was in a call.
    EndedInCall = 3,
}

/// What a process has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many launches were carried out.
    pub launches: u64,
    /// How many of them were left unchecked although others were checked.
    pub unchecked: u64,
    /// How many of them were given up under one of the schedules, because the steps ran out.
    pub unfinished: u64,
    /// How many of them were checked under two schedules, because the budget of their kernel and
    /// shape was spent.
    pub in_turn: u64,
    /// How many of them were counted, to say how kernels use the machine.
    pub counted: u64,
    /// How many operations were forgotten because memory ran out before everything that may race
    /// with them was issued.
    pub forgotten: u64,
    /// The device memory that it never gave back; known at its end.
    pub leaked: Leaked,
}

/// A process's note about its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A launch begins.
    Begins {
        /// Its number among the launches of the process, from 1.
        launch: u64,
        /// The kernel.
        kernel: &'a str,
    },
    /// No launch runs, and this was done so far.
    Done(Done),
    /// It has ended, as far as it knows.
    Ended {
        /// One of its threads is in a call.
        in_call: bool,
    },
}

/// The ledger's record of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its number.
    pub process: u32,
    /// Its stage.
    pub stage: Stage,
    /// What it did.
    pub done: Done,
    /// How many lines of the journal it could not write.
    pub lost: u64,
    /// The launch that runs: its number, and its kernel; a long name is cut.
    pub running: Option<(u64, String)>,
}

/// The ledger's records of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Each process that has a row.
    pub processes: Vec<Standing>,
    /// How many found no row.
    pub without_row: u64,
}

/// The row of this process.
#[derive(Debug)]
pub struct Row(&'static [AtomicU64]);

impl Row {
    /// Takes a row for a process; `None` if none is left, which the ledger then counts.
    pub fn take(words: &'static [AtomicU64], process: u32) -> Option<Row> {
        let index = words.first()?.fetch_add(1, Ordering::Relaxed) as usize + 1;
        let row = words.chunks_exact(ROW).nth(index)?;
        row[STAGE].store(stage_word(process, Stage::Running), Ordering::Relaxed);
        Some(Row(row))
    }

    fn set(&self, word: usize, value: u64) {
        self.0[word].store(value, Ordering::Release);
    }

    /// Writes a note.
    pub fn note(&self, process: u32, note: Note<'_>) {
        match note {
            Note::Begins { launch, kernel } => {
                let bytes = &kernel.as_bytes()[..kernel.len().min(LONGEST_NAME)];
                for (at, word) in bytes.chunks(8).enumerate() {
                    // A chunk has at most 8 bytes, and a row room for as many as are kept.
                    let mut padded = [0; 8];
                    padded[..word.len()].copy_from_slice(word);
                    self.set(NAME + at, u64::from_le_bytes(padded));
                }
                self.set(NAME_BYTES, kernel.len() as u64);
                self.set(RUNNING, launch);
            }
            Note::Done(done) => {
                self.set(UNCHECKED, done.unchecked);
                self.set(UNFINISHED, done.unfinished);
                self.set(IN_TURN, done.in_turn);
                self.set(COUNTED, done.counted);
                self.set(FORGOTTEN, done.forgotten);
                self.set(LEAKED_PIECES, done.leaked.pieces);
                self.set(LEAKED_BYTES, done.leaked.bytes);
                self.set(LAUNCHES, done.launches);
                self.set(RUNNING, 0);
            }
            Note::Ended { in_call } => {
                let stage = if in_call { Stage::EndedInCall } else { Stage::Ended };
                self.set(STAGE, stage_word(process, stage));
            }
        }
    }

    /// Counts a line of the journal that could not be written.
    pub fn lose_line(&self) {
        self.0[LOST].fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether the command has ended, and was not stopped.
pub fn is_over(words: &[AtomicU64]) -> bool {
    words.get(OVER).is_some_and(|over| over.load(Ordering::Acquire) != 0)
}

fn stage_word(process: u32, stage: Stage) -> u64 {
    u64::from(process) << 32 | stage as u64
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// They are no ledger; the text says why.
    pub fn read(bytes: &[u8]) -> Result<Ledger, String> {
        let words: Vec<u64> = bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes).collect();
        let taken = match words.first() {
            Some(taken) if words.len() == LEDGER_WORDS => *taken,
            Some(_) | None => return Err(format!("it has {} words", words.len())),
        };
        let rows = words.chunks_exact(ROW).skip(1).take(taken as usize);
        let processes = rows.map(standing).collect::<Result<Vec<_>, _>>()?;
        // One that was stopped before it wrote anything of its row has used nothing.
        let processes: Vec<Standing> = processes.into_iter().flatten().collect();
        Ok(Ledger { processes, without_row: taken.saturating_sub(ROWS as u64 - 1) })
    }
}

fn standing(row: &[u64]) -> Result<Option<Standing>, String> {
    let stage = match row[STAGE] as u32 {
        0 => return Ok(None),
        1 => Stage::Running,
        2 => Stage::Ended,
        3 => Stage::EndedInCall,
        other => return Err(format!("a process is at stage {other}")),
    };
    let done = Done {
        launches: row[LAUNCHES],
        unchecked: row[UNCHECKED],
        unfinished: row[UNFINISHED],
        in_turn: row[IN_TURN],
        counted: row[COUNTED],
        forgotten: row[FORGOTTEN],
        leaked: Leaked { pieces: row[LEAKED_PIECES], bytes: row[LEAKED_BYTES] },
    };
    // What was counted as carried out does not run.
    let is_running = row[RUNNING] > done.launches;
    Ok(Some(Standing {
        process: (row[STAGE] >> 32) as u32,
        stage,
        done,
        lost: row[LOST],
        running: is_running.then(|| (row[RUNNING], name(row))),
    }))
}

fn name(row: &[u64]) -> String {
    let bytes: Vec<u8> = row[NAME..].iter().flat_map(|word| word.to_le_bytes()).collect();
    let length = usize::try_from(row[NAME_BYTES]).unwrap_or(usize::MAX);
    // A row has `LONGEST_NAME` bytes behind `NAME`, whatever length a process wrote.
    let kept = String::from_utf8_lossy(&bytes[..length.min(LONGEST_NAME)]).into_owned();
    if length > LONGEST_NAME { kept + "..." } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> &'static [AtomicU64] {
        Box::leak((0..LEDGER_WORDS).map(|_| AtomicU64::new(0)).collect())
    }

    fn read(words: &[AtomicU64]) -> Ledger {
        let bytes = words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        Ledger::read(&bytes.collect::<Vec<u8>>()).unwrap()
    }

    #[test]
    fn a_process_that_is_stopped_in_a_launch_leaves_its_counts_and_the_kernel() {
        let words = words();
        assert_eq!(read(words), Ledger::default());
        let (first, second) = (Row::take(words, 7).unwrap(), Row::take(words, u32::MAX).unwrap());
        let done = Done {
            launches: 2,
            unchecked: 1,
            unfinished: 1,
            in_turn: 2,
            counted: 5,
            forgotten: 3,
            leaked: Leaked { pieces: 4, bytes: 1 << 40 },
        };
        first.note(7, Note::Begins { launch: 1, kernel: "scan" });
        first.note(7, Note::Done(done));
        first.note(7, Note::Begins { launch: 3, kernel: "reduce" });
        second.note(u32::MAX, Note::Begins { launch: 1, kernel: "k" });
        second.note(u32::MAX, Note::Done(Done { launches: 1, ..Done::default() }));
        second.lose_line();
        second.note(u32::MAX, Note::Ended { in_call: false });
        let processes = read(words).processes;
        let [one, two] = &processes[..] else { panic!() };
        assert_eq!((one.process, one.stage, one.done, one.lost), (7, Stage::Running, done, 0));
        assert_eq!(one.running, Some((3, "reduce".to_owned())));
        assert_eq!((two.process, two.stage, two.lost), (u32::MAX, Stage::Ended, 1));
        assert_eq!((two.done.launches, &two.running), (1, &None));
        first.note(7, Note::Ended { in_call: true });
        assert_eq!(read(words).processes[0].stage, Stage::EndedInCall);
    }

    #[test]
    fn a_long_name_is_cut_and_says_so_and_a_process_too_many_is_counted() {
        let words = words();
        let name = "k".repeat(LONGEST_NAME + 1);
        let row = Row::take(words, 1).unwrap();
        row.note(1, Note::Begins { launch: 1, kernel: &name });
        let kept = format!("{}...", &name[1..]);
        assert_eq!(read(words).processes[0].running, Some((1, kept)));
        for process in 2..ROWS as u32 {
            assert!(Row::take(words, process).is_some());
        }
        assert!(Row::take(words, 9999).is_none());
        let ledger = read(words);
        assert_eq!((ledger.processes.len(), ledger.without_row), (ROWS - 1, 1));
        assert!(Ledger::read(&[0; 64]).is_err());
    }
}
