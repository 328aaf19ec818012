//! The page against the document it was made from.

use std::collections::{BTreeSet, HashSet};

use super::*;

fn document() -> Value {
    serde_json::to_value(openapi::document()).expect("the document has a JSON form")
}

/// A page made from another document than this server's own.
fn made_from(document: &Value) -> String {
    let language = Language::English;
    Writer { document, schemas: Schemas::of(document, language), words: words::of(language), language }.write()
}

fn pages() -> [(&'static str, Language); 2] {
    [Language::Portuguese, Language::English].map(|language| (page(language), language))
}

/// The values of an attribute, wherever it stands.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let mark = format!(" {attribute}=\"");
    page.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_call_of_the_document_is_on_the_page() {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() > 20, "the interface has more than {} paths", paths.len());
    for (page, language) in pages() {
        let anchors: HashSet<&str> = values(page, "id").into_iter().collect();
        for (path, methods) in paths {
            for method in methods.as_object().expect("methods").keys() {
                let heading = format!("{}</span> <code>{path}</code>", method.to_uppercase());
                assert!(page.contains(&heading), "{language:?}: {heading}");
                let call = Call {
                    method: METHODS.iter().find(|it| *it == method).expect("a shown method"),
                    path,
                    operation: &Value::Null,
                };
                assert!(anchors.contains(call.anchor().as_str()), "{language:?}: {}", call.anchor());
            }
        }
    }
}

#[test]
fn every_schema_of_the_document_is_on_the_page_with_every_field() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (page, _) in pages() {
        for (name, schema) in schemas {
            let section = page.split(&format!("id=\"schema-{name}\"")).nth(1).unwrap_or_else(|| panic!("{name}"));
            let section = section.split("</article>").next().unwrap_or_default();
            for field in schema["properties"].as_object().into_iter().flatten().map(|(field, _)| field) {
                assert!(section.contains(&format!("<code>{field}</code>")), "{name}.{field}");
            }
        }
    }
}

#[test]
fn every_message_of_the_socket_is_described_under_its_own_name() {
    let sent =
        ["hello", "watch", "unwatch", "watch_lobby", "unwatch_lobby", "move", "resign", "draw", "rematch", "ping"];
    let received = [
        "welcome",
        "ok",
        "error",
        "pong",
        "match",
        "events",
        "moved",
        "draw_offered",
        "draw_declined",
        "clock_credited",
        "ended",
        "rematch_proposed",
        "rematch_declined",
        "rematch_started",
        "presence",
        "paused",
        "resumed",
        "lobby",
        "lobby_change",
        "match_started",
        "queue",
        "wallet",
    ];
    for (page, language) in pages() {
        let (_, after) = page.split_once("id=\"client-messages\"").expect("what clients send");
        let (client, server) = after.split_once("id=\"server-messages\"").expect("what the server sends");
        let server = server.split("</section>").next().unwrap_or_default();
        for (direction, names) in [(client, &sent[..]), (server, &received[..])] {
            let titles: BTreeSet<&str> =
                direction.split("<h4><code>").skip(1).filter_map(|rest| rest.split('<').next()).collect();
            assert_eq!(titles, names.iter().copied().collect(), "{language:?}");
        }
    }
}

#[test]
fn every_error_code_is_explained() {
    for (page, language) in pages() {
        let (_, codes) = page.split_once("id=\"codes\"").expect("the codes");
        let codes = codes.split("</section>").next().unwrap_or_default();
        for code in Code::ALL {
            assert!(codes.contains(&format!("<code>{}</code>", code.as_str())), "{language:?}: {}", code.as_str());
        }
    }
}

#[test]
fn the_page_is_well_formed() {
    for (page, language) in pages() {
        assert!(page.starts_with("<!doctype html>\n<html lang=\""));
        let mut open = Vec::new();
        for tag in page.split('<').skip(2).filter_map(|rest| rest.split('>').next()) {
            let name = tag.split(' ').next().unwrap_or_default();
            if let Some(closed) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed), "{language:?}");
            } else if !["meta", "link"].contains(&name) {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{language:?}: {open:?} stay open");
        let ids = values(page, "id");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{language:?}: an anchor stands twice");
    }
}

#[test]
fn every_link_leads_to_an_anchor_of_the_page_or_to_this_server() {
    for (page, language) in pages() {
        let anchors: HashSet<&str> = values(page, "id").into_iter().collect();
        for target in values(page, "href") {
            match target.strip_prefix('#') {
                Some(anchor) => assert!(anchors.contains(anchor), "{language:?}: {target}"),
                None => {
                    assert!(
                        [STYLE_PATH, "/openapi.yaml", "/asyncapi.yaml"].contains(&target),
                        "{language:?}: {target}"
                    );
                }
            }
        }
    }
}

/// The Content-Security-Policy lets nothing else through.
#[test]
fn nothing_refers_to_another_origin_and_nothing_is_inline() {
    for (page, language) in pages() {
        for banned in ["<script", "<style", " style=\"", " src=\"", "<iframe", "<img", " onclick", "javascript:"] {
            assert!(!page.contains(banned), "{language:?}: {banned}");
        }
    }
    for banned in ["url(", "@import", "//"] {
        assert!(!STYLE.contains(banned), "{banned}");
    }
}

#[test]
fn what_the_document_says_is_text_and_never_markup() {
    let attack = "<script>alert(1)</script>\"'&";
    let document = serde_json::json!({
        "info": {"title": attack, "description": attack, "version": attack},
        "tags": [{"name": "T", "description": attack}],
        "paths": {attack: {"get": {
            "tags": ["T"], "summary": attack, "description": attack,
            "parameters": [{"name": attack, "in": "query", "description": attack, "schema": {"type": "string", "enum": [attack]}}],
            "requestBody": {"content": {attack: {"schema": {"$ref": format!("#/components/schemas/{attack}")}}}},
            "responses": {attack: {"description": attack}},
        }}},
        "components": {"schemas": {attack: {
            "type": "object", "description": attack,
            "properties": {attack: {"type": "string", "description": attack, "example": attack}},
        }}},
    });
    let page = made_from(&document);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
    assert!(!page.contains("<script"), "{page}");
    assert!(page.matches("alert(1)").count() >= 14, "{page}");
}

#[test]
fn the_two_languages_differ_in_their_words_only() {
    let [(portuguese, _), (english, _)] = pages();
    assert!(portuguese.contains("<html lang=\"pt-BR\">") && portuguese.contains("Códigos de erro"));
    assert!(english.contains("<html lang=\"en\">") && english.contains("Error codes"));
    assert_eq!(values(portuguese, "id"), values(english, "id"));
}

#[test]
fn bounds_and_alternatives_are_told() {
    let document = serde_json::json!({
        "components": {"schemas": {
            "Name": {"type": "string", "minLength": 2, "maxLength": 40},
            "Thing": {
                "type": "object", "required": ["name"], "additionalProperties": false,
                "properties": {
                    "name": {"$ref": "#/components/schemas/Name", "description": "Its name."},
                    "count": {"type": ["integer", "null"], "minimum": 1, "maximum": 9, "default": 3},
                    "many": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
                    "maybe": {"oneOf": [{"$ref": "#/components/schemas/Name", "description": "Or not."}, {"type": "null"}]},
                },
            },
        }},
    });
    let page = made_from(&document);
    let link = "<a href=\"#schema-Name\">Name</a>";
    let rows = [
        format!(
            "<td><code>name</code></td><td>{link}</td><td>Its name.<span class=\"bound\">at least <code>2</code> \
             characters</span><span class=\"bound\">at most <code>40</code> characters</span></td>"
        ),
        "<td><code>count</code> <span class=\"quiet\">optional</span></td><td>integer or null</td>\
         <td><span class=\"bound\">at least <code>1</code> </span><span class=\"bound\">at most <code>9</code> </span>\
         <span class=\"bound\">default <code>3</code> </span></td>"
            .into(),
        format!("<td>list of {link}</td><td></td>"),
        format!("<td>{link} or null</td><td>Or not.</td>"),
        "<p class=\"quiet\">No other field is taken.</p>".into(),
    ];
    for row in rows {
        assert!(page.contains(&row), "{row}\n{page}");
    }
}
