/** A turn that a plugin admitted but that was then not accepted: nothing ran, and the plugin is notified. */
import { describe, expect, test } from "vitest";
import { faultOf, OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { openPlay } from "../../test/support/oracle/played-turn.ts";
import { filled, reporting } from "../../test/support/plugins/reporting-plugin.ts";
import { admit, refuse } from "../../oracle/framework/admission.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { LOST_ADMISSION_MS } from "../../oracle/runs/run-reports.ts";

const never = () => new Promise<never>(() => undefined);

describe("a turn that a plugin admitted and that was not accepted is reported as refused [OR-246]", () => {
  const gate = (parts: Partial<PluginDefinition> = {}) => reporting({ getRequestAdmission: () => admit(), ...parts });

  test("another plugin refuses it: reported at once to those that had admitted it", async () => {
    const first = gate();
    const last = gate({ name: "last" });
    const strict = reporting({ name: "strict", getRequestAdmission: () => refuse("forbidden", "No") });
    const { session } = await openPlay([], [first.ledger, strict.ledger, last.ledger]);
    expect(faultOf(await session.core.acceptRun(OWNER, turn("go", { runKey: "k-1", metadata: { a: 1 } }))).code).toBe(
      "forbidden",
    );
    await session.settled();
    expect(first.reports).toMatchObject([
      { runId: `${session.sessionId}.k-1`, status: "refused", usage: [], answer: "", metadata: { a: 1 } },
    ]);
    expect([strict.reports, last.reports]).toEqual([[], []]);
    expect(filled(session)).not.toContain("turn_reports");
  });

  test("the session's last place is taken while the gates are asked", async () => {
    const places: (() => void)[] = [];
    const { reports, ledger } = gate({
      getRequestAdmission: () => new Promise((resolve) => void places.push(() => resolve(admit()))),
    });
    const { session } = await openPlay([["Hi."]], [ledger]);
    const sent = ["k-1", "k-2"].map((runKey) => session.core.acceptRun(OWNER, turn("go", { runKey }), 1));
    await expect.poll(() => places.length).toBe(2);
    for (const take of places) take();
    const [one, other] = await Promise.all(sent);
    await session.settled();
    expect([one?.ok, other?.ok]).toEqual([true, false]);
    expect(reports.map(({ runId, status }) => [runId, status])).toEqual(
      expect.arrayContaining([
        [`${session.sessionId}.k-1`, "finished"],
        [`${session.sessionId}.k-2`, "refused"],
      ]),
    );
    expect(reports).toHaveLength(2);
  });

  test("a message that is sent twice at once has one turn, and one report", async () => {
    const { reports, ledger } = gate();
    const { session } = await openPlay([["Hi."]], [ledger]);
    const sent = () => session.core.acceptRun(OWNER, turn("go", { clientMessageId: "m-1" }));
    await Promise.all([sent(), sent()]);
    await session.settled();
    expect(reports.map(({ status }) => status)).toEqual(["finished"]);
  });

  test("the response is lost and the request is repeated: one turn, one report", async () => {
    const { reports, ledger } = gate();
    const { session } = await openPlay([["Hi."]], [ledger]);
    const sent = () => session.core.acceptRun(OWNER, turn("go", { runKey: "k-1", clientMessageId: "m-1" }));
    const first = valueOf(await sent());
    expect(valueOf(await sent())).toEqual(first);
    await session.settled();
    expect(reports).toMatchObject([{ runId: first.runId, status: "finished" }]);
  });

  test("the process is lost while the gates are asked: reported a minute later, unless the request was repeated", async () => {
    expect(LOST_ADMISSION_MS).toBe(60_000);
    let asked = 0;
    const { reports, ledger } = gate({ getRequestAdmission: () => ((asked += 1), asked < 3 ? never() : admit()) });
    const { session } = await openPlay([["Hi."]], [ledger]);
    void session.core.acceptRun(OWNER, turn("go", { runKey: "k-1" }));
    void session.core.acceptRun(OWNER, turn("go", { runKey: "k-2" }));
    await expect.poll(() => asked).toBe(2);
    session.restart();
    valueOf(await session.core.acceptRun(OWNER, turn("go", { runKey: "k-2" })));
    await session.settled();
    session.clock.advance(LOST_ADMISSION_MS);
    session.core.watch();
    await session.settled();
    expect(reports.map(({ runId, status }) => [runId, status])).toEqual([
      [`${session.sessionId}.k-2`, "finished"],
      [`${session.sessionId}.k-1`, "refused"],
    ]);
  });

  test("the session is deleted while the gates are asked", async () => {
    const answer = Promise.withResolvers<ReturnType<typeof admit>>();
    const { reports, ledger } = gate({ getRequestAdmission: () => answer.promise });
    const { session } = await openPlay([], [ledger]);
    const sent = session.core.acceptRun(OWNER, turn("go", { runKey: "k-1" }));
    await Promise.resolve();
    valueOf(await session.core.destroy(OWNER));
    answer.resolve(admit());
    expect(faultOf(await sent).code).toBe("not_found");
    await session.settled();
    expect(reports).toMatchObject([{ status: "refused" }]);
    expect(filled(session)).toEqual([]);
  });
});
