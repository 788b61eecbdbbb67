//! Why the kernel does not let an ordinary user make namespaces.

use std::fs;
use std::io;

use crate::system::is_root;

/// The reason and what can be done, for an error of making a user namespace or of using it.
pub(super) fn reason(error: &io::Error) -> String {
    of_settings(error, is_root(), |name| {
        fs::read_to_string(format!("/proc/sys/{name}")).ok()
    })
}

/// The reason and what can be done, by the kernel's settings; root is not told to be root.
fn of_settings(
    error: &io::Error,
    is_root: bool,
    setting: impl Fn(&str) -> Option<String>,
) -> String {
    let is = |name: &str, value: &str| setting(name).is_some_and(|text| text.trim() == value);
    let remedy = if is("user/max_user_namespaces", "0") {
        "this system has no user namespaces for ordinary users (user.max_user_namespaces is 0): \
         AS ROOT OR allow them with sudo sysctl user.max_user_namespaces=10000"
    } else if is("kernel/unprivileged_userns_clone", "0") {
        "this system has no user namespaces for ordinary users (kernel.unprivileged_userns_clone is 0): \
         AS ROOT OR allow them with sudo sysctl kernel.unprivileged_userns_clone=1"
    } else if is("kernel/apparmor_restrict_unprivileged_userns", "1") {
        "AppArmor keeps ordinary users from user namespaces \
         (kernel.apparmor_restrict_unprivileged_userns is 1): AS ROOT OR give this program an \
         AppArmor profile with `userns,`, or allow them to all with \
         sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    } else {
        "the kernel refuses user namespaces, or a container's seccomp filter does: AS ROOT OR run it \
         in a container that allows them"
    };
    let as_root = if is_root { "" } else { "run it as root, or " };
    format!("{error}; {}", remedy.replace("AS ROOT OR ", as_root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_that_forbids_namespaces_is_named() {
        let names = [
            "user/max_user_namespaces",
            "kernel/unprivileged_userns_clone",
            "kernel/apparmor_restrict_unprivileged_userns",
        ];
        for forbidding in names {
            let setting = |name: &str| {
                // AppArmor's is a prohibition, the others are permissions.
                let forbids = name == forbidding;
                let is_one = forbids == name.contains("apparmor");
                Some(format!("{}\n", u8::from(is_one)))
            };
            let error = io::Error::from(io::ErrorKind::PermissionDenied);
            for is_root in [false, true] {
                let told = of_settings(&error, is_root, setting);
                assert!(told.contains(&forbidding.replace('/', ".")), "{told}");
                assert!(told.contains("sysctl"), "{told}");
                assert_eq!(told.contains("as root"), !is_root, "{told}");
            }
        }
        for is_root in [false, true] {
            let told = of_settings(&io::ErrorKind::PermissionDenied.into(), is_root, |_| None);
            assert!(told.contains("seccomp"), "{told}");
            assert_eq!(told.contains("as root"), !is_root, "{told}");
        }
    }
}
