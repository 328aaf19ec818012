//! L-5, W-2, W-4, O-5: what administrators set right by hand. A mistaken transfer is reversed by one that names it, money in
//! suspense finds its player or goes back, a payout that was never answered is closed.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{
    Answer, Client, Player, TestServer,
    server::start_match,
    webhook::{event, movement, outcome, server},
};
use uuid::Uuid;

use crate::support::{check_books, end_in_draw, text, together};

async fn admin(server: &TestServer) -> (Player, Client) {
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let client = server.client().of(&admin);
    (admin, client)
}

/// The newest transfer of a kind, as the staff sees it.
async fn newest(admin: &Client, kind: &str) -> Value {
    let page = admin.get(&format!("/v1/admin/ledger/transfers?kind={kind}&limit=1")).await.expect(200).body;
    page["items"][0].clone()
}

async fn reverse(admin: &Client, transfer: &Value) -> Answer {
    let path = format!("/v1/admin/ledger/transfers/{}/reverse", text(&transfer["id"]));
    admin.post_once(&path, &json!({"reason": "a mistake"})).await
}

async fn assign(admin: &Client, transfer: &str, player: &Player) -> Answer {
    let path = format!("/v1/admin/ledger/transfers/{transfer}/assign");
    admin.post_once(&path, &json!({"player": player.id, "reason": "found out"})).await
}

async fn adjust(admin: &Client, player: &Player, amount: i64) -> Answer {
    let path = format!("/v1/admin/players/{}/adjust", player.id);
    admin.post_once(&path, &json!({"amount": amount, "reason": "a prize"})).await
}

/// What there is in suspense and what is told of it: the transfer, whether it is resolved.
async fn suspense(admin: &Client, query: &str) -> Vec<Value> {
    let page = admin.get(&format!("/v1/admin/payments/suspense{query}")).await.expect(200).body;
    page["items"].as_array().unwrap().clone()
}

async fn available(server: &TestServer, player: &Player) -> i64 {
    server.registrar.available(player.id).await
}

#[tokio::test(flavor = "multi_thread")]
async fn l5_a_mistaken_transfer_is_reversed_at_most_once_by_a_new_one_that_names_it() {
    let server = TestServer::start().await;
    let (_, admin) = admin(&server).await;
    let (player, client) = server.player(0).await;
    client.post_once("/v1/wallet/deposits", &json!({"amount": 1_000})).await.expect(201);
    adjust(&admin, &player, 250).await.expect(201);

    let mistake = newest(&admin, "adjustment").await;
    let path = format!("/v1/admin/ledger/transfers/{}/reverse", text(&mistake["id"]));
    for (body, field) in [
        (json!({}), "reason"),
        (json!({"reason": " "}), "reason"),
        (json!({"reason": 5}), "reason"),
        (json!({"reason": "x", "amount": 5}), "amount"),
    ] {
        let answer = admin.post_once(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{body}");
    }
    let because = json!({"reason": "a mistake"});
    admin.post(&path, &because).await.refused(400, "idempotency_key_missing");
    let made = admin.post_keyed(&path, "once", &because).await.expect(201).body;
    assert_eq!(
        (&made["kind"], &made["status"], &made["amount"], &made["player"], &made["transfer"]),
        (&json!("reversal"), &json!("done"), &json!(-250), &json!(player.id), &mistake["id"])
    );
    assert_eq!(admin.post_keyed(&path, "once", &because).await.expect(201).body, made, "a repeat is the first answer");
    admin.post_keyed(&path, "once", &json!({"reason": "another"})).await.refused(422, "idempotency_key_reused");
    assert_eq!(available(&server, &player).await, 1_000);

    let reversal = newest(&admin, "reversal").await;
    assert_eq!((&reversal["reverses"], &reversal["amount"]), (&mistake["id"], &json!(250)));
    assert_eq!((&reversal["debit"], &reversal["credit"]), (&mistake["credit"], &mistake["debit"]));
    reverse(&admin, &mistake).await.refused(409, "already_corrected");
    reverse(&admin, &reversal).await.refused(409, "not_correctable");
    let unknown = json!({"id": Uuid::now_v7()});
    reverse(&admin, &unknown).await.refused(404, "not_found");

    let deposit = newest(&admin, "deposit").await;
    reverse(&admin, &deposit).await.expect(201);
    assert_eq!(available(&server, &player).await, 0);
    let own: Vec<_> = client.get("/v1/wallet/transfers").await.expect(200).body["items"].as_array().unwrap().clone();
    let own: Vec<_> = own.iter().map(|line| (text(&line["kind"]), line["amount"].as_i64().unwrap())).collect();
    let expected = [("reversal", -1_000), ("reversal", -250), ("adjustment", 250), ("deposit", 1_000)];
    assert_eq!(own, expected.map(|(kind, amount)| (kind.to_owned(), amount)));

    // P-1, O-3: what was reversed is in no figure any more, and the figures are those of the other accounts.
    let totals = client.get("/v1/wallet/totals").await.expect(200).body;
    let nothing = ["deposits", "withdrawn", "staked", "won", "refunded", "adjusted", "net"].map(|name| &totals[name]);
    assert_eq!(nothing, [&json!(0); 7]);
    let report = admin.get("/v1/admin/reports/daily").await.expect(200).body;
    for figure in ["deposits", "withdrawn", "adjusted", "closing", "difference"] {
        assert_eq!(report["totals"][figure], 0, "{figure}");
    }

    let noted = admin.get("/v1/admin/audit?action=transfer.reverse").await.expect(200).body;
    let noted = noted["items"].as_array().unwrap().clone();
    assert_eq!(noted.len(), 2, "a repeat and a refusal leave no line");
    assert_eq!((&noted[1]["reason"], &noted[1]["player"]), (&json!("a mistake"), &json!(player.id)));
    assert_eq!(noted[1]["detail"], json!({"amount": -250, "transfer": mistake["id"]}));
    check_books(&server.registrar, 0).await;
    server.stop().await;
}

/// What is one step of several is not undone alone: a match, a withdrawal.
#[tokio::test(flavor = "multi_thread")]
async fn l5_what_belongs_to_a_match_or_a_withdrawal_is_not_reversed() {
    let server = TestServer::start().await;
    let (_, admin) = admin(&server).await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let terms = json!({"game": "oware", "stake": 100});
    let won = start_match(&first, &one, &two, &terms).await;
    first.post_empty(&format!("/v1/matches/{won}/resign")).await.expect(200);
    let drawn = start_match(&first, &one, &two, &terms).await;
    end_in_draw(&drawn, &first, &second).await;
    for decision in ["approve", "reject"] {
        let made = first.post_once("/v1/wallet/withdrawals", &json!({"amount": 50})).await.expect(201).body;
        let path = format!("/v1/admin/withdrawals/{}/{decision}", text(&made["id"]));
        admin.post(&path, &json!({"reason": "looked at"})).await.expect(200);
    }
    for kind in ["stake", "payout", "fee", "refund", "hold", "release", "withdrawal"] {
        let transfer = newest(&admin, kind).await;
        assert_eq!(transfer["kind"], kind);
        reverse(&admin, &transfer).await.refused(409, "not_correctable");
        assign(&admin, &text(&transfer["id"]), &one).await.refused(409, "not_correctable");
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l5_a_reversal_takes_no_more_than_there_is_and_nobody_reverses_their_own() {
    let server = TestServer::start().await;
    let ((boss, own), (_, other)) = (admin(&server).await, admin(&server).await);
    let (player, client) = server.player(0).await;
    adjust(&other, &player, 300).await.expect(201);
    let gift = newest(&other, "adjustment").await;
    client.post_once("/v1/wallet/withdrawals", &json!({"amount": 1})).await.expect(201);
    reverse(&other, &gift).await.refused(409, "balance_out_of_bounds");
    assert_eq!(available(&server, &player).await, 299);
    server.registrar.deposit(player.id, 1).await;
    reverse(&other, &gift).await.expect(201);

    adjust(&other, &boss, 300).await.expect(201);
    let gift = newest(&other, "adjustment").await;
    reverse(&own, &gift).await.refused(422, "own_account");
    assert_eq!(available(&server, &boss).await, 300);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l5_of_many_reversals_at_once_one_is_made() {
    let server = TestServer::start().await;
    let (_, admin) = admin(&server).await;
    let (player, _) = server.player(5_000).await;
    adjust(&admin, &player, 250).await.expect(201);
    let mistake = newest(&admin, "adjustment").await;
    let acts = (0..20).map(|_| {
        let (admin, mistake) = (admin.clone(), mistake.clone());
        async move { reverse(&admin, &mistake).await }
    });
    let mut answers: Vec<_> =
        together(acts.collect()).await.iter().map(|answer| (answer.status, answer.code().to_owned())).collect();
    answers.sort();
    assert_eq!(answers[0], (201, String::new()));
    assert!(answers[1..].iter().all(|answer| *answer == (409, "already_corrected".into())), "{answers:?}");
    assert_eq!(available(&server, &player).await, 5_000);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o5_a_reversal_above_the_set_amount_waits_for_another_administrator() {
    let server = TestServer::with(&["--adjust-alone-most=100"]).await;
    let ((_, one), (_, two)) = (admin(&server).await, admin(&server).await);
    let (player, client) = server.player(0).await;
    client.post_once("/v1/wallet/deposits", &json!({"amount": 101})).await.expect(201);
    let deposit = newest(&one, "deposit").await;
    let because = json!({"reason": "looked at"});
    let decide = |asked: &Value, what: &str| format!("/v1/admin/adjustments/{}/{what}", text(&asked["id"]));

    let asked = reverse(&one, &deposit).await.expect(202).body;
    assert_eq!(
        (&asked["status"], &asked["kind"], &asked["amount"]),
        (&json!("waiting"), &json!("reversal"), &json!(-101))
    );
    reverse(&two, &deposit).await.refused(409, "already_corrected");
    one.post(&decide(&asked, "approve"), &because).await.refused(403, "own_request");
    two.post(&decide(&asked, "reject"), &because).await.expect(200);
    assert_eq!(available(&server, &player).await, 101, "rejected: nothing has moved");

    let again = reverse(&one, &deposit).await.expect(202).body;
    let done = two.post(&decide(&again, "approve"), &because).await.expect(200).body;
    assert_eq!((&done["status"], &done["transfer"]), (&json!("done"), &deposit["id"]));
    two.post(&decide(&again, "approve"), &because).await.refused(409, "already_decided");
    assert_eq!(available(&server, &player).await, 0);
    assert_eq!(newest(&one, "reversal").await["reverses"], deposit["id"]);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w2_money_in_suspense_is_assigned_to_its_player_or_sent_back_once() {
    let server = server().await;
    let (boss, admin) = admin(&server).await;
    let (player, client) = server.player(0).await;
    let provider = server.client();
    for (number, payment, amount) in [(1, "pay_1", 700), (2, "pay_2", 300)] {
        let lost = movement(payment, "unknown", amount);
        assert_eq!(outcome(&provider, &format!("msg_{number}"), "payment.succeeded", &lost).await, "suspense");
    }
    let foreign = json!({"payment": "pay_3", "reference": "x", "amount": 5, "currency": "USD"});
    assert_eq!(outcome(&provider, "msg_3", "payment.succeeded", &foreign).await, "suspense");
    let lines = suspense(&admin, "?resolved=false").await;
    let [usd, second, first] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&first["adjustment"], &first["resolved"]), (&Value::Null, &json!(false)));

    let transfer = text(&first["transfer"]);
    assign(&admin, &transfer, &boss).await.refused(422, "own_account");
    let nobody = json!({"player": "somebody", "reason": "theirs"});
    let path = format!("/v1/admin/ledger/transfers/{transfer}/assign");
    let answer = admin.post_once(&path, &nobody).await.refused(422, "invalid_request");
    assert_eq!(answer.fields(), [("player".to_owned(), "malformed".to_owned())]);
    assert!(answer.body["errors"][0]["detail"].as_str().unwrap().contains("an identifier"), "{}", answer.text);
    let answer = assign(&admin, &text(&usd["transfer"]), &player).await.refused(409, "not_correctable");
    assert_eq!(usd["currency"], "USD");
    assert!(text(&answer.body["detail"]).contains("in another currency"), "{}", answer.text);
    assign(&admin, &Uuid::now_v7().to_string(), &player).await.refused(404, "not_found");
    let path = format!("/v1/admin/ledger/transfers/{transfer}/assign");
    for (body, field) in [
        (json!({"player": player.id}), "reason"),
        (json!({"reason": "x"}), "player"),
        (json!({"player": "me", "reason": "x"}), "player"),
    ] {
        let answer = admin.post_once(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{body}");
    }
    let unknown = json!({"player": Uuid::now_v7(), "reason": "x"});
    admin.post_once(&path, &unknown).await.refused(404, "not_found");
    let made = assign(&admin, &transfer, &player).await.expect(201).body;
    assert_eq!(
        (&made["kind"], &made["amount"], &made["transfer"]),
        (&json!("assignment"), &json!(700), &first["transfer"])
    );
    assign(&admin, &transfer, &player).await.refused(409, "already_corrected");
    reverse(&admin, &json!({"id": transfer})).await.refused(409, "already_corrected");
    let own = client.get("/v1/wallet/transfers").await.expect(200).body["items"][0].clone();
    assert_eq!((&own["kind"], &own["amount"]), (&json!("deposit"), &json!(700)), "their deposit, after all");
    assert_eq!(available(&server, &player).await, 700);

    for back in [second, usd] {
        let sent = reverse(&admin, &json!({"id": back["transfer"]})).await.expect(201).body;
        assert_eq!((&sent["player"], &sent["kind"]), (&Value::Null, &json!("reversal")));
        assert_eq!(sent["amount"].as_i64().unwrap(), -back["amount"].as_i64().unwrap());
    }
    assign(&admin, &text(&second["transfer"]), &player).await.refused(409, "already_corrected");
    assert!(suspense(&admin, "?resolved=false").await.is_empty());
    assert!(suspense(&admin, "?resolved=true").await.iter().all(|line| line["resolved"] == true));
    assert_eq!(suspense(&admin, "").await.len(), 3, "what was in suspense stays on the list");
    assert_eq!(suspense(&admin, "").await[2]["adjustment"], made["id"]);
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

/// In and out: what was given to the wrong player, or taken from them, is in suspense again and looks for the right one.
#[tokio::test(flavor = "multi_thread")]
async fn w2_an_assignment_to_the_wrong_player_is_reversed_and_the_money_finds_the_right_one() {
    let server = server().await;
    let (_, admin) = admin(&server).await;
    let ((wrong, theirs), (right, _)) = (server.player(1_000).await, server.player(1_000).await);
    let provider = server.client();
    let lost = movement("pay_1", "unknown", 700);
    assert_eq!(outcome(&provider, "msg_1", "payment.succeeded", &lost).await, "suspense");
    assert_eq!(outcome(&provider, "msg_2", "payout.succeeded", &movement("out_1", "unknown", 300)).await, "suspense");

    for (number, sign, kind) in [(0, -1, "withdrawal"), (1, 1, "deposit")] {
        let line = suspense(&admin, "").await[number].clone();
        let moved = sign * line["amount"].as_i64().unwrap();
        let transfer = text(&line["transfer"]);
        assign(&admin, &transfer, &wrong).await.expect(201);
        let mistake = newest(&admin, kind).await;
        if sign > 0 {
            adjust(&admin, &wrong, -1_001).await.expect(201);
            reverse(&admin, &mistake).await.refused(409, "balance_out_of_bounds");
            adjust(&admin, &wrong, 1_001).await.expect(201);
        }
        assert_eq!(suspense(&admin, "").await[number]["resolved"], true, "nothing has changed by what was refused");
        let undone = reverse(&admin, &mistake).await.expect(201).body;
        assert_eq!((&undone["player"], &undone["amount"]), (&json!(wrong.id), &json!(-moved)), "{kind}");
        assert_eq!(available(&server, &wrong).await, 1_000);
        let newest_line = theirs.get("/v1/wallet/transfers").await.expect(200).body["items"][0].clone();
        assert_eq!((&newest_line["kind"], &newest_line["amount"]), (&json!("reversal"), &json!(-moved)));
        reverse(&admin, &mistake).await.refused(409, "already_corrected");

        let open = suspense(&admin, "?resolved=false").await;
        let open = open.iter().find(|open| open["transfer"] == line["transfer"]).expect("it is open again");
        assert_eq!(open["adjustment"], Value::Null);
        server.registrar.verify_ledger().await;
        assign(&admin, &transfer, &right).await.expect(201);
        assign(&admin, &transfer, &right).await.refused(409, "already_corrected");
    }
    assert_eq!(available(&server, &right).await, 1_000 - 300 + 700);
    // P-2: what turned out to be somebody else's counts towards no limit: 1,000 were deposited.
    let limits = theirs.request(reqwest::Method::PUT, "/v1/me/limits").json(&json!({"deposit_day": 1_600}));
    theirs.send(limits).await.expect(200);
    theirs.post_once("/v1/wallet/deposits", &json!({"amount": 601})).await.refused(409, "limit_reached");
    theirs.post_once("/v1/wallet/deposits", &json!({"amount": 600})).await.expect(201);
    let undone = admin.get("/v1/admin/adjustments?status=undone").await.expect(200).body;
    assert_eq!(undone["items"].as_array().unwrap().len(), 2);
    check_books(&server.registrar, 2_400).await;
    server.stop().await;
}

/// The provider says *failed*, the money goes back, and then it has paid all the same.
#[tokio::test(flavor = "multi_thread")]
async fn w2_what_was_paid_out_and_given_back_is_taken_from_the_player_as_far_as_it_is_there() {
    let server = server().await;
    let (_, admin) = admin(&server).await;
    let (player, client) = server.player(500).await;
    let provider = server.client();
    let made = client.post_once("/v1/wallet/withdrawals", &json!({"amount": 400})).await.expect(201).body;
    let id = text(&made["id"]);
    admin.post_empty(&format!("/v1/admin/withdrawals/{id}/approve")).await.expect(200);
    let failed = json!({"reference": id, "reason": "no answer"});
    assert_eq!(outcome(&provider, "msg_1", "payout.failed", &failed).await, "returned");
    assert_eq!(outcome(&provider, "msg_2", "payout.succeeded", &movement("out_1", &id, 400)).await, "suspense");

    let line = suspense(&admin, "").await[0].clone();
    assert_eq!((&line["direction"], &line["why"]), (&json!("out"), &json!("not_submitted")));
    adjust(&admin, &player, -200).await.expect(201);
    assign(&admin, &text(&line["transfer"]), &player).await.refused(409, "balance_out_of_bounds");
    adjust(&admin, &player, 200).await.expect(201);
    let taken = assign(&admin, &text(&line["transfer"]), &player).await.expect(201).body;
    assert_eq!(taken["amount"], -400);
    let own = client.get("/v1/wallet/transfers").await.expect(200).body["items"][0].clone();
    assert_eq!((&own["kind"], &own["amount"]), (&json!("withdrawal"), &json!(-400)));
    check_books(&server.registrar, 100).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_a_payout_that_was_never_answered_is_closed_by_hand_once_and_never_paid_twice() {
    let server = server().await;
    let ((boss, own), (_, admin)) = (admin(&server).await, admin(&server).await);
    let provider = server.client();
    let because = json!({"reason": "seen on the bank statement"});
    let submitted = async |client: &Client| {
        let made = client.post_once("/v1/wallet/withdrawals", &json!({"amount": 400})).await.expect(201).body;
        let id = text(&made["id"]);
        let close = |how: &str| format!("/v1/admin/withdrawals/{id}/{how}");
        admin.post(&close("paid"), &because).await.refused(409, "not_submitted");
        admin.post_empty(&close("approve")).await.expect(200);
        id
    };
    let holdings = async |client: &Client| {
        let wallet = client.get("/v1/wallet").await.expect(200).body;
        (wallet["available"].as_i64().unwrap(), wallet["pending_withdrawal"].as_i64().unwrap())
    };

    let (_, client) = server.player(1_000).await;
    let id = submitted(&client).await;
    let close = |how: &str| format!("/v1/admin/withdrawals/{id}/{how}");
    for body in [json!({}), json!({"reason": ""}), json!({"reason": "x", "paid": true})] {
        admin.post(&close("paid"), &body).await.refused(422, "invalid_request");
    }
    let paid = admin.post(&close("paid"), &because).await.expect(200).body;
    assert_eq!((&paid["status"], &paid["failure"]), (&json!("paid"), &Value::Null));
    admin.post(&close("failed"), &because).await.refused(409, "not_submitted");
    assert_eq!(holdings(&client).await, (600, 0));
    // The provider's late word is the first it says of this payment: known, and no more money moves.
    assert_eq!(outcome(&provider, "msg_1", "payout.succeeded", &movement("out_1", &id, 400)).await, "paid");
    assert_eq!(outcome(&provider, "msg_2", "payout.succeeded", &movement("out_2", &id, 400)).await, "suspense");
    assert_eq!(holdings(&client).await, (600, 0));

    let (_, client) = server.player(1_000).await;
    let id = submitted(&client).await;
    let path = format!("/v1/admin/withdrawals/{id}/failed");
    let acts = (0..10).map(|_| {
        let (admin, path, because) = (admin.clone(), path.clone(), because.clone());
        async move { admin.post(&path, &because).await }
    });
    let answers = together(acts.collect()).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.code() == "not_submitted").count(), 9);
    assert_eq!(holdings(&client).await, (1_000, 0));
    let failed = json!({"reference": id, "reason": "late"});
    assert_eq!(text(&event(&provider, "msg_3", "payout.failed", &failed).await.expect(200).body["outcome"]), "ignored");

    server.registrar.deposit(boss.id, 400).await;
    let id = submitted(&server.client().of(&boss)).await;
    own.post(&format!("/v1/admin/withdrawals/{id}/paid"), &because).await.refused(422, "own_account");
    for (action, lines) in [("withdrawal.closed_as_paid", 1), ("withdrawal.closed_as_failed", 1)] {
        let noted = admin.get(&format!("/v1/admin/audit?action={action}")).await.expect(200).body;
        assert_eq!(noted["items"].as_array().unwrap().len(), lines, "{action}");
        assert_eq!(noted["items"][0]["reason"], "seen on the bank statement");
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// What is held, and the pot of a match, have room to come back whatever is given on top.
#[tokio::test(flavor = "multi_thread")]
async fn b20_what_is_held_can_always_come_back_near_the_end_of_the_numbers() {
    let server = TestServer::start().await;
    let (_, admin) = admin(&server).await;
    let (player, client) = server.player(i64::MAX - 1_000).await;
    let made = client.post_once("/v1/wallet/withdrawals", &json!({"amount": 500_000})).await.expect(201).body;
    adjust(&admin, &player, 1_001).await.refused(409, "balance_out_of_bounds");
    adjust(&admin, &player, 1_000).await.expect(201);
    let one_more = client.post_once("/v1/wallet/deposits", &json!({"amount": 1})).await;
    assert_eq!(one_more.refused(422, "invalid_request").fields()[0].0, "amount");
    let path = format!("/v1/admin/withdrawals/{}/reject", text(&made["id"]));
    admin.post(&path, &json!({"reason": "x"})).await.expect(200);
    assert_eq!(available(&server, &player).await, i64::MAX);

    adjust(&admin, &player, -1_000).await.expect(201);
    let (rival, second) = server.player(500).await;
    let id = start_match(&client, &player, &rival, &json!({"game": "oware", "stake": 500})).await;
    adjust(&admin, &player, 501).await.refused(409, "balance_out_of_bounds");
    adjust(&admin, &player, 500).await.expect(201);
    second.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    // 900 of a pot of 1,000 came on top of the 500 short of the end that were left.
    assert_eq!(available(&server, &player).await, i64::MAX - 100);
    server.registrar.verify_ledger().await;
    server.stop().await;
}
