//! Logs, traces and metrics.

mod metrics;
mod traces;

use std::io::IsTerminal as _;

use tracing_subscriber::{
    EnvFilter, Layer as _,
    filter::{FilterExt as _, LevelFilter, Targets, dynamic_filter_fn},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

pub use metrics::{Metrics, keep_adding_up, start_metrics};
pub use traces::Traces;

use crate::config::LogFormat;

/// The target of this server's own lines and spans.
const OURS: &str = "stakeboard_server";
/// That of the library behind the bus, which tells of each try to come back. The bus tells of them itself, once.
const BUS: &str = "async_nats";

/// Starts logging to standard error, and traces where there is an endpoint for them. Once a process, and before its
/// runtime: what sends the traces has a thread of its own.
pub fn start_logging(filter: &str, format: LogFormat, endpoint: Option<&str>) -> anyhow::Result<Traces> {
    let filter =
        EnvFilter::try_new(filter).map_err(|error| anyhow::anyhow!("STAKEBOARD_LOG can't be understood: {error}"))?;
    // Whatever is asked for: on their lowest level libraries write down what comes over the line, tokens and all.
    let levels = Targets::new().with_default(LevelFilter::DEBUG).with_target(OURS, LevelFilter::TRACE);
    let filter = filter.and(levels.with_target(BUS, LevelFilter::OFF));
    // Asked for each line: where a library only asks whether a line of its own would be written, an answer that is kept for
    // good would be taken for that of the next line, which may be ours.
    let filter = filter.and(dynamic_filter_fn(|_, _| true));
    let (traces, spans) = traces::start(endpoint)?;
    // Colours only where a person looks at them.
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours);
    let lines = match format {
        LogFormat::Text => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
    };
    let layers: Vec<_> = [Some(lines), spans].into_iter().flatten().collect();
    tracing_subscriber::registry().with(layers).try_init()?;
    Ok(traces)
}
