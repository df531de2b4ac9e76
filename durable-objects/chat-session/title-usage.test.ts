/** What the title of a session costs, and who pays for it. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { say } from "../../test/support/oracle/played-turn.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { reporting } from "../../test/support/plugins/reporting-plugin.ts";
import type { SessionParts } from "../../test/support/oracle/session-in-node.ts";
import type { ModelUsage } from "../../oracle/model-usage.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { LOST_TITLE_MS } from "../../oracle/runs/run-reports.ts";
import { used, SILENCE, open, counted } from "../../test/support/oracle/usage-session.ts";

describe("the title of a session counts [OR-459]", () => {
  const MOST: ModelUsage = { model: "m", inputTokens: 1_744, outputTokens: 256 };
  const USED: ModelUsage = { model: "m", inputTokens: 290, outputTokens: 10 };
  const title: NonNullable<SessionParts["title"]> = async (opening, meter) =>
    (await meter.begin(MOST)) ? (meter.used(USED), "By model") : opening;

  test("at what the model used, beside its turn", async () => {
    const { session } = await open([["Hi.", used(1_000, 20)]], [], { title });
    await say(session, "hi");
    expect(new Set(counted(session))).toEqual(new Set([1_020, 300]));
    expect(session.core.row.record().title).toBe("By model");
  });

  test("at the most that it may cost, when its process is lost", async () => {
    const lost: NonNullable<SessionParts["title"]> = async (_, meter) => {
      await meter.begin(MOST);
      return new Promise<never>(() => undefined);
    };
    const { session, begin } = await open([["Hi.", used(1_000, 20)], [SILENCE]], [], { title: lost });
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("hi")));
    await readFrames(frames).rest();
    await begin("next");
    session.restart();
    session.clock.advance(LOST_TITLE_MS);
    session.core.watch();
    await session.core.abort(OWNER);
    await session.settled();
    expect(counted(session)).toContain(2_000);
  });

  test("a model is not asked for it when nothing is left of the day", async () => {
    const { session } = await open([["Hi."]], [], { title, reserveTitle: async () => false });
    await say(session, "hi");
    expect(counted(session)).toEqual([0]);
    expect(session.core.row.record().title).toBe("hi");
  });

  test("for the payer of its turn, where that is not the owner", async () => {
    const reserved: string[] = [];
    const reserveTitle = async (payer: string) => reserved.push(payer) > 0;
    const { session } = await open([["Hi.", used(1_000, 20)]], [], { title, reserveTitle });
    await say(session, "hi", { payer: "did:key:zSpeaker" });
    expect(reserved).toEqual(["did:key:zSpeaker"]);
    const payers = session.touches.flatMap(({ spent = [] }) => spent.map(({ payer }) => payer));
    expect(new Set(payers)).toEqual(new Set(["did:key:zSpeaker"]));
  });

  describe("and plugins settle it [OR-605]", () => {
    function payer(covers: PluginDefinition["coversTitle"]) {
      const asked: unknown[] = [];
      const received: unknown[] = [];
      const settling = plugin("settling", {
        coversTitle(title, ctx) {
          asked.push([title.usage, ctx.user.payer]);
          return covers?.(title, ctx) ?? true;
        },
        afterTitle: ({ runId, usage }) => void received.push({ runId, usage }),
      });
      return { asked, received, settling };
    }

    test("they are asked with the most, and receive what it used", async () => {
      const { asked, received, settling } = payer(() => true);
      const { reports, ledger } = reporting();
      const { session } = await open([["Hi.", used(1_000, 20)]], [settling, ledger], { title });
      await say(session, "hi");
      expect(asked).toEqual([[[MOST], OWNER]]);
      expect(received).toEqual([{ runId: expect.stringMatching(/^[-0-9a-f]+\.[-0-9a-f]+$/) as string, usage: [USED] }]);
      expect(reports.map(({ client }) => client)).toEqual(["portal"]);
    });

    test.each<[string, PluginDefinition["coversTitle"]]>([
      ["refuses", () => false],
      ["throws", () => Promise.reject(new Error("down"))],
    ])("one that %s leaves the title to the rule, and nothing counts", async (_, covers) => {
      const { received, settling } = payer(covers);
      const { session } = await open([["Hi.", used(1_000, 20)]], [settling], { title });
      await say(session, "hi");
      expect(session.core.row.record().title).toBe("hi");
      expect(received).toMatchObject([{ usage: [] }]);
      expect(new Set(counted(session))).toEqual(new Set([1_020, 0]));
    });

    test("at the most, when its process is lost", async () => {
      const { received, settling } = payer(() => new Promise(() => undefined));
      const { session, begin } = await open([["Hi."], [SILENCE]], [settling], { title });
      const { frames } = valueOf(await session.core.startRun(OWNER, turn("hi")));
      await readFrames(frames).rest();
      await begin("next");
      session.restart();
      session.clock.advance(LOST_TITLE_MS);
      session.core.watch();
      await session.core.abort(OWNER);
      await session.settled();
      expect(received).toMatchObject([{ usage: [MOST] }]);
    });
  });
});
