//! The story of `volatile`, as data and as text.

use warpsim_programs::Colour;
use warpsim_programs::volatile::story::Accesses;
use warpsim_programs::volatile::{H200, render, tell};

#[test]
fn the_four_runs_are_right_wrong_right_and_wrong() {
    let story = tell().unwrap();
    let verdicts: Vec<bool> = story.runs.iter().map(|run| run.is_right).collect();
    assert_eq!(verdicts, [true, false, true, false]);
    let right: Vec<i32> = (1..=32).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(story.expected, right);
    for run in story.runs {
        let expected = if run.is_right { &right } else { &story.input };
        assert_eq!(&run.output, expected, "{}", run.title);
    }
}

#[test]
fn the_runs_go_to_shared_memory_as_often_as_compilers_let_them() {
    let accesses: Vec<Accesses> = tell().unwrap().runs.iter().map(|run| run.accesses).collect();
    let [all, few] = [Accesses { loads: 11, stores: 7 }, Accesses { loads: 5, stores: 2 }];
    assert_eq!(accesses, [all, few, all, all]);
}

#[test]
fn the_round_that_goes_wrong_is_the_first_and_only_lane_0_reads_what_it_should() {
    let round = tell().unwrap().round;
    assert_eq!((round.number, round.text.as_str()), (1, "data[t + 32] += data[t + 31];"));
    assert_eq!(round.lanes.len(), 32);
    for (t, lane) in (0..).zip(&round.lanes) {
        assert_eq!((lane.lane, lane.cell), (t, u64::from(t) + 31));
        // Lane t - 1 should have left its number, which is t; memory holds zero.
        assert_eq!((lane.should_read, lane.read), (t as i32, 0));
        assert_eq!((lane.sum_should_be, lane.sum), (2 * t as i32 + 1, t as i32 + 1));
        assert_eq!(lane.is_right(), t == 0);
    }
}

#[test]
fn the_line_that_did_it_is_the_first_store_of_the_running_sum() {
    let culprit = tell().unwrap().culprit;
    assert_eq!(culprit.text, "data[t + 32] = in[t];");
    assert!(culprit.instruction.starts_with("st.u32"), "{}", culprit.instruction);
    assert_eq!((culprit.writer, culprit.reader), (0, 1));
}

#[test]
fn five_launches_on_leftover_memory_give_the_rows_that_an_h200_printed() {
    let page = include_str!("../../hardware/README.md");
    let row = |level: usize| -> Vec<i32> {
        let line = page.lines().find_map(|l| l.strip_prefix(&format!("| {level} | "))).unwrap();
        line.trim_end_matches('|').split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let rows: Vec<Vec<i32>> = (0..5).map(row).collect();
    assert_eq!(H200.map(Vec::from).to_vec(), rows);
    assert_eq!(tell().unwrap().leftovers, rows);
}

#[test]
fn the_story_fits_a_terminal_of_100_columns() {
    let text = render(&tell().unwrap(), Colour::Never);
    let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 100, "{widest}");
}

#[test]
fn colour_changes_nothing_but_colour() {
    let story = tell().unwrap();
    let mut text = render(&story, Colour::Ansi);
    for code in ["\x1b[0m", "\x1b[1m", "\x1b[1;31m", "\x1b[1;32m"] {
        assert!(text.contains(code));
        text = text.replace(code, "");
    }
    assert_eq!(text, render(&story, Colour::Never));
}

#[test]
fn the_story_in_words() {
    insta::assert_snapshot!(render(&tell().unwrap(), Colour::Never));
}
