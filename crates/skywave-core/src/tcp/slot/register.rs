//! `slot!`: a slot out of the list of its members.
//!
//! ```text
//! slot! {
//!     [$] congestion: "How the window grows and shrinks.";
//!     labels_given: true;
//!     facts: Law;
//!     pub enum CongestionConfig;              // the members with their parameters
//!     pub enum Congestion;                    // one of them in a connection
//!     Reno: reno::Reno,                       // a member without parameters, in the file reno.rs
//!     Cerl(config): cerl::Cerl,               // a member with parameters
//!     + Custom(own, tcp): CustomCongestion => Built<…>  // a user's own, where the slot takes them
//! }
//! ```
//!
//! It declares the two enums (the first by `family!`), re-exports what the members' files have, implements
//! [`Slot`] for the first one and `build` for the second one, and leaves four macros to the file:
//! - `each!(self, m => m.on_ack(…))` calls the member, statically dispatched;
//! - `any!(self, Borrow::borrow, own => &**own)` is the member as a trait object, for what is asked seldom;
//! - `fact!(self, GUARDS_REPEATS, false)` is the constant of that name that the member states in the
//!   trait `facts`; the last argument stands for a user's own members;
//! - `of_config!(self, indicator, None)` is the same for a function of the member's parameters.
//!
//! (`[$]` is there because a macro cannot write a `$` of its own accord.)
//!
//! [`Slot`]: super::Slot

macro_rules! slot {
    (
        [$d:tt] $slot:ident: $summary:literal;
        labels_given: $labels_given:literal;
        facts: $facts:path;
        $(#[$config_meta:meta])*
        $config_vis:vis enum $config:ident;
        $(#[$state_meta:meta])*
        $state_vis:vis enum $state:ident;
        $( $variant:ident $( ( $with:ident ) )? : $module:ident :: $member:ident, )+
        $( + $own:ident ( $own_member:ident, $tcp:ident ) : $own_config:ty => $own_state:ty )?
    ) => {
        $( pub use $module::*; )+

        $crate::parameter::family! {
            stringify!($slot) => $summary;
            open: false $( || $crate::tcp::slot::register::slot!(@true $own) )?; sections: false;
            $(#[$config_meta])*
            $config_vis enum $config;
            $( $variant $( ( $with ) )? : $member, )+
            $( + $own($own_config) )?
        }

        $(#[$state_meta])*
        $state_vis enum $state {
            $(
                #[doc = concat!("[`", stringify!($member), "`].")]
                $variant(<$member as $crate::tcp::slot::BuiltIn>::State),
            )+
            $(
                /// A user's own.
                $own($own_state),
            )?
        }

        impl $state {
            /// A fresh member for a connection.
            pub(in crate::tcp) fn build(
                config: &$config,
                setup: &$crate::tcp::slot::Setup
                $(, $tcp: &$crate::tcp::config::TcpConfig)?
            ) -> Self {
                match config {
                    $(
                        $config::$variant $( ($with) )? => Self::$variant(
                            <$member as $crate::tcp::slot::BuiltIn>::build(
                                $crate::tcp::slot::register::slot!(@or_none [&] $($with)?),
                                setup,
                            ),
                        ),
                    )+
                    $( $config::$own($own_member) => Self::$own($own_member.build($tcp)), )?
                }
            }
        }

        impl $crate::tcp::slot::Slot for $config {
            const LABELS_GIVEN: bool = $labels_given;

            fn presets() -> Vec<$crate::tcp::slot::OwnPreset<Self>> {
                let mut all = Vec::new();
                $(
                    for preset in <$member as $crate::tcp::slot::BuiltIn>::PRESETS {
                        let config =
                            Self::$variant $( ( $crate::tcp::slot::register::slot!(@of preset $with) ) )?;
                        all.push(preset.around(config));
                    }
                )+
                all
            }
        }

        macro_rules! each {
            ($d this:expr, $d member:ident => $d call:expr) => {
                match $d this {
                    $( $state::$variant($d member) => $d call, )+
                    $( $state::$own($d member) => $d call, )?
                }
            };
        }

        #[allow(unused_macros)]
        macro_rules! any {
            ($d this:expr, $d borrow:ident :: $d method:ident $(, $d $own_member:ident => $d call:expr )?) => {
                match $d this {
                    $( $state::$variant(m) => std::borrow::$d borrow::<$member>::$d method(m), )+
                    $( $state::$own($d $own_member) => $d call, )?
                }
            };
        }

        #[allow(unused_macros)]
        macro_rules! fact {
            ($d this:expr, $d fact:ident $(, $d $own_member:expr )?) => {
                match $d this {
                    $( Self::$variant { .. } => <$member as $facts>::$d fact, )+
                    $( Self::$own(_) => $d $own_member, )?
                }
            };
        }

        #[allow(unused_macros)]
        macro_rules! of_config {
            ($d this:expr, $d fact:ident $(, $d $own_member:expr )?) => {
                match $d this {
                    $(
                        Self::$variant $( ($with) )? => <$member as $facts>::$d fact(
                            $crate::tcp::slot::register::slot!(@or_none [&] $($with)?),
                        ),
                    )+
                    $( Self::$own(_) => $d $own_member, )?
                }
            };
        }
    };

    (@of $preset:ident $with:ident) => { $preset.config.clone() };
    (@or_none [$($by:tt)+] $with:ident) => { $with };
    (@or_none [$($by:tt)+]) => { $($by)+ () };
    (@true $any:ident) => { true };
}
pub(in crate::tcp) use slot;
