//! What `deploy/` holds is what the server is: settings it knows, files that are made, a check of health that checks.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use stakeboard_server::{auth::Keys, bus::Bus, cli, config, matches::receipt::ReceiptKeys};
use stakeboard_tests::TestServer;
use tempfile::TempDir;
use yaml_serde::Value;

use crate::{read, root};

/// The variables that are settings of the server.
fn settings() -> BTreeSet<String> {
    let command = cli::command();
    let variables = command.get_arguments().filter_map(|argument| argument.get_env());
    variables.map(|name| name.to_str().unwrap().to_owned()).collect()
}

/// The secrets of a deployment, as the script makes them.
fn secrets() -> TempDir {
    let folder = TempDir::new().unwrap();
    let made = make_secrets(folder.path(), "database.example");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}

fn make_secrets(folder: &Path, host: &str) -> Output {
    Command::new(root().join("deploy/make-secrets")).arg(folder).arg(host).output().unwrap()
}

/// The values of a directive of the unit, in order.
fn unit(directive: &str) -> Vec<String> {
    let text = read("deploy/systemd/stakeboard.service");
    let values = text.lines().filter_map(|line| line.strip_prefix(directive)?.strip_prefix('='));
    values.map(str::to_owned).collect()
}

#[test]
fn the_unit_sets_settings_that_there_are_to_credentials_that_are_handed_over() {
    let (known, made) = (settings(), secrets());
    let credentials: Vec<(String, String)> = unit("LoadCredential")
        .iter()
        .map(|credential| credential.split_once(':').unwrap())
        .map(|(name, path)| (name.to_owned(), path.to_owned()))
        .collect();
    let mut used = BTreeSet::new();
    for setting in unit("Environment") {
        let (name, value) = setting.split_once('=').unwrap();
        assert!(known.contains(name), "{name} is no setting");
        if let Some(credential) = value.strip_prefix("%d/") {
            assert!(credentials.iter().any(|(name, _)| name == credential), "{credential} is not loaded");
            used.insert(credential.to_owned());
        }
    }
    for (name, path) in &credentials {
        let file = path.strip_prefix("/etc/stakeboard/").expect("the folder that docs/operations.md names");
        assert!(made.path().join(file).exists(), "deploy/make-secrets makes no {file}");
        assert!(used.contains(name), "{name} is loaded for nothing");
    }
    assert_eq!(used.len(), 4, "the database, two keys and the provider's secret: {used:?}");
    let program = unit("ExecStart");
    assert_eq!(program, ["/usr/local/bin/stakeboard-server"]);
    assert!(read("docs/operations.md").contains("install -m 755 target/release/stakeboard-server /usr/local/bin/"));
}

#[test]
fn a_server_takes_the_secrets_as_they_are_made_and_a_second_run_changes_none() {
    let made = secrets();
    let path = |name: &str| made.path().join(name).to_str().unwrap().to_owned();
    let arguments = [
        "stakeboard-server".to_owned(),
        format!("--database-url-file={}", path("database-url")),
        format!("--owner-database-url-file={}", path("owner-database-url")),
        format!("--signing-keys={}", path("signing.pem")),
        format!("--receipt-keys={}", path("receipts.pem")),
        "--payments=webhook".to_owned(),
        format!("--webhook-secrets={}", path("payments.secret")),
        format!("--bus-file={}", path("bus-url")),
    ];
    let (_, settings) = config::parse(cli::command(), arguments.iter().map(Into::into).collect::<Vec<_>>()).unwrap();
    settings.check_serving().unwrap();
    Keys::load(&settings.signing_keys).unwrap();
    ReceiptKeys::load(&settings.receipt_keys).unwrap();
    let password = fs::read_to_string(path("server-password")).unwrap();
    let url = format!("postgres://stakeboard_server:{}@database.example/stakeboard", password.trim());
    assert_eq!(settings.database_url.as_deref(), Some(url.as_str()));
    assert!(settings.owner_database_url.unwrap().starts_with("postgres://stakeboard_owner:"));
    assert!(settings.bus.unwrap().starts_with("nats://stakeboard:"));

    let files = || {
        let names = fs::read_dir(made.path()).unwrap().map(|entry| entry.unwrap().path());
        names.map(|file| (file.clone(), fs::read(file).unwrap())).collect::<BTreeSet<(PathBuf, Vec<u8>)>>()
    };
    let before = files();
    for (host, named) in [("database.example", 0), ("elsewhere.example", 2)] {
        let again = make_secrets(made.path(), host);
        assert!(again.status.success());
        assert_eq!(files(), before);
        let said = String::from_utf8(again.stdout).unwrap();
        assert_eq!(said.lines().filter(|line| line.starts_with("kept ")).count(), before.len(), "{said}");
        let still = said.lines().filter(|line| {
            line.contains("database-url still names the host database.example and not elsewhere.example")
        });
        assert_eq!(still.count(), named, "{said}");
        assert_eq!(said.lines().count(), before.len() + named, "{said}");
    }
}

#[tokio::test]
#[ignore = "needs nats-server"]
async fn nats_as_it_is_set_lets_in_who_has_the_secret_and_nobody_else() {
    let made = secrets();
    let url = fs::read_to_string(made.path().join("bus-url")).unwrap();
    // Free a moment ago; NATS does not tell which one it took.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut nats = Command::new("nats-server")
        .arg("--config")
        .arg(made.path().join("nats.conf"))
        .args(["--addr", "127.0.0.1", "--port", &address.port().to_string()])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let url = url.trim().replace("nats:4222", &address.to_string());
    crate::eventually("the bus", async || Bus::connect(&url, "one").await.ok()).await;
    for stranger in [format!("nats://stakeboard:guess@{address}"), format!("nats://{address}")] {
        assert!(Bus::connect(&stranger, "one").await.is_err(), "{stranger}");
    }
    nats.kill().unwrap();
    nats.wait().unwrap();
}

fn names(list: &Value) -> Vec<&str> {
    list.as_sequence().into_iter().flatten().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn the_containers_have_settings_that_there_are_and_secrets_that_are_made() {
    let compose: Value = yaml_serde::from_str(&read("docker-compose.yml")).unwrap();
    let (known, made) = (settings(), secrets());
    for (name, secret) in compose["secrets"].as_mapping().unwrap() {
        let file = secret["file"].as_str().unwrap().strip_prefix("./secrets/").unwrap();
        assert_eq!(name.as_str(), Some(file));
        assert!(made.path().join(file).exists(), "deploy/make-secrets makes no {file}");
    }
    let services = compose["services"].as_mapping().unwrap();
    for (name, service) in services {
        let name = name.as_str().unwrap();
        let given = names(&service["secrets"]);
        for secret in &given {
            assert!(compose["secrets"].get(secret).is_some(), "{name} asks for {secret}");
        }
        for (variable, value) in service["environment"].as_mapping().into_iter().flatten() {
            let variable = variable.as_str().unwrap();
            let ours = variable.starts_with("STAKEBOARD_") || variable.starts_with("DATABASE_URL");
            assert!(!ours || known.contains(variable), "{name}: {variable} is no setting");
            if let Some(secret) = value.as_str().and_then(|value| value.strip_prefix("/run/secrets/")) {
                assert!(given.contains(&secret), "{name}: {variable} names {secret}, which it is not given");
            }
        }
        for volume in names(&service["volumes"]) {
            if let Some(file) = volume.strip_prefix("./").and_then(|rest| rest.split(':').next()) {
                assert!(root().join(file).exists(), "{name} mounts {file}");
            }
        }
    }
    let server = names(&compose["services"]["server"]["secrets"]);
    assert!(!server.iter().any(|secret| secret.contains("owner")), "who serves can't migrate: {server:?}");
}

/// The words of an instruction of the Dockerfile that is a list, its lines joined.
fn instruction(name: &str) -> Vec<String> {
    let text = read("Dockerfile").replace("\\\n", "");
    let line = text.lines().rfind(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}"));
    serde_json::from_str(&line[line.find('[').unwrap()..]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_image_is_healthy_while_a_move_could_be_committed_and_not_when_nobody_answers() {
    let healthy = |port: u16| async move {
        let mut words = instruction("HEALTHCHECK").into_iter();
        let mut check = tokio::process::Command::new(words.next().unwrap());
        check.args(words.map(|word| word.replace("8080", &port.to_string())));
        check.output().await.unwrap().status.success()
    };
    let server = TestServer::start().await;
    let port = server.address.port();
    assert!(healthy(port).await);
    server.stop().await;
    assert!(!healthy(port).await);
}

#[test]
fn the_image_is_built_from_what_is_sent_to_the_engine_and_runs_as_nobody_special() {
    let ignored = read(".dockerignore");
    let sent: BTreeSet<&str> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    for needed in ["Cargo.toml", "Cargo.lock", ".cargo", "engine", "server", "tests", "migrations"] {
        assert!(sent.contains(needed), "{needed} is not sent to the engine");
    }
    for name in &sent {
        assert!(root().join(name).exists(), ".dockerignore names {name}");
    }
    let dockerfile = read("Dockerfile");
    assert!(dockerfile.contains("--bin stakeboard-server") && dockerfile.contains("\nUSER stakeboard\n"));
    assert_eq!(instruction("CMD"), ["stakeboard-server"]);
}

#[test]
#[ignore = "needs systemd"]
fn systemd_takes_the_unit_and_finds_it_shut_in() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("stakeboard.service");
    // The program is not installed on the machine that tests.
    let text = read("deploy/systemd/stakeboard.service").replace("/usr/local/bin/stakeboard-server", crate::SERVER);
    fs::write(&file, text).unwrap();
    let analyze = |arguments: &[&str]| {
        let output = Command::new("systemd-analyze").args(arguments).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    // It warns of directives that it does not know and still succeeds.
    assert_eq!(analyze(&["verify", "--man=no"]), "");
    // Of 10.0, where everything is in reach; without its own lines the unit has 9.
    println!("{}", analyze(&["security", "--offline=yes", "--threshold=20"]).lines().last().unwrap());
}
