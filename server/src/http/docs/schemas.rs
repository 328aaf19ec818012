//! Schemas for people: what a value looks like, what its parts mean, where its bounds are.

use serde_json::{Map, Value};

use super::{
    items,
    markup::Markup,
    text,
    words::{self, Words},
};
use crate::i18n::Language;

/// Where the document keeps its schemas.
const PREFIX: &str = "#/components/schemas/";

/// The schemas of the document.
pub struct Schemas<'d> {
    all: Option<&'d Map<String, Value>>,
    words: &'static Words,
}

impl<'d> Schemas<'d> {
    /// Those of this document.
    pub fn of(document: &'d Value, language: Language) -> Self {
        Self { all: document["components"]["schemas"].as_object(), words: words::of(language) }
    }

    /// The schema of this name; null where there is none.
    pub fn named(&self, name: &str) -> &'d Value {
        self.all.and_then(|all| all.get(name)).unwrap_or(&Value::Null)
    }

    /// The schema that is meant, where this one only names it.
    pub fn resolved<'s>(&self, schema: &'s Value) -> &'s Value
    where
        'd: 's,
    {
        name_of(schema).map_or(schema, |name| self.named(name))
    }

    /// The section with all of them.
    pub fn write(&self, page: &mut Markup) {
        page.element("section", &[("id", "schemas")], |page| {
            page.element("h2", &[], |page| page.text(self.words.schemas));
            for (name, schema) in self.all.into_iter().flatten() {
                page.element("article", &[("id", &anchor(name))], |page| {
                    page.element("h3", &[], |page| page.element("code", &[], |page| page.text(name)));
                    page.prose(text(&schema["description"]));
                    if schema["oneOf"].is_null() && schema["properties"].is_null() {
                        page.element("p", &[], |page| {
                            self.write_kind(page, schema);
                            self.write_bounds(page, schema);
                        });
                    }
                    self.write_variants(page, schema);
                    self.write_shape(page, schema);
                });
            }
        });
    }

    /// The ways in which a value can look, one after the other.
    fn write_variants(&self, page: &mut Markup, schema: &Value) {
        for variant in items(&schema["oneOf"]) {
            if name_of(variant).is_some() {
                page.element("p", &[], |page| self.write_kind(page, variant));
            } else {
                page.prose(text(&variant["description"]));
                self.write_shape(page, variant);
            }
        }
    }

    /// The fields of an object, or of the one that is named.
    pub fn write_shape(&self, page: &mut Markup, schema: &Value) {
        let schema = self.resolved(schema);
        let Some(properties) = schema["properties"].as_object() else { return };
        page.table(&[self.words.name, self.words.kind, self.words.meaning], |page| {
            for (name, property) in properties {
                let required = items(&schema["required"]).any(|it| it == name.as_str());
                page.row(|page| {
                    page.element("td", &[], |page| self.write_name(page, name, required));
                    self.write_kind_and_meaning(page, property, None);
                });
            }
        });
        if schema["additionalProperties"] == false {
            page.element("p", &[("class", "quiet")], |page| page.text(self.words.no_other_fields));
        }
    }

    /// What a field or parameter is called, and whether it may be left out.
    pub fn write_name(&self, page: &mut Markup, name: &str, required: bool) {
        page.element("code", &[], |page| page.text(name));
        if !required {
            page.text(" ");
            page.element("span", &[("class", "quiet")], |page| page.text(self.words.optional));
        }
    }

    /// Two cells: what it is, and what it means with its bounds.
    pub fn write_kind_and_meaning(&self, page: &mut Markup, schema: &Value, description: Option<&str>) {
        let described = description.or_else(|| own_description(schema));
        page.element("td", &[], |page| self.write_kind(page, schema));
        page.element("td", &[], |page| {
            page.phrase(described.unwrap_or_default());
            self.write_bounds(page, self.resolved(schema));
        });
    }

    /// What kind of value it is, with links to the schemas it names.
    pub fn write_kind(&self, page: &mut Markup, schema: &Value) {
        if let Some(name) = name_of(schema) {
            return page.element("a", &[("href", &format!("#{}", anchor(name)))], |page| page.text(name));
        }
        if schema["oneOf"].is_array() {
            return self.write_alternatives(page, items(&schema["oneOf"]), Self::write_kind);
        }
        if schema["enum"].is_array() {
            return self.write_alternatives(page, items(&schema["enum"]), |_, page, value| {
                page.element("code", &[], |page| page.text(&plain(value)));
            });
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for (place, kind) in kinds.iter().enumerate() {
            if place > 0 {
                page.text(&format!(" {} ", self.words.or));
            }
            match *kind {
                "array" => {
                    page.text(&format!("{} ", self.words.list_of));
                    self.write_kind(page, &schema["items"]);
                }
                "object" => page.text(self.words.object),
                "string" => page.text(schema["format"].as_str().unwrap_or(kind)),
                other => page.text(other),
            }
        }
    }

    fn write_alternatives<'v>(
        &self,
        page: &mut Markup,
        alternatives: impl Iterator<Item = &'v Value>,
        write: impl Fn(&Self, &mut Markup, &'v Value),
    ) {
        for (place, alternative) in alternatives.enumerate() {
            if place > 0 {
                page.text(&format!(" {} ", self.words.or));
            }
            write(self, page, alternative);
        }
    }

    /// The bounds of a value, its default and an example, each where it has one.
    fn write_bounds(&self, page: &mut Markup, schema: &Value) {
        let words = self.words;
        let bounds = [
            ("minimum", words.at_least, ""),
            ("maximum", words.at_most, ""),
            ("minLength", words.at_least, words.characters),
            ("maxLength", words.at_most, words.characters),
            ("pattern", "", ""),
            ("default", words.default, ""),
            ("example", words.example, ""),
        ];
        for (key, before, after) in bounds {
            let Some(value) = schema.get(key).filter(|value| !value.is_null()) else { continue };
            // That a count is not negative goes without saying.
            if key == "minimum" && value == 0 {
                continue;
            }
            page.element("span", &[("class", "bound")], |page| {
                page.text(&format!("{before} "));
                page.element("code", &[], |page| page.text(&plain(value)));
                page.text(&format!(" {after}"));
            });
        }
    }
}

/// The name of the schema that this one stands for.
pub fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(PREFIX)
}

/// Where a schema is on the page.
pub fn anchor(name: &str) -> String {
    format!("schema-{name}")
}

/// What is said of a field; where it can be null, it is said of the other alternative.
fn own_description(schema: &Value) -> Option<&str> {
    schema["description"]
        .as_str()
        .or_else(|| items(&schema["oneOf"]).find_map(|alternative| alternative["description"].as_str()))
}

/// A value without the marks of JSON around a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
