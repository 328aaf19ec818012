//! The interface for people to read: one page, made from the `OpenAPI` document, without outside assets.
//!
//! The page is written once for each language; what the document itself says is English in both.

mod markup;
mod schemas;
mod socket;
mod words;

use std::sync::LazyLock;

use serde_json::Value;

pub use self::socket::kind;

use self::{markup::Markup, schemas::Schemas, words::Words};
use crate::{code::Code, http::openapi, i18n, i18n::Language};

/// Where the page finds its style.
pub const STYLE_PATH: &str = "/docs/style.css";
/// The style: light and dark, on a desk and on a phone.
pub const STYLE: &str = include_str!("docs/style.css");

/// The tag whose section also shows what is sent on the socket.
const SOCKET: &str = "Socket";
/// The methods a path can have, in the order in which they are shown.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The page.
pub fn page(language: Language) -> &'static str {
    static PORTUGUESE: LazyLock<String> = LazyLock::new(|| written(Language::Portuguese));
    static ENGLISH: LazyLock<String> = LazyLock::new(|| written(Language::English));
    match language {
        Language::Portuguese => &PORTUGUESE,
        Language::English => &ENGLISH,
    }
}

/// Writes the page of this server's own document.
fn written(language: Language) -> String {
    // A document that came from types always has a JSON form; a test reads it.
    let document = serde_json::to_value(openapi::document()).unwrap_or_default();
    Writer { document: &document, schemas: Schemas::of(&document, language), words: words::of(language), language }
        .write()
}

/// One method of one path.
struct Call<'d> {
    method: &'static str,
    path: &'d str,
    operation: &'d Value,
}

impl Call<'_> {
    /// Where it is on the page.
    fn anchor(&self) -> String {
        let path: String = self.path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{}{path}", self.method)
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.operation["tags"].as_array().is_some_and(|tags| tags.iter().any(|it| it == tag))
    }
}

/// The document on its way to the page.
struct Writer<'d> {
    document: &'d Value,
    schemas: Schemas<'d>,
    words: &'static Words,
    language: Language,
}

impl Writer<'_> {
    fn write(&self) -> String {
        let mut page = Markup::document();
        page.element("html", &[("lang", self.language.tag())], |page| {
            self.write_head(page);
            page.element("body", &[], |page| {
                self.write_welcome(page);
                self.write_index(page);
                page.element("main", &[], |page| {
                    for tag in self.tags() {
                        self.write_section(page, tag);
                    }
                    self.write_codes(page);
                    self.schemas.write(page);
                });
            });
        });
        page.finish()
    }

    fn title(&self) -> String {
        format!("{} · {}", text(&self.document["info"]["title"]), self.words.reference)
    }

    fn tags(&self) -> impl Iterator<Item = &Value> {
        items(&self.document["tags"])
    }

    /// Every call, by path and method.
    fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        let paths = self.document["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, methods)| {
            METHODS
                .iter()
                .filter_map(move |&method| methods.get(method).map(|operation| Call { method, path, operation }))
        })
    }

    fn write_head(&self, page: &mut Markup) {
        page.element("head", &[], |page| {
            page.void("meta", &[("charset", "utf-8")]);
            page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            page.element("title", &[], |page| page.text(&self.title()));
            page.void("link", &[("rel", "stylesheet"), ("href", STYLE_PATH)]);
        });
    }

    fn write_welcome(&self, page: &mut Markup) {
        let info = &self.document["info"];
        page.element("header", &[], |page| {
            page.element("h1", &[], |page| page.text(&self.title()));
            page.prose(text(&info["description"]));
            page.element("p", &[("class", "quiet")], |page| {
                page.text(&format!("{} {} · ", self.words.version, text(&info["version"])));
                page.element("a", &[("href", "/openapi.yaml")], |page| page.text("openapi.yaml"));
                page.text(" · ");
                page.element("a", &[("href", "/asyncapi.yaml")], |page| page.text("asyncapi.yaml"));
            });
        });
    }

    fn write_index(&self, page: &mut Markup) {
        page.element("nav", &[("aria-label", self.words.contents)], |page| {
            for tag in self.tags() {
                let name = text(&tag["name"]);
                page.element("details", &[("open", "open")], |page| {
                    page.element("summary", &[], |page| page.text(name));
                    page.element("ul", &[], |page| {
                        for call in self.calls().filter(|call| call.has_tag(name)) {
                            index_line(page, &call);
                        }
                        if name == SOCKET {
                            link_line(page, "#client-messages", self.words.client_messages);
                            link_line(page, "#server-messages", self.words.server_messages);
                        }
                    });
                });
            }
            page.element("ul", &[], |page| {
                link_line(page, "#codes", self.words.codes);
                link_line(page, "#schemas", self.words.schemas);
            });
        });
    }

    fn write_section(&self, page: &mut Markup, tag: &Value) {
        let name = text(&tag["name"]);
        page.element("section", &[("id", &format!("tag-{name}"))], |page| {
            page.element("h2", &[], |page| page.text(name));
            page.prose(text(&tag["description"]));
            for call in self.calls().filter(|call| call.has_tag(name)) {
                self.write_call(page, &call);
            }
            if name == SOCKET {
                socket::write(page, &self.schemas, self.words);
            }
        });
    }

    fn write_call(&self, page: &mut Markup, call: &Call<'_>) {
        page.element("article", &[("id", &call.anchor())], |page| {
            page.element("h3", &[], |page| {
                method(page, call.method);
                page.element("code", &[], |page| page.text(call.path));
            });
            page.element("p", &[("class", "summary")], |page| page.phrase(text(&call.operation["summary"])));
            page.prose(text(&call.operation["description"]));
            page.element("p", &[("class", "quiet")], |page| page.text(self.access(call.operation)));
            self.write_parameters(page, &call.operation["parameters"]);
            self.write_body(page, &call.operation["requestBody"]);
            self.write_answers(page, &call.operation["responses"]);
        });
    }

    /// Whether a token is needed: an empty requirement among others makes it optional.
    fn access(&self, operation: &Value) -> &'static str {
        let requirements: Vec<_> = items(&operation["security"]).filter_map(Value::as_object).collect();
        let without = requirements.iter().any(|requirement| requirement.is_empty());
        match (requirements.len(), without) {
            (0, _) | (1, true) => self.words.no_token,
            (_, true) => self.words.token_possible,
            (_, false) => self.words.token_needed,
        }
    }

    fn write_parameters(&self, page: &mut Markup, parameters: &Value) {
        if items(parameters).next().is_none() {
            return;
        }
        page.element("h4", &[], |page| page.text(self.words.parameters));
        page.table(&[self.words.name, self.words.kind, self.words.meaning], |page| {
            for parameter in items(parameters) {
                let required = parameter["required"] == true;
                let place = format!(" ({})", self.words.place(text(&parameter["in"])));
                page.row(|page| {
                    page.element("td", &[], |page| {
                        self.schemas.write_name(page, text(&parameter["name"]), required);
                        page.element("span", &[("class", "quiet")], |page| page.text(&place));
                    });
                    self.schemas.write_kind_and_meaning(page, &parameter["schema"], parameter["description"].as_str());
                });
            }
        });
    }

    fn write_body(&self, page: &mut Markup, body: &Value) {
        for (kind, content) in body["content"].as_object().into_iter().flatten() {
            page.element("h4", &[], |page| {
                page.text(&format!("{} ", self.words.body));
                page.element("span", &[("class", "quiet")], |page| page.text(kind));
            });
            page.element("p", &[], |page| self.schemas.write_kind(page, &content["schema"]));
            self.schemas.write_shape(page, &content["schema"]);
        }
    }

    fn write_answers(&self, page: &mut Markup, answers: &Value) {
        page.element("h4", &[], |page| page.text(self.words.answers));
        page.table(&[self.words.status, self.words.meaning, self.words.content], |page| {
            for (status, answer) in answers.as_object().into_iter().flatten() {
                page.row(|page| {
                    page.element("td", &[], |page| page.element("code", &[], |page| page.text(status)));
                    page.element("td", &[], |page| page.phrase(text(&answer["description"])));
                    page.element("td", &[], |page| self.write_contents(page, &answer["content"]));
                });
            }
        });
    }

    fn write_contents(&self, page: &mut Markup, contents: &Value) {
        for (kind, content) in contents.as_object().into_iter().flatten() {
            if content["schema"]["type"] == "string" {
                page.element("span", &[("class", "quiet")], |page| page.text(kind));
            } else {
                self.schemas.write_kind(page, &content["schema"]);
            }
        }
    }

    /// Every code that a problem or an error frame can carry.
    fn write_codes(&self, page: &mut Markup) {
        page.element("section", &[("id", "codes")], |page| {
            page.element("h2", &[], |page| page.text(self.words.codes));
            page.element("p", &[], |page| page.phrase(self.words.codes_are));
            page.table(&[self.words.code, self.words.status, self.words.meaning], |page| {
                for &code in Code::ALL {
                    page.row(|page| {
                        page.element("td", &[], |page| page.element("code", &[], |page| page.text(code.as_str())));
                        page.element("td", &[], |page| page.text(&code.status().to_string()));
                        page.element("td", &[], |page| page.text(i18n::detail(code, self.language)));
                    });
                }
            });
        });
    }
}

fn method(page: &mut Markup, method: &str) {
    page.element("span", &[("class", &format!("method {method}"))], |page| page.text(&method.to_ascii_uppercase()));
    page.text(" ");
}

fn index_line(page: &mut Markup, call: &Call<'_>) {
    page.element("li", &[], |page| {
        page.element("a", &[("href", &format!("#{}", call.anchor()))], |page| {
            method(page, call.method);
            page.text(call.path);
        });
    });
}

fn link_line(page: &mut Markup, target: &str, words: &str) {
    page.element("li", &[], |page| page.element("a", &[("href", target)], |page| page.text(words)));
}

/// A text of the document; empty where it has none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A list of the document; empty where it has none.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests;
