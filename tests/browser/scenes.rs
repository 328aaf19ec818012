//! The scripts, each as a sentence about the page.

use crate::stage::play;

#[ignore = "needs Chromium and Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn smoke() {
    play("smoke", &[]).await;
}
