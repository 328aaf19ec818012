//! Documents as YAML that says the same in versions 1.1 and 1.2.
//!
//! Many readers still speak 1.1, where `on` is a switch and `1990-05-17` a date. The library writes 1.2, where both are
//! texts that need no quotes.

use serde::Serialize;

/// A document as YAML.
pub fn write(document: &impl Serialize) -> Result<String, yaml_serde::Error> {
    yaml_serde::to_string(document).map(|text| quote(&text))
}

/// Quotes what YAML 1.1 reads as something else. Texts of several lines are literal blocks, which both read alike.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut block = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|outer| line.is_empty() || depth > outer) {
            quoted.push_str(line);
        } else {
            block = line.ends_with(['|', '-', '+']).then_some(depth).filter(|_| begins_block(line));
            quote_line(line, &mut quoted);
        }
        quoted.push('\n');
    }
    quoted
}

fn begins_block(line: &str) -> bool {
    line.rsplit(' ').next().is_some_and(|mark| ["|", "|-", "|+"].contains(&mark))
}

/// A line is an item, a key, or a key with its value.
fn quote_line(line: &str, quoted: &mut String) {
    let mut rest = line.trim_start_matches(' ');
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item;
    }
    quoted.push_str(&line[..line.len() - rest.len()]);
    let Some(end) = end_of_key(rest) else {
        push(rest, quoted);
        return;
    };
    push(&rest[..end], quoted);
    quoted.push(':');
    if let Some(value) = rest[end + 1..].strip_prefix(' ') {
        quoted.push(' ');
        push(value, quoted);
    }
}

/// Where the colon behind the key stands.
fn end_of_key(rest: &str) -> Option<usize> {
    if let Some(mark) = rest.chars().next().filter(|mark| ['\'', '"'].contains(mark)) {
        let closed = rest[1..].find(&format!("{mark}:"))?;
        return Some(closed + 2);
    }
    rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len))
}

fn push(scalar: &str, quoted: &mut String) {
    if is_other_in_1_1(scalar) {
        quoted.push('\'');
        quoted.push_str(scalar);
        quoted.push('\'');
    } else {
        quoted.push_str(scalar);
    }
}

/// Whether YAML 1.1 takes a text for a switch, a date, or a number with signs in it.
fn is_other_in_1_1(scalar: &str) -> bool {
    if ["y", "n", "yes", "no", "on", "off"].iter().any(|word| scalar.eq_ignore_ascii_case(word)) {
        return true;
    }
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let mut parts = scalar.split('-').map(digits);
    let is_date = parts.next() == Some(4) && parts.next() > Some(0) && parts.next() > Some(0);
    // Digits in groups, or to the base of sixty.
    let is_number = scalar.starts_with(|first: char| first.is_ascii_digit() || first == '+' || first == '-')
        && scalar.bytes().all(|byte| byte.is_ascii_digit() || b"+-_:.".contains(&byte))
        && (scalar.contains('_')
            || (scalar.contains(':') && scalar.split(':').skip(1).map(digits).all(|count| count < 3)));
    is_date || is_number || scalar == "=" || scalar == "<<"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_yaml_1_1_reads_as_something_else_is_quoted_wherever_it_stands() {
        let document = json!({
            "on": {"No": "off", "list": ["yes", "1990-05-17", "12:30", "1_000", "north"]},
            "y": [{"n": "2026-11-30T17:00:00Z"}, ["ON"]],
            "long": "on: the first line\nyes\n  1990-05-17",
            "after": "on",
            "numbers": [1, 2.5, true, null, "true", "5"],
            "text": "on: and on",
            "host": "127.0.0.1:8080",
            "from - to": "4-c",
        });
        let written = write(&document).expect("written");
        for line in [
            "'on':",
            "  'No': 'off'",
            "  - 'yes'",
            "  - '1990-05-17'",
            "  - '12:30'",
            "  - '1_000'",
            "  - north",
            "'y':",
            "- 'n': '2026-11-30T17:00:00Z'",
            "- - 'ON'",
            "  on: the first line",
            "  yes",
            "    1990-05-17",
            "after: 'on'",
            "- true",
            "- 'true'",
            "text: 'on: and on'",
            "host: 127.0.0.1:8080",
            "from - to: 4-c",
        ] {
            assert!(written.lines().any(|written| written == line), "{line}\n{written}");
        }
        let read: serde_json::Value = yaml_serde::from_str(&written).expect("YAML 1.2");
        assert_eq!(read, document);
    }
}
