//! Values of which one is chosen by its name alone.

/// Enum whose values scenario files choose by name, implemented by `names!`.
/// Entries of `ALL`, `NAMES` and `ABOUT` with the same index belong to one value.
pub trait Named: Copy + 'static {
    /// Name of the type.
    const NAME: &'static str;
    /// Meaning, in a sentence.
    const SUMMARY: &'static str;
    /// Values.
    const ALL: &'static [Self];
    /// Names of the values in scenario files.
    const NAMES: &'static [&'static str];
    /// Meanings of the values, each in a sentence.
    const ABOUT: &'static [&'static str];
}

/// Declares an enum whose values have names in scenario files, and implements [`Named`] for it, and
/// [`Stored`](crate::parameter::Stored) for parameters of it. Its comments are what
/// users read.
///
/// ```text
/// names! {
///     /// How a connection begins.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Handshake {
///         /// Both ends are connected from the start.
///         None = "none",
///         /// SYN, SYN-ACK, ACK.
///         ThreeWay = "three-way" default,
///     }
/// }
/// ```
macro_rules! names {
    (
        $(#[doc = $summary:literal])+
        #[derive($($derived:ident),+)]
        $vis:vis enum $choice:ident {
            $(
                $(#[doc = $about:literal])+
                $value:ident = $written:literal $($default:ident)?,
            )+
        }
    ) => {
        $(#[doc = $summary])+
        #[derive($($derived),+)]
        $vis enum $choice {
            $(
                $(#[doc = $about])+
                $(#[$default])?
                $value,
            )+
        }

        impl $crate::parameter::Named for $choice {
            const NAME: &'static str = stringify!($choice);
            const SUMMARY: &'static str = concat!($($summary),+).trim_ascii();
            const ALL: &'static [Self] = &[ $( Self::$value, )+ ];
            const NAMES: &'static [&'static str] = &[ $( $written, )+ ];
            const ABOUT: &'static [&'static str] = &[ $( concat!($($about),+).trim_ascii(), )+ ];
        }

        impl $crate::parameter::Stored for $choice {
            fn value(&self) -> Option<$crate::parameter::Value> {
                let place = <Self as $crate::parameter::Named>::ALL.iter().position(|one| one == self);
                place.map($crate::parameter::Value::Choice)
            }

            fn put(
                &mut self,
                value: $crate::parameter::Value,
            ) -> Result<(), $crate::parameter::Refusal> {
                let $crate::parameter::Value::Choice(place) = value else {
                    return Err($crate::parameter::Refusal::KIND);
                };
                let all = <Self as $crate::parameter::Named>::ALL;
                *self = *all.get(place).ok_or($crate::parameter::Refusal::KIND)?;
                Ok(())
            }
        }
    };
}
pub(crate) use names;
