//! Configurations without a choice: a table of parameters.

use super::{Described, Parameter, Settings};

/// A configuration that files write as one table of its parameters, without a choice of a name.
pub trait Table: Settings + Described<Config = Self> {
    /// The parameters that can be set.
    const PARAMETERS: &'static [Parameter];
    /// Names of the parameters, in the order of [`PARAMETERS`](Self::PARAMETERS).
    const KEYS: &'static [&'static str];
}

/// Implements [`Table`] for configurations that are [`Described`] by themselves.
macro_rules! table {
    ($( $config:ident ),+) => { $(
        impl $crate::parameter::Settings for $config {
            fn get(&self, parameter: usize) -> Option<$crate::parameter::Value> {
                <Self as $crate::parameter::Described>::FIELDS.get(parameter)?.get(self)
            }

            fn set(
                &mut self,
                parameter: usize,
                value: $crate::parameter::Value,
            ) -> Result<(), $crate::parameter::Refusal> {
                match <Self as $crate::parameter::Described>::FIELDS.get(parameter) {
                    Some(field) => field.set(self, value),
                    None => Err($crate::parameter::Refusal::KIND),
                }
            }

            fn check(&self) -> Result<(), $crate::parameter::Refusal> {
                <Self as $crate::parameter::Described>::check(self)
            }
        }

        impl $crate::parameter::Table for $config {
            const PARAMETERS: &'static [$crate::parameter::Parameter] = &{
                const N: usize = <$config as $crate::parameter::Described>::FIELDS.len();
                $crate::parameter::family::parameters::<_, N>(
                    <$config as $crate::parameter::Described>::FIELDS,
                )
            };
            const KEYS: &'static [&'static str] = &{
                const N: usize = <$config as $crate::parameter::Described>::FIELDS.len();
                $crate::parameter::family::keys::<N>(Self::PARAMETERS)
            };
        }
    )+ };
}
pub(crate) use table;

/// Names that files may write in the place of a configuration's table: "none" to leave it out, and presets.
pub trait Presets: Sized + 'static {
    /// Meaning of "none", by which the configuration is left out.
    const NONE: &'static str;
    /// Name, meaning and configuration of each preset.
    const PRESETS: &'static [(&'static str, &'static str, Self)] = &[];
}

/// A configuration that files may leave out by "none", or choose by the name of a preset.
pub trait Optional: Table + Presets {
    /// "none", and the names of the presets.
    const NAMES: &'static [&'static str];
}

/// "none", and the names of presets.
pub(crate) const fn names<C, const N: usize>(
    presets: &[(&'static str, &'static str, C)],
) -> [&'static str; N] {
    let mut all = ["none"; N];
    let mut i = 1;
    while i < N {
        all[i] = presets[i - 1].0;
        i += 1;
    }
    all
}

/// Implements [`Optional`] for tables that have [`Presets`].
macro_rules! optional {
    ($( $config:ident ),+) => { $(
        impl $crate::parameter::Optional for $config {
            const NAMES: &'static [&'static str] = &{
                const N: usize = 1 + <$config as $crate::parameter::Presets>::PRESETS.len();
                $crate::parameter::table::names::<_, N>(
                    <$config as $crate::parameter::Presets>::PRESETS,
                )
            };
        }
    )+ };
}
pub(crate) use optional;
