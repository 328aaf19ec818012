//! Traces: what a request or an act of a match took, and where, sent to an OpenTelemetry collector.

use anyhow::Context as _;
use opentelemetry::{KeyValue, trace::TracerProvider as _};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, Targets},
};

/// The service that the traces are of.
const SERVICE: &str = "stakeboard-server";

/// What turns spans into traces.
type Spans = Box<dyn Layer<Registry> + Send + Sync>;

/// The traces of this process; those that were not sent yet go when it is told to finish.
#[derive(Debug)]
pub struct Traces(Option<SdkTracerProvider>);

impl Traces {
    /// Sends what there is and ends.
    pub fn finish(self) {
        if let Some(provider) = self.0
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

/// Nothing, where there is no endpoint: then spans cost next to nothing.
pub fn start(endpoint: Option<&str>) -> anyhow::Result<(Traces, Option<Spans>)> {
    let Some(endpoint) = endpoint else { return Ok((Traces(None), None)) };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()
        .context("STAKEBOARD_OTLP_ENDPOINT can't be used")?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(SERVICE).with_attribute(version).build();
    let provider = SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
    // Whatever the log leaves out: a trace is asked for to see what takes time.
    let ours = Targets::new().with_target(super::OURS, LevelFilter::DEBUG);
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer(SERVICE)).with_filter(ours);
    Ok((Traces(Some(provider)), Some(spans.boxed())))
}
