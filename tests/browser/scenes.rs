//! The scripts, each as a sentence about the page.

use crate::stage::{play, play_with_a_database_that_hangs, play_with_a_server_that_dies};

/// A test for each script, of the script's name.
macro_rules! scenes {
    ($($name:ident = $script:literal;)*) => {$(
        #[ignore = "needs Chromium and Node.js"]
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            play($script, &[]).await;
        }
    )*};
}

scenes! {
    a_move_is_touched_confirmed_refused_in_words_and_looked_back_at = "touches";
    morris_marks_mills_and_what_can_be_taken_and_every_move_can_be_dragged = "mills";
    a_guest_practises_every_ruleset_from_either_side_and_by_text = "rulesets";
    a_run_warns_of_a_risky_move_and_shows_afterwards_where_a_draw_was_given_away = "run";
    a_cut_line_is_said_at_once_and_no_move_is_played_twice = "line";
    sowing_is_seen_seed_by_seed_and_delays_nobody = "sowing";
    two_people_sign_up_deposit_meet_play_oware_by_touches_and_once_more = "oware";
    morris_is_played_by_touches_with_mills_and_removals_and_drawn_by_agreement = "morris";
    a_guest_takes_the_free_seat_at_a_table_of_wari_by_its_link = "table";
    practice_in_every_game_gives_hints_and_takes_moves_back = "practice";
    seeks_come_and_go_and_a_yes_has_two_steps_and_one_effect = "lobby";
    two_who_leave_it_to_the_service_are_paired_and_brought_to_the_board = "queue";
    a_guest_becomes_an_account_and_every_tab_knows_who_is_signed_in = "session";
    a_dead_line_or_a_busy_service_is_said_in_words_and_got_over = "outage";
    every_stop_of_the_focus_is_seen_and_reading_goes_on_where_one_arrives = "focus";
    a_staked_match_from_sign_in_to_result_by_keys_alone = "keyboard";
    a_reload_a_lost_line_and_another_tab_lose_nothing = "trouble";
    only_one_tab_sounds_and_none_before_a_touch_or_once_muted = "sounds";
    time_that_passes_is_said_and_a_machine_that_slept_catches_up = "sitting";
    a_phone_in_portuguese_plays_a_staked_match_with_confirmed_moves = "phone";
    money_goes_in_and_out_once_an_act_and_the_lines_add_up_to_the_balance = "wallet";
    limits_fall_at_once_and_rise_after_a_day_and_a_break_is_three_steps_away = "limits";
    a_password_is_changed_and_a_lost_one_replaced_by_one_for_a_single_sign_in = "password";
    the_staff_acts_by_role_and_each_act_leaves_its_reason = "staff";
    an_administrator_voids_a_match_and_both_pages_say_so = "void";
    a_first_visit_weighs_less_than_100_kilobytes_and_brings_a_board_on_a_slow_line = "cold";
    every_screen_is_accessible_in_light_and_dark_and_both_languages = "screens";
}

#[ignore = "needs Chromium and Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_factor_is_turned_on_and_asked_for_and_a_match_is_looked_at() {
    play("factor", &["--fair-play-seconds=1"]).await;
}

#[ignore = "needs Chromium and Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn low_time_is_seen_and_said_to_its_owner_and_the_flag_is_the_servers() {
    play("clocks", &["--clock-ms=14000"]).await;
}

#[ignore = "needs Chromium and Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_and_started_again_loses_nothing_that_was_shown() {
    play_with_a_server_that_dies("restart").await;
}

#[ignore = "needs Chromium and Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_hangs_the_clocks_stand_and_both_pages_say_so() {
    play_with_a_database_that_hangs("pause").await;
}
