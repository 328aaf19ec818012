//! The messages of the socket.

use serde_json::Value;

use super::{
    items,
    markup::Markup,
    schemas::{Schemas, name_of},
    text,
    words::Words,
};

/// Both directions, each message under its own name.
pub fn write(page: &mut Markup, schemas: &Schemas<'_>, words: &Words) {
    let directions = [
        ("client-messages", words.client_messages, "SocketRequest"),
        ("server-messages", words.server_messages, "SocketMessage"),
    ];
    for (anchor, title, name) in directions {
        let schema = schemas.named(name);
        page.element("h3", &[("id", anchor)], |page| page.text(title));
        page.prose(text(&schema["description"]));
        write_messages(page, schemas, schema);
    }
}

/// A schema that is one of several is several messages, however deep.
fn write_messages(page: &mut Markup, schemas: &Schemas<'_>, schema: &Value) {
    let schema = schemas.resolved(schema);
    let mut variants = items(&schema["oneOf"]).peekable();
    if variants.peek().is_none() {
        return write_message(page, schemas, schema);
    }
    for variant in variants {
        // A schema that names itself would be described for ever.
        if name_of(variant).is_none_or(|name| !std::ptr::eq(schemas.named(name), schema)) {
            write_messages(page, schemas, variant);
        }
    }
}

fn write_message(page: &mut Markup, schemas: &Schemas<'_>, schema: &Value) {
    page.element("article", &[], |page| {
        page.element("h4", &[], |page| page.element("code", &[], |page| page.text(kind(schema))));
        page.prose(text(&schema["description"]));
        schemas.write_shape(page, schema);
    });
}

/// The message's `type`: the only value of the field, or what its description says it is.
pub fn kind(schema: &Value) -> &str {
    let kind = &schema["properties"]["type"];
    kind["enum"][0].as_str().unwrap_or_else(|| text(&kind["description"]).trim_matches(['`', '.']))
}
