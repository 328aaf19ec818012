//! The `AsyncAPI` document of the socket: the same schemas as in the `OpenAPI` document, told as messages, and which answer
//! which.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::http::{docs::kind, openapi, yaml};

/// What a client can ask, and what it is answered with where it is not refused.
const ANSWERS: &[(&str, &[&str])] = &[
    ("hello", &["welcome"]),
    ("watch", &["match", "events"]),
    ("unwatch", &["ok"]),
    ("watch_lobby", &["lobby"]),
    ("unwatch_lobby", &["ok"]),
    ("move", &["ok"]),
    ("resign", &["ok"]),
    ("draw", &["ok"]),
    ("rematch", &["ok"]),
    ("ping", &["pong"]),
];
/// What every request can be answered with.
const REFUSAL: &str = "error";
/// Where schemas are.
const SCHEMAS: &str = "#/components/schemas/";

/// The document as YAML.
///
/// # Panics
///
/// Never: it is made of maps with keys that are texts.
pub fn yaml() -> &'static str {
    static YAML: LazyLock<String> =
        LazyLock::new(|| yaml::write(&document()).expect("a document with text keys can be written"));
    &YAML
}

/// The document.
pub fn document() -> Value {
    let openapi = serde_json::to_value(openapi::document()).unwrap_or_default();
    let schemas = &openapi["components"]["schemas"];
    let requests = messages(schemas, "SocketRequest");
    let told = messages(schemas, "SocketMessage");
    let mut payloads = Map::new();
    let mut listed = Map::new();
    let asked = requests.iter().map(|(name, schema)| (name.clone(), with_name(schema)));
    for (name, payload) in asked.chain(told.clone()) {
        let message = json!({"name": name, "summary": payload["description"], "payload": payload});
        payloads.insert(name.clone(), message);
        listed.insert(name.clone(), json!({"$ref": format!("#/components/messages/{name}")}));
    }
    let mut used = Map::new();
    collect(schemas, &json!(payloads), &mut used);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": format!("{}: the socket", openapi["info"]["title"].as_str().unwrap_or_default()),
            "version": openapi["info"]["version"],
            "description": "JSON text frames on one WebSocket, of at most 4 KiB from the client. The first is `hello`, or the \
                            upgrade carries an `Authorization` header. Each request may carry `id`, a number or a text of the \
                            client's own, that its answer repeats. Everything else is in openapi.yaml.",
            "license": {"name": openapi["info"]["license"]["name"]},
        },
        "defaultContentType": "application/json",
        "servers": {"local": {
            "host": "127.0.0.1:8080",
            "protocol": "ws",
            "description": "As `cargo run` has it. Beyond one machine it is `wss`, behind a proxy.",
        }},
        "channels": {"socket": {
            "address": "/v1/ws",
            "messages": listed,
            "bindings": {"ws": {"method": "GET"}},
        }},
        "operations": operations(&requests, &told),
        "components": {"messages": payloads, "schemas": used},
    })
}

/// Every message of a direction by its `type`: a schema that is one of several is several messages, however deep.
fn messages(schemas: &Value, name: &str) -> Vec<(String, Value)> {
    let schema = &schemas[name];
    let Some(variants) = schema["oneOf"].as_array() else {
        return vec![(kind(schema).to_owned(), schema.clone())];
    };
    let each = variants.iter().flat_map(|variant| match variant["$ref"].as_str() {
        Some(path) => messages(schemas, path.rsplit('/').next().unwrap_or_default()),
        None => vec![(kind(variant).to_owned(), variant.clone())],
    });
    each.map(|(kind, mut schema)| {
        // A frame whose `type` is always the same says so.
        schema["properties"]["type"]["enum"] = json!([kind]);
        (kind, schema)
    })
    .collect()
}

/// A request with the name that its client gives it.
fn with_name(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["properties"]["id"] = json!({"$ref": format!("{SCHEMAS}RequestName")});
    schema
}

/// The server receives each request and answers it, and sends the rest by itself.
fn operations(requests: &[(String, Value)], told: &[(String, Value)]) -> Map<String, Value> {
    let message = |name: &str| json!({"$ref": format!("#/channels/socket/messages/{name}")});
    let channel = json!({"$ref": "#/channels/socket"});
    let mut operations = Map::new();
    for (name, schema) in requests {
        let answers = ANSWERS.iter().find(|(request, _)| request == name).map_or(&[][..], |(_, answers)| answers);
        let replies: Vec<Value> = answers.iter().copied().chain([REFUSAL]).map(message).collect();
        let operation = json!({
            "action": "receive",
            "channel": channel,
            "summary": schema["description"],
            "messages": [message(name)],
            "reply": {"channel": channel, "messages": replies},
        });
        operations.insert(name.clone(), operation);
    }
    let is_answer = |name: &str| ANSWERS.iter().any(|(_, answers)| answers.contains(&name));
    for (name, schema) in told.iter().filter(|(name, _)| !is_answer(name)) {
        let operation = json!({
            "action": "send",
            "channel": channel,
            "summary": schema["description"],
            "messages": [message(name)],
        });
        operations.insert(name.clone(), operation);
    }
    operations
}

/// The schemas that something refers to, however far.
fn collect(schemas: &Value, value: &Value, used: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS))
                && !used.contains_key(name)
            {
                used.insert(name.to_owned(), schemas[name].clone());
                collect(schemas, &schemas[name], used);
            }
            fields.values().for_each(|field| collect(schemas, field, used));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(schemas, item, used)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_request_that_the_server_reads_has_its_answers_in_the_document() {
        let document = document();
        let openapi = serde_json::to_value(openapi::document()).expect("a document");
        let requests = messages(&openapi["components"]["schemas"], "SocketRequest");
        let requests: BTreeSet<String> = requests.into_iter().map(|(name, _)| name).collect();
        let listed: BTreeSet<String> = ANSWERS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(requests, listed, "ANSWERS lists every request, and nothing else");
        for (name, answers) in ANSWERS {
            let operation = &document["operations"][*name];
            assert_eq!(operation["reply"]["messages"].as_array().expect("answers").len(), answers.len() + 1, "{name}");
            for answer in *answers {
                assert!(document["components"]["messages"][*answer].is_object(), "{name} is answered with {answer}");
            }
        }
    }

    #[test]
    fn every_message_has_one_type_and_whatever_is_referred_to_is_there() {
        let document = document();
        let messages = document["components"]["messages"].as_object().expect("messages");
        assert!(messages.len() > 25, "{} messages", messages.len());
        for (name, message) in messages {
            assert_eq!(message["payload"]["properties"]["type"]["enum"], json!([name]));
            let operation = &document["operations"][name];
            let is_answer = ANSWERS.iter().any(|(_, answers)| answers.contains(&name.as_str()));
            assert!(operation.is_object() || is_answer, "{name} is sent by somebody");
        }
        let text = document.to_string();
        for path in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(document.pointer(path).is_some(), "{path}");
        }
    }
}
