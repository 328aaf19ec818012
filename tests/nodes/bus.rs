//! The interface of the bus: the same of both kinds.

use std::time::Duration;

use stakeboard_server::bus::{Bus, RequestError};
use stakeboard_tests::Nats;

const PATIENCE: Duration = Duration::from_secs(5);

/// Both ends of a bus.
async fn ends(address: &str) -> [Bus; 2] {
    [Bus::connect(address, "one").await.unwrap(), Bus::connect(address, "one").await.unwrap()]
}

async fn everything(address: &str) {
    let [here, there] = ends(address).await;
    messages_of_a_sender_arrive_in_order_at_everybody_who_listens(&here, &there).await;
    a_request_is_answered_by_who_listens_and_fails_at_once_where_nobody_does(&here, &there).await;
    deployments_that_share_a_bus_hear_nothing_of_each_other(address, &here).await;
}

async fn messages_of_a_sender_arrive_in_order_at_everybody_who_listens(here: &Bus, there: &Bus) {
    let mut exact = there.subscribe("news.a").await;
    let mut any = there.subscribe("news.*").await;
    let mut own = here.subscribe("news.*").await;
    let mut others = there.subscribe("news.b").await;
    let mut deeper = there.subscribe("news.*.*").await;
    for number in 0..1_000_u32 {
        here.publish("news.a", number.to_be_bytes().to_vec().into());
    }
    for number in 0..1_000_u32 {
        for listener in [&mut exact, &mut any, &mut own] {
            let heard = listener.next().await.unwrap();
            assert_eq!((heard.subject.as_str(), heard.last()), ("news.a", "a"));
            assert_eq!(heard.payload, number.to_be_bytes().to_vec());
        }
    }
    here.publish("news.b", "b".into());
    here.publish("news.b.c", "c".into());
    assert_eq!(others.next().await.unwrap().payload, "b", "and nothing before it");
    assert_eq!(deeper.next().await.unwrap().payload, "c", "and nothing before it");
}

async fn a_request_is_answered_by_who_listens_and_fails_at_once_where_nobody_does(here: &Bus, there: &Bus) {
    let nobody = here.request("ask.nobody", "?".into(), Duration::from_mins(1)).await;
    assert_eq!(nobody, Err(RequestError::Nobody));
    let mut questions = there.subscribe("ask.somebody").await;
    let answering = tokio::spawn(async move {
        let mut first = questions.next().await.unwrap();
        assert_eq!(first.payload, "1 + 1");
        first.take_answer().unwrap().give("2".into());
        // The second one is heard, and never answered.
        questions.next().await.unwrap()
    });
    assert_eq!(here.request("ask.somebody", "1 + 1".into(), PATIENCE).await.unwrap(), "2");
    let silent = here.request("ask.somebody", "?".into(), Duration::from_millis(100)).await;
    assert_eq!(silent, Err(RequestError::TimedOut));
    answering.await.unwrap();
}

async fn deployments_that_share_a_bus_hear_nothing_of_each_other(address: &str, here: &Bus) {
    let other = Bus::connect(address, "two").await.unwrap();
    let mut heard = other.subscribe("news.*").await;
    here.publish("news.a", "not for you".into());
    other.publish("news.a", "for you".into());
    assert_eq!(heard.next().await.unwrap().payload, "for you");
}

#[tokio::test]
async fn a_bus_inside_one_process_keeps_what_the_interface_promises() {
    everything("memory:interface").await;
}

#[tokio::test]
#[ignore = "needs nats-server"]
async fn a_bus_over_nats_keeps_what_the_interface_promises() {
    let nats = Nats::start().await;
    everything(&nats.url()).await;
}

#[tokio::test]
#[ignore = "needs nats-server"]
async fn a_bus_over_nats_finds_its_way_back_and_keeps_no_old_news() {
    let mut nats = Nats::start().await;
    let [here, there] = ends(&nats.url()).await;
    let mut heard = there.subscribe("news.*").await;
    here.publish("news.a", "before".into());
    assert_eq!(heard.next().await.unwrap().payload, "before");
    nats.kill();
    while here.request("news.a", "?".into(), Duration::from_millis(50)).await != Err(RequestError::Nobody) {}
    here.publish("news.a", "meanwhile".into());
    tokio::time::sleep(Duration::from_millis(200)).await;
    nats.restart().await;
    let after = tokio::spawn(async move { heard.next().await.unwrap().payload });
    while !after.is_finished() {
        here.publish("news.a", "after".into());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(after.await.unwrap(), "after");
}
