//! Why a transformation gives no result.

use elinvar_ir::StopReason;

/// Why a problem could not be transformed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TransformError {
    /// The result would be larger than the engines can represent.
    #[error("{0}")]
    TooLarge(String),
    /// A limit was exceeded before the result was complete.
    #[error("{0}")]
    Stopped(StopReason),
    /// The property with this name is not a safety property.
    #[error("property {0} is not a safety property; only safety is decided")]
    NotSafety(String),
}
