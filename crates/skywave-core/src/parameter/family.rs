//! Models of which one is chosen by its name.

use super::{Field, Parameter, Refusal, Value};

/// Settings of a model, with their defaults and parameters; `()` where there is nothing to configure. A model whose
/// settings are one `u32` or `f64` states `DEFAULT` and `FIELDS` in its [`Described`] instead.
pub trait Configuration: Clone + 'static {
    /// Values where a file gives none.
    const DEFAULT: Self;
    /// Parameters one by one. They are set in this order.
    const FIELDS: &'static [Field<Self>] = &[];
}

impl Configuration for () {
    const DEFAULT: Self = ();
}

impl Configuration for u32 {
    const DEFAULT: Self = 0;
}

impl Configuration for f64 {
    const DEFAULT: Self = 0.0;
}

/// Description of a model or a configuration: its name, meaning, source and parameters ([module](super)).
pub trait Described {
    /// Type of the settings; `()` for none.
    type Config: Configuration;
    /// Name in scenario files and results.
    const NAME: &'static str;
    /// Meaning, in a sentence.
    const SUMMARY: &'static str;
    /// Where the model was published; empty for nowhere.
    const SOURCE: &'static str = "";
    /// Settings where a file gives none.
    const DEFAULT: Self::Config = <Self::Config as Configuration>::DEFAULT;
    /// The parameters one by one. They are set in this order.
    const FIELDS: &'static [Field<Self::Config>] = <Self::Config as Configuration>::FIELDS;

    /// Checks that the values agree with each other, and refuses them otherwise.
    fn check(_config: &Self::Config) -> Result<(), Refusal> {
        Ok(())
    }
}

/// A configuration whose parameters a program can read and set by their index in the description, without knowing the
/// type.
pub trait Settings: Clone + PartialEq + std::fmt::Debug + 'static {
    /// The value of a parameter; `None` where it has none.
    fn get(&self, parameter: usize) -> Option<Value>;

    /// Sets a parameter. Parameters are set in the order of the description.
    fn set(&mut self, parameter: usize, value: Value) -> Result<(), Refusal>;

    /// Checks that the values agree with each other, once all are set, and refuses them otherwise.
    fn check(&self) -> Result<(), Refusal>;
}

/// Description of a built-in model, such as a loss model or a policy of the TCP sender, as files and the
/// reference know it.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Name of the model's family ("channel"), or of the kind of TCP policies to which it belongs ("congestion").
    pub slot: &'static str,
    /// Name in scenario files.
    pub name: &'static str,
    /// Meaning, in a sentence.
    pub summary: &'static str,
    /// Where the model was published; empty for nowhere.
    pub source: &'static str,
    /// The parameters that can be set.
    pub parameters: &'static [Parameter],
    /// Names of the parameters, in the order of [`Self::parameters`].
    pub keys: &'static [&'static str],
}

impl Member {
    /// Whether the member's name is enough: no parameter has to be given.
    pub fn needs_nothing(&self) -> bool {
        !self.parameters.iter().any(Parameter::is_needed)
    }
}

/// Configuration of any model of a family, such as the loss models, of which files choose one by its name.
pub trait Family: Settings {
    /// Name of the family.
    const NAME: &'static str;
    /// Meaning of its members, in a sentence.
    const SUMMARY: &'static str;
    /// Whether a user's own members may be chosen as well.
    const OPEN: bool = false;
    /// Whether the reference has a section for each member with several parameters, instead of one table for all.
    const SECTIONS: bool = false;
    /// The built-in members.
    const MEMBERS: &'static [Member];
    /// Names of the built-in members, in the order of [`MEMBERS`](Self::MEMBERS).
    const NAMES: &'static [&'static str];

    /// Each member with its default parameters, in the order of [`MEMBERS`](Self::MEMBERS).
    fn defaults() -> Vec<Self>;
}

/// The description of parameters that others see.
pub(crate) const fn parameters<C, const N: usize>(fields: &[Field<C>]) -> [Parameter; N] {
    let mut all = [Parameter::new(super::Kind::Flag, "", ""); N];
    let mut i = 0;
    while i < N {
        all[i] = fields[i].parameter;
        i += 1;
    }
    all
}

/// The names of parameters.
pub(crate) const fn keys<const N: usize>(parameters: &[Parameter]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut i = 0;
    while i < N {
        all[i] = parameters[i].name;
        i += 1;
    }
    all
}

/// Declares the configuration of a family out of the list of its members, and implements [`Family`] for it.
///
/// ```text
/// family! {
///     "channel": "A model of channel losses.";
///     open: false; sections: true;
///     pub enum LossConfig;
///     Iid(config): Iid,       // a member with parameters, whose description is that of the type `Iid`
///     Never: Never,           // a member without
///     + Custom(OwnConfig)     // a user's own, where the family takes them
/// }
/// ```
macro_rules! family {
    (
        $name:expr => $summary:literal;
        open: $open:expr; sections: $sections:literal;
        $(#[$meta:meta])*
        $vis:vis enum $config:ident;
        $( $variant:ident $( ( $with:ident ) )? : $member:ident, )+
        $( + $own:ident ( $own_config:ty ) )?
    ) => {
        $(#[$meta])*
        $vis enum $config {
            $(
                #[doc = concat!("[`", stringify!($member), "`].")]
                $variant $( ( $crate::parameter::family!(@config $member $with) ) )?,
            )+
            $(
                /// A user's own.
                $own($own_config),
            )?
        }

        impl $crate::parameter::Settings for $config {
            fn get(&self, parameter: usize) -> Option<$crate::parameter::Value> {
                match self {
                    $(
                        Self::$variant $( ($with) )? => {
                            let fields = <$member as $crate::parameter::Described>::FIELDS;
                            let config = $crate::parameter::family!(@or_none [&] $($with)?);
                            fields.get(parameter)?.get(config)
                        }
                    )+
                    $( Self::$own(_) => None, )?
                }
            }

            fn set(
                &mut self,
                parameter: usize,
                value: $crate::parameter::Value,
            ) -> Result<(), $crate::parameter::Refusal> {
                let field = match self {
                    $(
                        Self::$variant $( ($with) )? => {
                            let fields = <$member as $crate::parameter::Described>::FIELDS;
                            let config = $crate::parameter::family!(@or_none [&mut] $($with)?);
                            fields.get(parameter).map(|field| field.set(config, value))
                        }
                    )+
                    $( Self::$own(_) => None, )?
                };
                field.unwrap_or(Err($crate::parameter::Refusal::KIND))
            }

            fn check(&self) -> Result<(), $crate::parameter::Refusal> {
                match self {
                    $(
                        Self::$variant $( ($with) )? => {
                            <$member as $crate::parameter::Described>::check(
                                $crate::parameter::family!(@or_none [&] $($with)?),
                            )
                        }
                    )+
                    $( Self::$own(_) => Ok(()), )?
                }
            }
        }

        impl $crate::parameter::Family for $config {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const OPEN: bool = $open;
            const SECTIONS: bool = $sections;
            const MEMBERS: &'static [$crate::parameter::Member] = &[ $( {
                use $crate::parameter::{Described, Member, Parameter, family};
                const N: usize = <$member as Described>::FIELDS.len();
                const PARAMETERS: [Parameter; N] =
                    family::parameters(<$member as Described>::FIELDS);
                const KEYS: [&str; N] = family::keys(&PARAMETERS);
                Member {
                    slot: $name,
                    name: <$member as Described>::NAME,
                    summary: <$member as Described>::SUMMARY,
                    source: <$member as Described>::SOURCE,
                    parameters: &PARAMETERS,
                    keys: &KEYS,
                }
            }, )+ ];
            const NAMES: &'static [&'static str] =
                &[ $( <$member as $crate::parameter::Described>::NAME, )+ ];

            fn defaults() -> Vec<Self> {
                vec![ $(
                    Self::$variant $( ( $crate::parameter::family!(@default $member $with) ) )?,
                )+ ]
            }
        }
    };

    (@config $member:ident $with:ident) => { <$member as $crate::parameter::Described>::Config };
    (@default $member:ident $with:ident) => { <$member as $crate::parameter::Described>::DEFAULT };
    (@or_none [$($by:tt)+] $with:ident) => { $with };
    (@or_none [$($by:tt)+]) => { $($by)+ () };
}
pub(crate) use family;
