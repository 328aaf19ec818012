//! A model of leases, epochs and the journal, walked through to its last state.
//!
//! Two nodes, one match. Whatever can happen between two steps of SQL is a step of its own here: a statement has looked at
//! the match's row and not yet written, a commit stands and its answer is lost, a lease ends at any moment, whether its
//! holder is dead, slow or as well as ever (time is not in the model: it decides when a lease is ended, never whether what
//! follows is safe). What the server does is in `matches/journal.rs`, `settle.rs`, `recovery.rs`, `heart.rs` and `actor.rs`.

use stateright::{Checker, HasDiscoveries, Model, Property};

/// How much happens at most, so that there is a last state.
const MOST_ENTRIES: usize = 4;
const MOST_EPOCHS: u8 = 3;
const MOST_LOSSES: u8 = 3;

/// What of the protocol is in force: all of it, or all but one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    /// As built.
    All,
    /// Statements do not ask for owner and epoch.
    Unfenced,
    /// A node serves a match that it took over before an entry of its own stands.
    NoFirstEntry,
    /// Whoever got no answer takes it for a yes, instead of reading the journal.
    Guesses,
    /// Settlements believe what their statement saw of the match's row, instead of what it is once they have locked it.
    NoRowLock,
    /// An entry's place is not its key.
    NoKey,
}

/// One row of `match_events`; its place is its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    epoch: u8,
    by: usize,
    ends: bool,
    /// Whether who wrote it owned the match, and held a lease, when the statement began; a settlement, when it wrote.
    rightful: bool,
}

/// A statement on its way through Postgres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "a state of the model is what is true in it")]
struct Statement {
    epoch: u8,
    place: usize,
    ends: bool,
    /// Whether what it saw when it began lets it write.
    may_write: bool,
    /// Whether it saw that its sender owned the match and held a lease.
    rightful: bool,
    /// Whether somebody waits for its answer: not after a crash.
    awaited: bool,
}

/// What a node holds of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Memory {
    epoch: u8,
    /// How many entries it knows.
    known: usize,
    /// Whether it acts for players; before that it only writes its first entry, the clock's credit.
    serves: bool,
    /// A commit had no answer, or was refused.
    unsure: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
struct Node {
    lease_ended: bool,
    memory: Option<Memory>,
    /// The last one, and those of earlier lives that are still on their way.
    statements: Vec<Statement>,
    /// The answer to its last statement, on its way back.
    answer: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    owner: usize,
    epoch: u8,
    ended: bool,
    settlements: u8,
    journal: Vec<Row>,
    /// What players were told: places, and what stood there by what they were told.
    acknowledged: Vec<(usize, Row)>,
    nodes: [Node; 2],
    losses: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A node sends a statement: it sees the database as it is now.
    Begin(usize, bool),
    /// The statement writes, or finds that it may not.
    Commit(usize, usize),
    /// The answer arrives.
    Hear(usize),
    /// The answer is lost.
    LoseAnswer(usize),
    /// A node that is not sure reads whether it owns the match, and the journal.
    Read(usize),
    /// A lease ends, whatever its holder does.
    EndLease(usize),
    /// A node notices that it has no lease: it lets go and begins another one.
    BeginAgain(usize),
    /// A process dies; what it had sent goes on.
    Crash(usize),
    /// A node takes the match over from one without a lease, or takes up what it owns and does not hold.
    TakeOver(usize),
}

impl Model for Rules {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        let first = Memory { epoch: 1, known: 0, serves: true, unsure: false };
        let nodes = [Node { memory: Some(first), ..Node::default() }, Node::default()];
        let (journal, acknowledged) = (Vec::new(), Vec::new());
        vec![World { owner: 0, epoch: 1, ended: false, settlements: 0, journal, acknowledged, nodes, losses: 0 }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        for (n, node) in world.nodes.iter().enumerate() {
            let holds = world.owner == n && node.memory.is_some();
            steps.extend((0..node.statements.len()).map(|which| Step::Commit(n, which)));
            let waits = node.answer.is_some() || node.statements.iter().any(|statement| statement.awaited);
            if node.answer.is_some() {
                steps.extend([Step::Hear(n), Step::LoseAnswer(n)]);
            }
            match node.memory {
                Some(memory) if !waits && memory.unsure => steps.push(Step::Read(n)),
                Some(memory) if !waits && memory.known < MOST_ENTRIES => {
                    steps.push(Step::Begin(n, false));
                    if memory.serves {
                        steps.push(Step::Begin(n, true));
                    }
                }
                _ => {}
            }
            if world.losses < MOST_LOSSES {
                if node.memory.is_some() {
                    steps.push(Step::Crash(n));
                }
                if !node.lease_ended {
                    steps.push(Step::EndLease(n));
                }
            }
            if node.lease_ended {
                steps.push(Step::BeginAgain(n));
            }
            let is_orphan = world.nodes[world.owner].lease_ended || (world.owner == n && !holds);
            if is_orphan && !world.ended && world.epoch < MOST_EPOCHS && node.memory.is_none() {
                steps.push(Step::TakeOver(n));
            }
        }
    }

    fn next_state(&self, before: &World, step: Step) -> Option<World> {
        let mut world = before.clone();
        match step {
            Step::Begin(n, ends) => world.begin(*self, n, ends)?,
            Step::Commit(n, which) => world.commit(*self, n, which),
            Step::Hear(n) => world.hear(n)?,
            Step::LoseAnswer(n) => world.lose_answer(*self, n)?,
            Step::Read(n) => world.read(n)?,
            Step::EndLease(n) => {
                world.nodes[n].lease_ended = true;
                world.losses += 1;
            }
            Step::BeginAgain(n) => {
                world.forget(n);
                world.nodes[n].lease_ended = false;
            }
            Step::Crash(n) => {
                world.forget(n);
                world.losses += 1;
            }
            Step::TakeOver(n) => {
                world.owner = n;
                world.epoch += 1;
                let serves = *self == Rules::NoFirstEntry;
                // What is on its way by the last owner's statement is not in what is read now.
                let known = world.journal.len();
                world.nodes[n].memory = Some(Memory { epoch: world.epoch, known, serves, unsure: false });
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no two nodes write in one epoch", |_, world: &World| {
                world
                    .journal
                    .iter()
                    .all(|row| world.journal.iter().all(|other| other.epoch != row.epoch || other.by == row.by))
            }),
            Property::always("an epoch writes nothing once a later one has", |_, world: &World| {
                world.journal.is_sorted_by_key(|row| row.epoch)
            }),
            Property::always("what was acknowledged stands in the journal", |_, world: &World| {
                world.acknowledged.iter().all(|(place, row)| world.journal.get(*place) == Some(row))
            }),
            Property::always(
                "whoever serves by the last epoch knows everything that was acknowledged",
                |_, world: &World| {
                    world.nodes.iter().filter_map(|node| node.memory).all(|memory| {
                        let is_last = memory.serves && memory.epoch == world.epoch;
                        !is_last
                            || world
                                .acknowledged
                                .iter()
                                .all(|(place, row)| *place < memory.known || row.epoch == memory.epoch)
                    })
                },
            ),
            Property::always("a match is settled once, and nothing follows", |_, world: &World| {
                let ends = world.journal.iter().position(|row| row.ends);
                world.settlements <= 1 && ends.is_none_or(|place| place + 1 == world.journal.len())
            }),
            Property::always(
                "who had lost the match, or the lease, when it asked writes nothing",
                |_, world: &World| world.journal.iter().all(|row| row.rightful),
            ),
            Property::sometimes("a match is taken over and goes on", |_, world: &World| {
                world.acknowledged.iter().any(|(_, row)| row.epoch == 2 && row.by == 1)
            }),
            Property::sometimes("it comes back to its first node", |_, world: &World| {
                world.acknowledged.iter().any(|(_, row)| row.epoch == 3 && row.by == 0)
            }),
            Property::sometimes("it is settled after a takeover", |_, world: &World| {
                world.settlements == 1 && world.epoch > 1
            }),
            Property::sometimes(
                "an old owner's entry stands that was on its way at the takeover",
                |_, world: &World| {
                    let owner = &world.nodes[world.owner];
                    let knows = owner.memory.filter(|memory| memory.epoch == world.epoch).map(|memory| memory.known);
                    knows.is_some_and(|known| known < world.journal.len() && world.journal[known].epoch < world.epoch)
                },
            ),
        ]
    }

    fn within_boundary(&self, world: &World) -> bool {
        world.journal.len() <= MOST_ENTRIES
    }
}

impl World {
    /// Everything in the memory of a process is gone; what it has sent is not.
    fn forget(&mut self, n: usize) {
        let node = &mut self.nodes[n];
        node.memory = None;
        node.answer = None;
        node.statements.iter_mut().for_each(|statement| statement.awaited = false);
    }

    fn owns(&self, n: usize, epoch: u8) -> bool {
        self.owner == n && self.epoch == epoch && !self.ended
    }

    fn begin(&mut self, rules: Rules, n: usize, ends: bool) -> Option<()> {
        let Memory { epoch, known, .. } = self.nodes[n].memory?;
        let rightful = self.owns(n, epoch) && !self.nodes[n].lease_ended;
        let may_write = rightful || (rules == Rules::Unfenced && !self.ended);
        let statement = Statement { epoch, place: known, ends, may_write, rightful, awaited: true };
        self.nodes[n].statements.push(statement);
        Some(())
    }

    fn commit(&mut self, rules: Rules, n: usize, which: usize) {
        let Statement { epoch, place, ends, may_write, rightful, awaited } = self.nodes[n].statements.remove(which);
        // An entry was judged by what its statement saw. A settlement locks the match's row and judges it as it is then.
        let rightful = rightful && (!ends || self.owns(n, epoch));
        let may_write = may_write && (rightful || rules == Rules::Unfenced || rules == Rules::NoRowLock);
        // The place is the key: an insert meets what stands there, and writes nothing.
        let written = may_write && (self.journal.len() == place || rules == Rules::NoKey);
        if written {
            self.journal.push(Row { epoch, by: n, ends, rightful });
            if ends {
                self.ended = true;
                self.settlements += 1;
            }
        }
        if awaited {
            self.nodes[n].answer = Some(written);
        }
    }

    fn lose_answer(&mut self, rules: Rules, n: usize) -> Option<()> {
        self.nodes[n].answer = None;
        let memory = self.nodes[n].memory.as_mut()?;
        if rules == Rules::Guesses {
            let row = Row { epoch: memory.epoch, by: n, ends: false, rightful: true };
            self.acknowledged.push((memory.known, row));
            memory.known += 1;
        } else {
            memory.unsure = true;
        }
        Some(())
    }

    fn hear(&mut self, n: usize) -> Option<()> {
        let written = self.nodes[n].answer.take()?;
        let memory = self.nodes[n].memory.as_mut()?;
        if written {
            // `known` was not moved since: it waited.
            self.acknowledged.push((memory.known, *self.journal.get(memory.known)?));
            memory.known += 1;
            memory.serves = true;
        } else {
            memory.unsure = true;
        }
        Some(())
    }

    fn read(&mut self, n: usize) -> Option<()> {
        let (owner, epoch, ended, entries) = (self.owner, self.epoch, self.ended, self.journal.len());
        let memory = self.nodes[n].memory.as_mut()?;
        if owner == n && epoch == memory.epoch && !ended {
            (memory.known, memory.unsure) = (entries, false);
        } else {
            self.nodes[n].memory = None;
        }
        Some(())
    }
}

#[test]
fn no_two_nodes_write_in_one_epoch_and_no_takeover_loses_what_was_acknowledged() {
    let checked = Rules::All.checker().threads(2).spawn_bfs().join();
    println!("{} states, {} of them different", checked.state_count(), checked.unique_state_count());
    assert!(checked.is_done(), "every state was looked at");
    checked.assert_properties();
}

#[test]
fn the_model_finds_what_would_break_without_each_rule() {
    let broken = [
        (Rules::Unfenced, "who had lost the match, or the lease, when it asked writes nothing"),
        (Rules::NoRowLock, "who had lost the match, or the lease, when it asked writes nothing"),
        (Rules::NoKey, "an epoch writes nothing once a later one has"),
        (Rules::NoFirstEntry, "whoever serves by the last epoch knows everything that was acknowledged"),
        (Rules::Guesses, "what was acknowledged stands in the journal"),
    ];
    for (rules, property) in broken {
        let first = HasDiscoveries::AnyOf([property].into());
        let checked = rules.checker().finish_when(first).spawn_bfs().join();
        let discovery = checked.discovery(property);
        println!("{rules:?}: {:?}", discovery.as_ref().map(|path| path.clone().into_actions()));
        assert!(discovery.is_some(), "{rules:?}: {property}");
    }
}
