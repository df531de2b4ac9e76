/** `ctx.remembered` in real turns: a write in one session applies to the next turn of every other. */
import { expect, test } from "vitest";
import { memory } from "../../oracle/plugins/memory/plugin.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import { testOracle, type TestOracle } from "../../workers/oracle/testing/index.ts";
import { plugin, tool } from "../support/plugins/small-plugins.ts";

async function promptOf(oracle: TestOracle): Promise<string> {
  await oracle.say("hello");
  return String(oracle.modelRequests.at(-1)?.prompt[0]?.content);
}

test("a read is made once in a session, and again after a write of any plugin for that user [OR-410]", async () => {
  const readers: string[] = [];
  const reading = plugin("reading", {
    getSharedState: async ({ remembered, session, user }) => {
      await remembered("key", async () => void readers.push(`${user.did} ${session.id}`));
      return {};
    },
  });
  const writing = plugin("writing", {
    getTools: ({ kv }) => [tool("write", () => kv.set("one", 1))],
  });
  const one = await testOracle({ plugins: [reading, writing] });
  const other = await one.anotherSession();
  const stranger = await one.anotherUser();
  for (const oracle of [one, other, stranger]) {
    await oracle.say("hello");
    await oracle.say("hello");
  }
  expect(new Set(readers).size).toBe(3);
  expect(readers).toHaveLength(3);
  await other.say("/tool write {}");
  for (const oracle of [one, other, stranger]) await oracle.say("hello");
  expect(readers).toHaveLength(5);
  expect(readers.filter((reader) => reader.startsWith(`${stranger.user.did} `))).toHaveLength(1);
});

test("a preference set in another session applies to the next turn [OR-411]", async () => {
  const one = await testOracle({ plugins: [userPreferences] });
  const other = await one.anotherSession();
  expect(await promptOf(one)).not.toContain("Ada");
  await other.say('/tool set_user_preferences {"userName":"Ada"}');
  expect(await promptOf(one)).toContain('- userName: "Ada"');
  await one.say('/tool set_user_preferences {"userName":"Grace"}');
  expect(await promptOf(one)).toContain('- userName: "Grace"');
  expect(await promptOf(other)).toContain('- userName: "Grace"');
});

test("so does a fact, and a deleted one no longer does [OR-411]", async () => {
  const one = await testOracle({ plugins: [memory] });
  const other = await one.anotherSession();
  expect(await promptOf(one)).not.toContain("Kiboko");
  await other.say('/tool remember {"fact":"The stove is a Kiboko."}');
  expect(await promptOf(one)).toContain("Kiboko");
  await one.say("hello");
  const { memories } = await (await one.fetch("/memory")).json<{ memories: readonly { id: string }[] }>();
  await one.fetch(`/memory/${memories[0]?.id ?? ""}`, { method: "DELETE" });
  expect(await promptOf(one)).not.toContain("Kiboko");
  expect(await promptOf(other)).not.toContain("Kiboko");
});
