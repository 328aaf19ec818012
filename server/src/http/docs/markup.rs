//! HTML that cannot be ill-formed: every element is closed where it was opened, every text is escaped.

use std::fmt::Write as _;

/// A page that is being written.
pub struct Markup(String);

impl Markup {
    /// An empty page.
    pub fn document() -> Self {
        Self("<!doctype html>\n".into())
    }

    /// The page as text.
    pub fn finish(self) -> String {
        self.0
    }

    /// An element and what `inside` writes into it.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &str)], inside: impl FnOnce(&mut Self)) {
        self.void(name, attributes);
        inside(self);
        // Writing to a text can't fail.
        let _ = write!(self.0, "</{name}>");
        if is_block(name) {
            self.0.push('\n');
        }
    }

    /// An element that has no inside and no end.
    pub fn void(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.0, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.0, " {attribute}=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// A text as it is.
    pub fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                other => self.0.push(other),
            }
        }
    }

    /// A text in which pairs of backticks mark code.
    pub fn phrase(&mut self, text: &str) {
        let parts: Vec<&str> = text.split('`').collect();
        for (place, part) in parts.iter().enumerate() {
            let has_partner = place + 1 < parts.len();
            match (place % 2 == 1, has_partner) {
                (true, true) => self.element("code", &[], |page| page.text(part)),
                (true, false) => {
                    self.text("`");
                    self.text(part);
                }
                (false, _) => self.text(part),
            }
        }
    }

    /// Paragraphs of such text, apart by an empty line.
    pub fn prose(&mut self, text: &str) {
        for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
            self.element("p", &[], |page| page.phrase(paragraph));
        }
    }

    /// A table with these heads and the rows that `rows` writes. It scrolls by itself where it is too wide.
    pub fn table(&mut self, heads: &[&str], rows: impl FnOnce(&mut Self)) {
        self.element("div", &[("class", "wide")], |page| {
            page.element("table", &[], |page| {
                page.element("thead", &[], |page| {
                    page.row(|page| {
                        for head in heads {
                            page.element("th", &[("scope", "col")], |page| page.text(head));
                        }
                    });
                });
                page.element("tbody", &[], rows);
            });
        });
    }

    /// A row of a table.
    pub fn row(&mut self, cells: impl FnOnce(&mut Self)) {
        self.element("tr", &[], cells);
    }
}

/// Elements after which a new line is only for who reads the source.
fn is_block(name: &str) -> bool {
    !matches!(name, "a" | "code" | "span" | "td" | "th")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(text: &str) -> String {
        let mut page = Markup(String::new());
        page.phrase(text);
        page.finish()
    }

    #[test]
    fn whatever_a_text_or_an_attribute_holds_it_stays_text() {
        let mut page = Markup(String::new());
        page.element("p", &[("title", "\"><script>")], |page| page.text("<script>alert('&')</script>"));
        assert_eq!(
            page.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</p>\n"
        );
    }

    #[test]
    fn backticks_mark_code_and_a_single_one_stays_what_it_is() {
        assert_eq!(phrase("a `b<c` d"), "a <code>b&lt;c</code> d");
        assert_eq!(phrase("`a`, `b`"), "<code>a</code>, <code>b</code>");
        assert_eq!(phrase("it`s"), "it`s");
        assert_eq!(phrase("`a` and ` more"), "<code>a</code> and ` more");
    }

    #[test]
    fn paragraphs_are_apart_by_an_empty_line() {
        let mut page = Markup(String::new());
        page.prose("one\nline\n\n\n\ntwo");
        assert_eq!(page.finish(), "<p>one\nline</p>\n<p>two</p>\n");
    }
}
