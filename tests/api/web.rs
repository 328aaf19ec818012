//! The web client as it is served: the page, its modules, and what keeps both safe.

use std::collections::BTreeSet;

use reqwest::{Method, header::ACCEPT_ENCODING};
use stakeboard_tests::{Answer, Client, TestServer};

/// What the first load may weigh in all, compressed.
const FIRST_LOAD_BYTES: usize = 100_000;

/// The values of an attribute, in the order of the page.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let opening = format!("{attribute}=\"");
    page.split(&opening).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Where the modules of a page are.
fn base(page: &str) -> &str {
    let main = values(page, "src").into_iter().find(|path| path.ends_with("/js/main.js")).unwrap();
    main.strip_suffix("/js/main.js").unwrap()
}

async fn ask(client: &Client, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = reqwest::Client::new().get(client.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    client.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_of_the_page_is_the_page_in_the_language_that_is_asked_for() {
    let server = TestServer::start().await;
    let client = server.client();
    let paths = [
        "/",
        "/lobby",
        "/table/k7Qm2xVd",
        "/match/0192-anything",
        "/practice",
        "/practice/1",
        "/streak",
        "/streak/1",
        "/wallet",
        "/history",
        "/rules",
        "/rules/oware",
        "/settings",
        "/player/1",
        "/leaderboard/morris",
        "/sign-in",
        "/sign-in?new",
        "/admin",
        "/admin/ledger",
        "/admin/players/1",
    ];
    for path in paths {
        let page = ask(&client, path, &[("accept-language", "en-GB")]).await.expect(200);
        assert!(page.text.contains("<html lang=\"en\""), "{path}");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(page.headers["content-language"], "en");
    }
    let other = ask(&client, "/", &[]).await.expect(200);
    assert!(other.text.contains("<html lang=\"pt-BR\""), "Portuguese where nothing is asked for");
    let varied: Vec<_> = other.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
    assert!(varied.contains(&"accept-language") && varied.contains(&"accept-encoding"), "{varied:?}");
    assert!(!other.text.contains('{'), "every place is filled in: {}", other.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_path_is_the_page_for_people_and_a_problem_for_programs() {
    let server = TestServer::start().await;
    let client = server.client();
    let people = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    for path in ["/nowhere", "/lobby/x", "/table", "/%ff", "/admin/"] {
        let page = ask(&client, path, &people).await.expect(404);
        assert!(page.text.contains("<html"), "{path}");
        ask(&client, path, &[("accept", "*/*")]).await.refused(404, "not_found");
    }
    ask(&client, "/v1/nowhere", &people).await.refused(404, "not_found");
    let posted = client.request(Method::POST, "/nowhere").header("accept", "text/html");
    client.send(posted).await.refused(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_may_load_nothing_from_elsewhere_and_nothing_inline() {
    let server = TestServer::start().await;
    let page = server.client().get("/").await.expect(200);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.split(';').any(|part| part.trim() == rule), "{rule} in {policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.headers[name], value);
    }
    for path in values(&page.text, "href").into_iter().chain(values(&page.text, "src")) {
        assert!(path.starts_with("/web/"), "{path}");
    }
    for inline in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
        assert!(!page.text.contains(inline), "{inline}");
    }
    assert_eq!(page.text.matches("<script").count(), values(&page.text, "src").len(), "every script is a file");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_load_is_light_and_each_page_names_the_module_of_its_view() {
    let server = TestServer::start().await;
    let client = server.client();
    let gzip = [(ACCEPT_ENCODING.as_str(), "gzip")];
    let page = ask(&client, "/", &gzip).await.expect(200);
    let plain = ask(&client, "/", &[]).await.expect(200).text;
    let base = base(&plain);
    let mut files: BTreeSet<String> =
        values(&plain, "href").into_iter().chain(values(&plain, "src")).map(str::to_owned).collect();
    // The texts are asked for by the first module.
    files.insert(format!("{base}/locales/pt-BR.json"));
    let mut bytes = page.bytes;
    for path in &files {
        let answer = ask(&client, path, &gzip).await.expect(200);
        assert_eq!(answer.headers["content-encoding"], "gzip", "{path}");
        bytes += answer.bytes;
    }
    println!("the first load weighs {bytes} bytes in {} files", files.len() + 1);
    assert!(bytes < FIRST_LOAD_BYTES, "{bytes}");

    // The router of the page and the server's list agree on which view is where.
    let router = ask(&client, &format!("{base}/js/router.js"), &[]).await.expect(200).text;
    let mut compared = 0;
    for line in router.lines().filter(|line| line.trim_start().starts_with("[\"/")) {
        let quoted: Vec<&str> = line.split('"').collect();
        let (path, view) = (quoted[1], quoted[3].trim_start_matches("./"));
        let page = ask(&client, &path.replace(':', "a-"), &[]).await.expect(200).text;
        let named = page.contains(&format!("{base}/js/{view}"));
        assert!(named || path.starts_with("/admin/"), "{path} is the page of {view}");
        compared += 1;
    }
    assert!(compared > 20, "{compared} paths were compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_has_is_not_sent_again_and_what_changed_has_another_tag() {
    let server = TestServer::start().await;
    let client = server.client();
    let page = ask(&client, "/", &[]).await.expect(200);
    let module = format!("{}/js/main.js", base(&page.text));
    for path in ["/", &module] {
        let whole = ask(&client, path, &[]).await.expect(200);
        let tag = whole.headers["etag"].to_str().unwrap().to_owned();
        assert!(tag.starts_with('"'), "a strong tag: {tag}");
        let again = ask(&client, path, &[("if-none-match", &tag)]).await.expect(304);
        assert!(again.text.is_empty());
        assert_eq!(again.headers["etag"], whole.headers["etag"]);
        assert_eq!(again.headers["cache-control"], whole.headers["cache-control"]);
        ask(&client, path, &[("if-none-match", "\"other\"")]).await.expect(200);
        let packed = ask(&client, path, &[("accept-encoding", "gzip")]).await.expect(200);
        assert_ne!(packed.headers["etag"], whole.headers["etag"], "another encoding is another representation");
        assert!(packed.bytes < whole.bytes);
    }
    assert_eq!(page.headers["cache-control"], "no-cache", "the page itself is asked for each time");
    let portuguese = &page.headers["etag"];
    let english = ask(&client, "/", &[("accept-language", "en")]).await.expect(200);
    assert_ne!(&english.headers["etag"], portuguese);
    // Tests are built with debug assertions, where modules are read from the folder and may change.
    let kept = ask(&client, &module, &[]).await.headers["cache-control"].clone();
    let expected = if cfg!(debug_assertions) { "no-cache" } else { "public, max-age=31536000, immutable" };
    assert_eq!(kept, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_have_their_type_and_nothing_outside_the_folder_is_served() {
    let server = TestServer::start().await;
    let client = server.client();
    let page = ask(&client, "/", &[]).await.expect(200).text;
    let base = base(&page);
    for (name, kind) in [
        ("js/main.js", "text/javascript; charset=utf-8"),
        ("css/tokens.css", "text/css; charset=utf-8"),
        ("locales/en.json", "application/json"),
        ("icon.svg", "image/svg+xml"),
        ("vendor/lit-html/lit-html.js", "text/javascript; charset=utf-8"),
    ] {
        let path = format!("{base}/{name}");
        let got = ask(&client, &path, &[]).await.expect(200);
        assert_eq!(got.headers["content-type"], kind, "{name}");
        assert_eq!(got.headers["x-content-type-options"], "nosniff");
        assert_eq!(got.headers["cross-origin-resource-policy"], "same-origin");
        let shown = std::path::Path::new(name).extension().is_some_and(|extension| extension == "svg");
        assert_eq!(got.headers.contains_key("content-security-policy"), shown, "{name}");
        let head = client.send(client.request(Method::HEAD, &path)).await.expect(200);
        assert!(head.text.is_empty());
        assert_eq!(head.headers["content-length"], got.headers["content-length"]);
    }
    for name in [
        "",
        "js",
        "js/nothing.js",
        "js/types.d.ts",
        "index.html",
        "../Cargo.toml",
        "js/../../src/lib.rs",
        "js/%2e%2e/%2e%2e/Cargo.toml",
        "%2e%2e%2fbuild.rs",
        "..%5c..%5cCargo.toml",
        "/etc/passwd.js",
        "js//main.js",
        "js/main.js%00.css",
        ".hidden.js",
    ] {
        let answer = raw(&server, &format!("{base}/{name}")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{name}: {answer}");
        assert!(answer.contains("\"not_found\""), "{name}: {answer}");
    }
    ask(&client, "/web/000000000000/js/main.js", &[]).await.refused(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_people_behind_one_address_can_load_the_page_at_once() {
    let flags = ["--http-per-second=1", "--http-burst=2", "--database-url=postgres://somewhere/else"];
    let server = TestServer::with(&flags).await;
    let client = server.client();
    let page = ask(&client, "/", &[]).await.expect(200).text;
    let module = format!("{}/js/main.js", base(&page));
    for _ in 0..20 {
        ask(&client, &module, &[]).await.expect(200);
    }
    ask(&client, "/v1/games", &[]).await.expect(200);
    ask(&client, "/v1/games", &[]).await.refused(429, "rate_limited");
}

/// One request whose path is sent as it is.
async fn raw(server: &TestServer, path: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}
