/** `afterTurn` and request headers, over real objects: storage, alarm, eviction, deletion. */
import { expect, test } from "vitest";
import { admit } from "../../oracle/framework/admission.ts";
import type { EndedTurn } from "../../oracle/framework/ended-turn.ts";
import { testOracle } from "../../workers/oracle/testing/index.ts";
import { plugin, tool } from "../support/plugins/small-plugins.ts";

const never = () => new Promise<never>(() => undefined);

/** Stores its reports for the user, as a plugin would. */
function ledger(reports: EndedTurn[], answer: (calls: number) => Promise<void> | void = () => {}) {
  return plugin("ledger", {
    getRequestAdmission: () => admit(),
    async afterTurn(turn, { kv }) {
      reports.push(turn);
      await answer(reports.length);
      await kv.set(turn.runId, turn.status);
    },
  });
}

test("a turn is reported with the storage of its user, and again after a kill [OR-243] [OR-244]", async () => {
  const reports: EndedTurn[] = [];
  const oracle = await testOracle({ plugins: [ledger(reports, (calls) => (calls === 2 ? never() : undefined))] });
  const first = await oracle.say("hello");
  await expect.poll(() => oracle.kv("ledger").get(first.runId)).toBe("finished");
  const second = await oracle.say("hello again");
  await expect.poll(() => reports).toHaveLength(2);
  await oracle.kill();
  await expect.poll(() => oracle.kv("ledger").get(second.runId)).toBe("finished");
  expect(reports.map(({ runId }) => runId)).toEqual([first.runId, second.runId, second.runId]);
});

test("a session that is deleted in the middle of a turn: reported, and none of its data can be read [OR-245]", async () => {
  const reports: EndedTurn[] = [];
  const reached = Promise.withResolvers<void>();
  const hang = plugin("hang", { getTools: () => [tool("hang", () => (reached.resolve(), never()))] });
  const oracle = await testOracle({ plugins: [ledger(reports), hang] });
  await oracle.say("hello");
  const lost = oracle.say("/tool hang").catch(() => undefined);
  await reached.promise;
  expect((await oracle.fetch(`/sessions/${oracle.sessionId}`, { method: "DELETE" })).status).toBe(200);
  await expect.poll(() => reports.at(-1)?.status).toBe("aborted");
  await expect.poll(() => oracle.kv("ledger").get(reports.at(-1)?.runId ?? "")).toBe("aborted");
  expect((await oracle.fetch(`/messages/${oracle.sessionId}`)).status).toBe(404);
  await lost;
});

test("the header x-matrix-access-token reaches plugins before and in the turn [OR-239]", async () => {
  const seen: (string | undefined)[] = [];
  const media = plugin("media", {
    getRequestAdmission({ request }) {
      seen.push(request.matrixAccessToken);
      return admit();
    },
    getSharedState({ request }) {
      seen.push(request.matrixAccessToken);
      return {};
    },
  });
  const oracle = await testOracle({ plugins: [media] });
  await oracle.say("hello", { headers: { "x-matrix-access-token": "syt_user" } });
  await oracle.say("hello");
  expect(seen).toEqual(["syt_user", "syt_user", undefined, undefined]);
});
