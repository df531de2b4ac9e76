import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
test("smoke", async () => {
  expect(await (await exports.default.fetch("http://x/")).text()).toBe("skeleton");
  expect((await env.DATABASE.prepare("SELECT count(*) AS n FROM user_preferences").first())?.["n"]).toBe(0);
});
