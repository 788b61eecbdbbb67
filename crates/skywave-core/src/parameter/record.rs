//! Configurations whose fields are parameters.

/// Declares a configuration once: each field with its meaning, its type, its default, and its
/// [`Kind`](crate::parameter::Kind), with what a [`Field`](crate::parameter::Field) may have beside that. Its
/// `DEFAULT` and `FIELDS` are those of a description ([`Described`](crate::parameter::Described)).
///
/// ```text
/// parameters! {
///     /// A lamp.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub struct Lamp {
///         /// Share of the full power.
///         power: f64 = 0.5, Probability;
///         // Why so: in a comment, which users do not see.
///         /// Time until it is off.
///         off: Option<Duration> = None, Period.or("as long as it is on");
///     }
///     /// Fields that are no parameters come last, and have no kind.
///     +
///     colour: Colour = Colour::Red;
/// }
/// ```
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $config:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr, $kind:ident $( .$how:ident($($with:expr),*) )*;
            )+
            $(
                +
                $(#[doc = $about:literal])+
                $other:ident: $other_type:ty = $other_default:expr;
            )*
        }
    ) => {
        $(#[$meta])*
        $vis struct $config {
            $(
                $(#[doc = $doc])+
                pub $field: $type,
            )+
            $(
                $(#[doc = $about])+
                pub $other: $other_type,
            )*
        }

        impl $config {
            /// The values that files and programs start from.
            pub const DEFAULT: Self = Self {
                $( $field: $default, )+
                $( $other: $other_default, )*
            };

            pub(crate) const FIELDS: &'static [$crate::parameter::Field<Self>] = &[ $(
                $crate::parameter::Field::new(
                    $crate::parameter::Kind::$kind,
                    stringify!($field),
                    $crate::parameter::record::sentence(concat!($($doc),+)),
                    |config: &mut Self| &mut config.$field,
                ) $( .$how($($with),*) )*,
            )+ ];
        }

        impl Default for $config {
            fn default() -> Self {
                Self::DEFAULT
            }
        }
    };
}
pub(crate) use parameters;

/// The text of a comment, whose lines begin with a space, without its full stop.
pub(crate) const fn sentence(comment: &'static str) -> &'static str {
    match comment.trim_ascii().as_bytes() {
        [text @ .., b'.'] => match str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => comment,
        },
        _ => comment.trim_ascii(),
    }
}
