// @ts-check
import { scene } from "../lib/scene.js";

await scene("smoke", async (stage) => {
  const person = await stage.person("one");
  await person.page.goto("/docs");
  await person.page.screenshot({ path: "/tmp/desk-smoke.png" });
  const one = await stage.api.register({ money: 1000 });
  console.log(one);
});
