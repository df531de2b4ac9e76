/** Runs identified by their request, as the phone gateway starts them: accepted once, waited for, found long after. */
import { LONGEST_REPLY_WAIT_MS } from "./calls.ts";
import { expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, STRANGER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import type { DatabaseSync } from "node:sqlite";
import { migrations } from "../../oracle/runs/schema.ts";

async function setUp() {
  const model = createScriptedModel();
  return { model, session: await startSession({ settings: { models: chatModels(model) } }) };
}

async function advance({ clock }: SessionInNode, milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await new Promise((resolve) => void setImmediate(resolve));
}

const asked = (requestId: string, message = "hello") =>
  turn(message, { requestId, clientMessageId: requestId, client: "ussd", multitask: "enqueue" });

test("repeating a request, before or after its answer, returns its run [OR-151]", async () => {
  const { model, session } = await setUp();
  const gate = createGate();
  model.plays([{ wait: gate }, "one"], ["two"]);
  const { core } = session;
  const [first, second] = await Promise.all([core.acceptRun(OWNER, asked("a")), core.acceptRun(OWNER, asked("a"))]);
  expect(valueOf(second)).toEqual({ ...valueOf(first), replayed: true });
  gate.open();
  const reply = valueOf(await core.awaitReply(OWNER, "a", 1_000));
  expect(reply).toMatchObject({ runId: valueOf(first).runId, status: "finished", content: "one" });
  expect(valueOf(await core.acceptRun(OWNER, asked("a", "other words"))).runId).toBe(valueOf(first).runId);
  valueOf(await core.acceptRun(OWNER, asked("b")));
  expect(valueOf(await core.awaitReply(OWNER, "b", 1_000))).toMatchObject({ content: "two" });
  expect(model.asked).toHaveLength(2);
});

test("a repeated call whose first reply was lost is the run that was counted; another call is not", async () => {
  const { model, session } = await setUp();
  model.plays(["one"]);
  const counted = { ...asked("a"), runKey: "turn-1" };
  const first = valueOf(await session.core.acceptRun(OWNER, counted));
  expect(valueOf(await session.core.acceptRun(OWNER, counted))).toEqual(first);
  const later = valueOf(await session.core.acceptRun(OWNER, { ...counted, runKey: "turn-2" }));
  expect(later).toEqual({ ...first, replayed: true });
});

test("a wait ends with the run, at its own timeout, or at the maximum timeout [OR-152]", async () => {
  const { model, session } = await setUp();
  const gate = createGate();
  model.plays([{ wait: gate }, "one"]);
  valueOf(await session.core.acceptRun(OWNER, asked("a")));
  const ends: string[] = [];
  const wait = async (name: string, milliseconds: number) => {
    const { status } = valueOf(await session.core.awaitReply(OWNER, "a", milliseconds));
    ends.push(`${name} ${status}`);
  };
  const waits = [wait("short", 100), wait("endless", 1_000_000)];
  await advance(session, 99);
  expect(ends).toEqual([]);
  await advance(session, 1);
  expect(ends).toEqual(["short running"]);
  await advance(session, LONGEST_REPLY_WAIT_MS - 101);
  expect(ends).toHaveLength(1);
  await advance(session, 1);
  expect(ends).toEqual(["short running", "endless running"]);
  waits.push(wait("last", 10_000));
  gate.open();
  await Promise.all(waits);
  expect(ends.at(-1)).toBe("last finished");
});

test("a restart resumes running runs, and still identifies their requests", async () => {
  const { model, session } = await setUp();
  model.plays([{ wait: createGate() }], ["one"]);
  const first = valueOf(await session.core.acceptRun(OWNER, asked("a")));
  await model.whenAsked(1);
  session.restart();
  expect(valueOf(await session.core.acceptRun(OWNER, asked("a")))).toEqual({ ...first, replayed: true });
  expect(valueOf(await session.core.awaitReply(OWNER, "a", 1_000))).toMatchObject({
    status: "finished",
    content: "one",
  });
});

test("an answer outlives the frames of its run [OR-151]", async () => {
  const { model, session } = await setUp();
  model.plays(["one"]);
  valueOf(await session.core.acceptRun(OWNER, asked("a")));
  const { runId } = valueOf(await session.core.awaitReply(OWNER, "a", 1_000));
  await advance(session, 25 * 3_600_000);
  session.core.watch();
  expect(faultOf(await session.core.followRun(OWNER, runId, 0)).code).toBe("not_found");
  expect(valueOf(await session.core.awaitReply(OWNER, "a", 0))).toMatchObject({ content: "one" });
});

test("other users, unknown requests and runs of other clients are not found", async () => {
  const { model, session } = await setUp();
  model.plays(["one"], ["two"]);
  valueOf(await session.core.acceptRun(OWNER, asked("a")));
  expect(faultOf(await session.core.acceptRun(STRANGER, asked("a"))).code).toBe("not_found");
  expect(faultOf(await session.core.awaitReply(STRANGER, "a", 0)).code).toBe("not_found");
  expect(faultOf(await session.core.awaitReply(OWNER, "b", 0)).code).toBe("not_found");
  valueOf(await session.core.completeRun(OWNER, turn("hello", { requestId: "b", multitask: "enqueue" })));
  expect(faultOf(await session.core.awaitReply(OWNER, "b", 0)).code).toBe("not_found");
});

test("a session that was deleted during a wait is not found", async () => {
  const { model, session } = await setUp();
  model.plays([{ wait: createGate() }]);
  valueOf(await session.core.acceptRun(OWNER, asked("a")));
  const waiting = session.core.awaitReply(OWNER, "a", 1_000);
  valueOf(await session.core.destroy(OWNER));
  expect(faultOf(await waiting).code).toBe("not_found");
});

/** The database with that version of the schema and the rows that it could contain. */
function windBack(database: DatabaseSync, version: number): void {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  const kept = tables.map(({ name }) => {
    const rows = database.prepare(`SELECT * FROM ${String(name)}`).all();
    database.exec(`DROP TABLE ${String(name)}`);
    return { name: String(name), rows };
  });
  for (const script of migrations.slice(0, version)) database.exec(script);
  database.exec(
    `CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (${version})`,
  );
  for (const { name, rows } of kept) {
    if (name === "schema_version") continue;
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${name}')`)
      .all()
      .map((row) => String(row["name"]));
    for (const row of rows) {
      const values = columns.map((column) => row[column] ?? null);
      database
        .prepare(`INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
        .run(...values);
    }
  }
}

test("sessions from before the phone gateway are migrated", async () => {
  const { model, session } = await setUp();
  windBack(session.database, 1);
  session.restart();
  model.plays(["one"]);
  valueOf(await session.core.acceptRun(OWNER, asked("a")));
  expect(valueOf(await session.core.awaitReply(OWNER, "a", 1_000))).toMatchObject({ content: "one" });
  const [row] = session.database.prepare("SELECT version FROM schema_version").all();
  expect(row?.["version"]).toBe(migrations.length);
});

test("a question from before messages had ids is still found by its request [OR-151]", async () => {
  const { model, session } = await setUp();
  model.plays(["one"]);
  const { runId } = valueOf(await session.core.acceptRun(OWNER, asked("a")));
  valueOf(await session.core.awaitReply(OWNER, "a", 1_000));
  windBack(session.database, 4);
  session.database.exec("UPDATE runs SET client_message_id = NULL");
  session.restart();
  expect(valueOf(await session.core.acceptRun(OWNER, asked("a")))).toEqual({ runId, replayed: true });
});
