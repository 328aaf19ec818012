//! Query parameters where none can be given: refused by name, so that a typo never becomes a silent default.
//!
//! Handlers that take parameters read them with [`Params`](super::extract::Params), which knows them; which handlers
//! those are is what the `OpenAPI` document says.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{MatchedPath, Request, State},
    http::Method,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use utoipa::openapi::{
    OpenApi, RefOr,
    path::{Parameter, ParameterIn},
};

use crate::{http::problem::Problem, i18n::FieldRule};

/// Every route, and whether it takes query parameters.
pub type Documented = HashMap<(Method, String), bool>;

/// Reads them from the document.
pub fn documented(document: &OpenApi) -> Documented {
    let mut documented = Documented::new();
    for (path, item) in &document.paths.paths {
        let operations = [
            (Method::GET, &item.get),
            (Method::POST, &item.post),
            (Method::PUT, &item.put),
            (Method::PATCH, &item.patch),
            (Method::DELETE, &item.delete),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            let is_query = |parameter: &RefOr<Parameter>| match parameter {
                RefOr::T(parameter) => parameter.parameter_in == ParameterIn::Query,
                RefOr::Ref(_) => false,
            };
            let takes_any = operation.parameters.iter().flatten().any(is_query);
            documented.insert((method, path.clone()), takes_any);
        }
    }
    documented
}

/// Middleware: refuses the first parameter of a request that takes none. What probes ask of the paths outside `/v1`
/// is left alone, and a method that a path does not have is refused as that.
pub async fn refuse_unknown(State(documented): State<Arc<Documented>>, request: Request, next: Next) -> Response {
    let given = request.uri().query().unwrap_or_default();
    let first = form_urlencoded::parse(given.as_bytes()).next();
    if let Some((name, _)) = first
        && let Some(path) = request.extensions().get::<MatchedPath>()
        && path.as_str().starts_with("/v1/")
        && documented.get(&(as_documented(request.method()), path.as_str().to_owned())) == Some(&false)
    {
        return Problem::field(name, FieldRule::Unknown).into_response();
    }
    next.run(request).await
}

/// HEAD is answered as GET without the body.
fn as_documented(method: &Method) -> Method {
    if method == Method::HEAD { Method::GET } else { method.clone() }
}
