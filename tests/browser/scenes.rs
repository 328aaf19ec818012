//! The scripts, each as a sentence about the page.

use crate::stage::play;

/// A test for each script, of the script's name.
macro_rules! scenes {
    ($($(#[$doc:meta])* $name:ident = $script:literal;)*) => {$(
        $(#[$doc])*
        #[ignore = "needs Chromium and Node.js"]
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            play($script, &[]).await;
        }
    )*};
}

scenes! {
    money_goes_in_and_out_once_an_act_and_the_lines_add_up_to_the_balance = "wallet";
    limits_fall_at_once_and_rise_after_a_day_and_a_break_is_three_steps_away = "limits";
    the_staff_acts_by_role_and_each_act_leaves_its_reason = "staff";
    an_administrator_voids_a_match_and_both_pages_say_so = "void";
    every_screen_is_accessible_in_light_and_dark_and_both_languages = "screens";
}
