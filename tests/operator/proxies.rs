//! Who is at the other end, through proxies and past them.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
};

use stakeboard_tests::ServerProcess;
use tempfile::TempDir;

use crate::{SERVER, eventually, read};

/// A guest signs up, with this said of where the request comes from; gives the status.
async fn sign_up(server: &ServerProcess, forwarded: &str) -> u16 {
    let client = server.client();
    let request = client.request(reqwest::Method::POST, "/v1/auth/guest").header("x-forwarded-for", forwarded);
    client.send(request.json(&serde_json::json!({}))).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_by_address_count_the_player_behind_a_trusted_proxy() {
    let environment = [("STAKEBOARD_SIGN_UPS_BY_ADDRESS", "2"), ("STAKEBOARD_TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8")];
    let server = ServerProcess::start(SERVER, &environment).await;
    for (forwarded, status) in [
        ("203.0.113.1", 201),
        ("203.0.113.1", 201),
        ("203.0.113.1", 429),
        ("203.0.113.2", 201),
        // What the player wrote stands before what the proxy added.
        ("203.0.113.3, 203.0.113.1", 429),
        // Through a second proxy that is ours.
        ("203.0.113.1, 10.1.2.3", 429),
        ("203.0.113.4, 10.1.2.3", 201),
    ] {
        assert_eq!(sign_up(&server, forwarded).await, status, "{forwarded}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forwarded_address_from_anybody_else_is_ignored() {
    for trusted in ["", "10.0.0.0/8"] {
        let environment = [("STAKEBOARD_SIGN_UPS_BY_ADDRESS", "2"), ("STAKEBOARD_TRUSTED_PROXIES", trusted)];
        let environment = if trusted.is_empty() { &environment[..1] } else { &environment };
        let server = ServerProcess::start(SERVER, environment).await;
        let mut statuses = Vec::new();
        for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3"] {
            statuses.push(sign_up(&server, address).await);
        }
        assert_eq!(statuses, [201, 201, 429], "all three come from here: {trusted:?}");
    }
}

/// An nginx with the sample of `deploy/`, but for names, ports and the certificate.
struct Nginx {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Nginx {
    async fn before(server: &ServerProcess) -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"])
            .args(["-subj", "/CN=stakeboard.example", "-keyout", &path("key"), "-out", &path("certificate")])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let [plain, secure] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
        let mut site = read("deploy/nginx/stakeboard.conf");
        for (ours, here) in [
            ("127.0.0.1:8080", server.address.to_string()),
            ("listen 80;", format!("listen {plain};")),
            ("listen 443 ssl;", format!("listen {secure} ssl;")),
            ("/etc/ssl/certs/stakeboard.pem", path("certificate")),
            ("/etc/ssl/private/stakeboard.key", path("key")),
        ] {
            assert!(site.contains(ours), "{ours}");
            site = site.replace(ours, &here);
        }
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};\n", path(kind)))
            .concat();
        let whole = format!(
            "daemon off;\npid {};\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{site}\n}}\n",
            path("pid")
        );
        fs::write(path("nginx.conf"), whole).unwrap();
        let process = Command::new("nginx").args(["-c", &path("nginx.conf")]).stderr(Stdio::inherit()).spawn().unwrap();
        let nginx = Self { process, address: secure, _folder: folder };
        eventually("nginx", || async { (nginx.curl(&["-o/dev/null"], "/healthz").await).ok().map(drop) }).await;
        nginx
    }

    /// Asks by curl, which speaks TLS; the certificate is our own.
    async fn curl(&self, arguments: &[&str], path: &str) -> Result<String, String> {
        let mut command = tokio::process::Command::new("curl");
        command.args(["-sSk", "--max-time", "5"]).args(arguments).arg(format!("https://{}{path}", self.address));
        let output = command.output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // A socket stays open until curl has had enough of it.
        let done = output.status.success() || said.contains("101 Switching Protocols");
        if done { Ok(said) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }

    async fn status(&self, arguments: &[&str], path: &str) -> String {
        self.curl(&[&["-o/dev/null", "-w%{http_code}"], arguments].concat(), path).await.unwrap()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master tells its workers.
        let master = nix::unistd::Pid::from_raw(self.process.id().cast_signed());
        let _ = nix::sys::signal::kill(master, nix::sys::signal::Signal::SIGTERM);
        drop(self.process.wait());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx"]
async fn the_proxy_of_the_sample_speaks_tls_passes_sockets_on_and_keeps_the_metrics() {
    let environment = [("STAKEBOARD_SIGN_UPS_BY_ADDRESS", "2"), ("STAKEBOARD_TRUSTED_PROXIES", "127.0.0.1")];
    let server = ServerProcess::start(SERVER, &environment).await;
    let nginx = Nginx::before(&server).await;
    assert_eq!(nginx.status(&[], "/readyz").await, "200");
    assert_eq!(nginx.status(&[], "/metrics").await, "404");
    let upgrade = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
    let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    let headers: Vec<&str> = upgrade.iter().chain([&key]).flat_map(|header| ["-H", *header]).collect();
    let said = nginx.curl(&[&["-i", "--http1.1", "--max-time", "2"], &headers[..]].concat(), "/v1/ws").await.unwrap();
    assert!(said.starts_with("HTTP/1.1 101 Switching Protocols"), "{said}");

    // Whoever comes through it is told apart by the address that it saw, not by what they say.
    let sign_up = |from: &'static str, said: &'static str| {
        let (nginx, header) = (&nginx, format!("x-forwarded-for: {said}"));
        let json = "content-type: application/json";
        async move { nginx.status(&["--interface", from, "-H", json, "-d{}", "-H", &header], "/v1/auth/guest").await }
    };
    assert_eq!(sign_up("127.0.0.2", "203.0.113.1").await, "201");
    assert_eq!(sign_up("127.0.0.2", "203.0.113.2").await, "201");
    assert_eq!(sign_up("127.0.0.2", "203.0.113.3").await, "429");
    assert_eq!(sign_up("127.0.0.3", "203.0.113.3").await, "201");
}
