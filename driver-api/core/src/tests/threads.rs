//! Random programs of several threads that run at the same time: the calls of the other file, in
//! whatever order the threads reach them. A program that does not end is a deadlock.

use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;

use super::over::{finished, runner};
use super::random::{Program, Step, first_steps, number, step};
use super::*;

/// Threads of a program.
const THREADS: usize = 4;

/// How long a program may take: it takes milliseconds.
const LONG: Duration = Duration::from_secs(60);

fn run(steps: &[Vec<Step>]) -> Result<(), TestCaseError> {
    let options = Options { max_steps: Some(10_000), threads: Some(1), ..Options::default() };
    let (driver, fake, mut first) = driver(options);
    let mut program = Program::new();
    first_steps(&mut driver.enter(&mut first).unwrap(), &mut program);
    let context = driver.enter(&mut first).unwrap().current_context().unwrap();
    let (driver, program) = (Arc::new(driver), Arc::new(Mutex::new(program)));
    let (done, ended) = mpsc::channel();
    for steps in steps.iter().cloned() {
        let (driver, program, done) = (Arc::clone(&driver), Arc::clone(&program), done.clone());
        std::thread::spawn(move || {
            let mut caller = Caller::default();
            for (number, one) in steps.into_iter().enumerate() {
                let mut call = driver.enter(&mut caller).unwrap();
                if number == 0 {
                    let _ = call.set_current_context(Some(context));
                }
                // The driver first, and then the program: all threads lock both in that order.
                step(&mut call, &mut program.lock().unwrap(), one);
            }
            let _ = done.send(());
        });
    }
    drop(done);
    for _ in steps {
        let came = ended.recv_timeout(LONG);
        prop_assert!(came.is_ok(), "a thread panicked, or waits for ever: {:?}", came);
    }
    let handles = program.lock().unwrap().all();
    finished(&driver, &fake, &handles)
}

#[test]
fn random_calls_of_several_threads_at_the_same_time_end_and_lose_nothing() {
    let step = (any::<u8>(), number(), number(), number());
    let steps = proptest::collection::vec(step, 1..40);
    let cases = warpsim_effort::cases(40, 250_000);
    let (mut runner, seed) = runner(cases);
    let all = proptest::collection::vec(steps, THREADS);
    let ran = runner.run(&all, |steps| run(&steps));
    println!("seed {seed}: {cases} programs of {THREADS} threads");
    ran.unwrap();
}
