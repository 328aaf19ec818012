//! The whole desk of money against a model in memory: random deposits and callbacks, seeks, matches to each kind of end,
//! withdrawals, limits, stops, breaks, freezes, corrections and restarts. After every step every balance and every list of the staff is
//! what the model says.
//!
//! `STAKEBOARD_MODEL_CASES` (3) says how many runs, `STAKEBOARD_MODEL_STEPS` (40) how long they are, and
//! `STAKEBOARD_MODEL_SEED` (1) begins the chance that they are drawn by. A run that fails is made smaller, printed, and
//! its seed kept in `tests/proptest-regressions/`, which is run first from then on.

mod actions;
mod books;
mod drive;
mod stops;
mod views;

use std::{collections::BTreeMap, time::Instant};

use proptest::test_runner::{Config, FileFailurePersistence, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use actions::Action;
use drive::Run;

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/model.txt");

fn setting(name: &str, default: u32) -> u32 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Does everything, and gives how many transfers of each kind it came to.
async fn run(actions: &[Action]) -> BTreeMap<&'static str, usize> {
    let mut run = Run::start().await;
    for action in actions {
        run.act(*action).await;
        views::compare(&mut run).await;
    }
    run.server().registrar.verify_ledger().await;
    let mut kinds = BTreeMap::new();
    run.books.transfers.iter().for_each(|(kind, _)| *kinds.entry(*kind).or_default() += 1);
    run.stop().await;
    kinds
}

#[test]
fn whatever_happens_every_balance_and_every_view_is_that_of_the_model() {
    let cases = setting("STAKEBOARD_MODEL_CASES", 3);
    let steps = setting("STAKEBOARD_MODEL_STEPS", 40) as usize;
    let config = Config {
        cases,
        max_shrink_iters: 30,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(KEPT))),
        ..Config::default()
    };
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&setting("STAKEBOARD_MODEL_SEED", 1).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let began = Instant::now();
    let done = runner.run(&actions::actions(steps), |actions| {
        // Of its own, so that what is left of a run that failed goes with it.
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let finished = runtime.block_on(async { tokio::time::timeout(drive::PATIENCE, run(&actions)).await });
        let kinds = finished.map_err(|_| TestCaseError::fail("a run did not come to its end"))?;
        println!("{kinds:?}");
        Ok(())
    });
    if let Err(failure) = done {
        panic!("{failure}");
    }
    println!("{cases} runs of {steps} steps in {} ms", began.elapsed().as_millis());
}
