//! Laws that hold whatever two players send, in whatever order and at whatever moment.

use proptest::prelude::*;

use super::*;

/// Something that comes to a match.
#[derive(Clone, Debug)]
enum Comes {
    /// A legal move by whoever is to move, by its place in the list.
    Legal(usize),
    /// Anything a player can ask for.
    Asked(Seat, Command),
    /// The service stands for a while and goes on.
    Outage,
    /// The clock of whoever is to move runs out.
    Flag,
}

fn seat() -> impl Strategy<Value = Seat> {
    prop_oneof![Just(First), Just(Second)]
}

fn command() -> impl Strategy<Value = Command> {
    let texts = prop_oneof!["[A-F]", "[a-f]", ".{0,3}"];
    prop_oneof![
        6 => (0_u32..40, texts).prop_map(|(ply, text)| Command::Move { ply, text }),
        1 => Just(Command::Resign),
        6 => Just(Command::Draw(DrawAct::Offer)),
        1 => (0_u32..60).prop_map(|offer| Command::Draw(DrawAct::Accept(offer))),
        4 => (0_u32..60).prop_map(|offer| Command::Draw(DrawAct::Decline(offer))),
    ]
}

fn comes() -> impl Strategy<Value = (u64, Comes)> {
    let what = prop_oneof![
        30 => (0_usize..6).prop_map(Comes::Legal),
        12 => (seat(), command()).prop_map(|(by, command)| Comes::Asked(by, command)),
        2 => Just(Comes::Outage),
        1 => Just(Comes::Flag),
    ];
    (0_u64..4_000, what)
}

impl Table {
    /// Lets something happen and gives what is to be written.
    fn meet(&mut self, what: Comes) -> Vec<Entry> {
        match what {
            Comes::Legal(place) => {
                let Some(by) = self.state.to_move() else { return Vec::new() };
                let legal = self.state.legal();
                let command =
                    Command::Move { ply: self.state.play().ply() + 1, text: legal[place % legal.len()].to_string() };
                match self.state.judge(by, &command, self.stamp()) {
                    Ok(Verdict::Write(entries)) => entries,
                    other => panic!("a legal move in turn comes to {other:?}"),
                }
            }
            Comes::Asked(by, command) => match self.state.judge(by, &command, self.stamp()) {
                Ok(Verdict::Write(entries)) => entries,
                Ok(Verdict::Recorded(_)) | Err(_) => Vec::new(),
            },
            Comes::Outage if self.state.outcome().is_none() => {
                let now = self.stamp().instant;
                self.state.clocks_mut().stand(now);
                self.wait_ms(30_000);
                vec![self.state.credit(Trouble::Outage, self.stamp())]
            }
            Comes::Flag => self.state.flag(self.stamp()).into_iter().collect(),
            Comes::Outage => Vec::new(),
        }
    }
}

/// What two states must agree on to be the same match.
fn picture(state: &State) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        state.play().position().to_string(),
        (state.play().ply(), state.play().occurrences(), state.play().quiet()),
        (state.offer(), state.turned_down, state.outcome(), state.to_move(), state.legal()),
        (state.seq(), state.clocks().turn()),
        state.entries().last().map(|entry| entry.clocks),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_is_judged_without_harm_and_the_entries_alone_rebuild_the_match(
        preset in prop_oneof![Just("abapa"), Just("wari"), Just("caribbean")],
        story in prop::collection::vec(comes(), 1..120),
    ) {
        let mut table = Table::of(preset);
        for (wait, what) in story {
            table.wait_ms(wait);
            let before = (table.state.seq(), table.state.clocks().shown(table.stamp().instant));
            let was_over = table.state.outcome().is_some();
            let entries = table.meet(what);
            prop_assert!(!was_over || entries.is_empty(), "nothing is written after the end");
            for (ahead, entry) in entries.iter().enumerate() {
                prop_assert_eq!(entry.seq as usize, before.0 as usize + 1 + ahead);
                for seat in [First, Second] {
                    prop_assert!(entry.clocks[seat] <= before.1[seat], "a clock grew: {:?} to {:?}", before, entry);
                }
            }
            table.write(entries);
        }
        let mut replayed = State::new(Arc::clone(table.state.setup()));
        let told: Vec<Event> = table.state.entries().iter().map(|entry| replayed.apply(entry.clone())).collect();
        prop_assert_eq!(picture(&replayed), picture(&table.state));
        prop_assert_eq!(&told, &table.told, "replayed events are those that were told");
        for since in 0..=table.state.seq() + 2 {
            let rest = &table.told[table.told.len().min(since as usize)..];
            prop_assert_eq!(&table.state.events_since(since)[..], rest, "since {}", since);
        }
    }

    #[test]
    fn judging_changes_nothing(
        story in prop::collection::vec(comes(), 0..40),
        by in seat(),
        command in command(),
    ) {
        let mut table = Table::new();
        for (wait, what) in story {
            table.wait_ms(wait);
            let entries = table.meet(what);
            table.write(entries);
        }
        let before = (picture(&table.state), table.state.clocks().clone(), table.state.entries().to_vec());
        let once = table.state.judge(by, &command, table.stamp());
        let twice = table.state.judge(by, &command, table.stamp());
        prop_assert_eq!(once, twice);
        prop_assert_eq!((picture(&table.state), table.state.clocks().clone(), table.state.entries().to_vec()), before);
    }
}
