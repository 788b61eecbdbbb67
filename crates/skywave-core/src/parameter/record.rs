//! Configurations whose fields are parameters.

/// Declares a configuration once: each field with its meaning, its type, its default, and its
/// [`Kind`](crate::parameter::Kind), with what a [`Field`](crate::parameter::Field) may have beside that. Plain
/// comments are for programmers alone. The configuration has its `DEFAULT` and its `FIELDS`, for a description
/// ([`Described`](crate::parameter::Described)); with `as` it is described by itself, as a table whose summary is
/// its comment, and whose values `check` checks, if named. A field that is written in another form than it is kept
/// has a [`Field`](crate::parameter::Field) in braces in place of a kind, and one that several parameters are about is
/// no parameter itself: these are in `also`.
///
/// ```text
/// parameters! {
///     /// A lamp.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub struct Lamp as "lamp" check Lamp::is_sound {
///         /// Share of the full power.
///         // As that of the lamps on the market.
///         power: f64 = 0.5, Probability;
///         /// Time until it is off.
///         off: Option<Duration> = None, Period.or("as long as it is on");
///         /// Ways to hang it up.
///         hook: Hook = Hook::DEFAULT, Table<Hook>.or("all of its defaults");
///         +
///         /// No parameter.
///         colour: Colour = Colour::Red;
///         also {
///             Field::by(Kind::Flag, "red", "A red light", Self::is_red, Self::set_red),
///         }
///     }
/// }
/// ```
macro_rules! parameters {
    (
        $(#[doc = $summary:literal])+
        #[derive($($derived:ident),+)]
        $vis:vis struct $config:ident as $name:literal $(check $check:path)? { $($fields:tt)* }
    ) => {
        $crate::parameter::parameters! {
            $(#[doc = $summary])+
            #[derive($($derived),+)]
            $vis struct $config { $($fields)* }
        }

        impl $crate::parameter::Described for $config {
            type Config = Self;
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = concat!($($summary),+).trim_ascii();
            $(
                fn check(config: &Self) -> Result<(), $crate::parameter::Refusal> {
                    $check(config)
                }
            )?
        }

        $crate::parameter::table!($config);
    };

    (
        $(#[$meta:meta])*
        $vis:vis struct $config:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr,
                $kind:tt $(<$table:ty>)? $( .$how:ident($($with:expr),*) )*;
            )+
            $(
                +
                $(#[doc = $about:literal])+
                $other:ident: $other_type:ty = $other_default:expr;
            )*
            $( also { $($more:expr),+ $(,)? } )?
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
            /// Values that files and programs start from.
            $vis const DEFAULT: Self = Self {
                $( $field: $default, )+
                $( $other: $other_default, )*
            };
        }

        impl $crate::parameter::Configuration for $config {
            const DEFAULT: Self = Self::DEFAULT;
            const FIELDS: &'static [$crate::parameter::Field<Self>] = &[ $(
                $crate::parameter::parameters!(@field $kind $($table)?, $field, $($doc),+)
                    $( .$how($($with),*) )*,
            )+ $($($more),+)? ];
        }

        impl Default for $config {
            fn default() -> Self {
                Self::DEFAULT
            }
        }
    };

    (@field { $own:expr }, $($rest:tt)*) => { $own };
    (@field $kind:ident $($table:ty)?, $field:ident, $($doc:literal),+) => {
        $crate::parameter::Field::new(
            $crate::parameter::parameters!(@kind $kind $($table)?),
            stringify!($field),
            $crate::parameter::record::sentence(concat!($($doc),+)),
            |config: &mut Self| &mut config.$field,
        )
    };
    (@kind Table $table:ty) => {
        $crate::parameter::Kind::Table(
            <$table as $crate::parameter::Table>::PARAMETERS,
            <$table as $crate::parameter::Table>::KEYS,
        )
    };
    (@kind OneOf $names:ty) => {
        $crate::parameter::Kind::OneOf(<$names as $crate::parameter::Named>::NAMES)
    };
    (@kind $kind:ident) => { $crate::parameter::Kind::$kind };
}
pub(crate) use parameters;

/// Text of a comment, whose lines begin with a space, without its full stop.
pub(crate) const fn sentence(comment: &'static str) -> &'static str {
    match comment.trim_ascii().as_bytes() {
        [text @ .., b'.'] => match str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => comment,
        },
        _ => comment.trim_ascii(),
    }
}
