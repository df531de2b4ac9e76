/** The transport with the AI SDK's own chat, against a real oracle over connections that break. */
import { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses, type ChatInit, type UIMessage } from "ai";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { showing } from "../../../test/support/oracle/oracle-on-a-port.ts";
import { plugin } from "../../../test/support/plugins/small-plugins.ts";
import { createGate } from "../../../workers/oracle/testing/scripted-model.ts";
import { SigningError } from "../core/tokens.ts";
import type { MessageRecord } from "../core/wire.ts";
import { createOracleTransport, type OracleTransport, type OracleTransportOptions } from "./oracle-transport.ts";
import type { OracleMessageMetadata } from "./run-chunks.ts";

/** A chat as frameworks build it from the AI SDK: its state in plain variables. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    const { messages = [], ...rest } = init;
    super({
      ...rest,
      state: {
        status: "ready",
        error: undefined,
        messages,
        pushMessage(message) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index, message) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: (value) => structuredClone(value),
      },
    });
  }
}

type ClientOfOracle = Awaited<ReturnType<typeof clientOfOracle>>;

async function setUp(
  options: Parameters<typeof clientOfOracle>[0],
  more: { readonly transport?: Partial<OracleTransportOptions>; readonly chat?: Partial<ChatInit<UIMessage>> } = {},
) {
  const made = await clientOfOracle(options);
  const { sessionId } = await made.client.sessions.create();
  const transport = createOracleTransport({ client: made.client, ...more.transport });
  const chat = new PlainChat({ id: sessionId, transport, ...more.chat });
  return { ...made, sessionId, transport, chat };
}

const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

async function records({ client }: ClientOfOracle, sessionId: string): Promise<MessageRecord[]> {
  return (await client.http.json<{ messages: MessageRecord[] }>(`/messages/${sessionId}`)).messages;
}

/** Resolves when `is` returns true for the chat's last message. */
async function until(chat: PlainChat, is: (last: UIMessage) => boolean): Promise<UIMessage> {
  await expect.poll(() => chat.lastMessage, { timeout: 20_000, interval: 5 }).toSatisfy(is);
  return chat.lastMessage as UIMessage;
}

describe("a message [SD-190]", () => {
  test("is answered as a stream, whose text is the transcript's and whose message has the run's id", async () => {
    const made = await setUp({ steps: [[{ think: "hm" }, "Hello ", "there, ", "Amina"]] });
    await made.chat.sendMessage({ text: "hi" });
    const { chat, sessionId } = made;
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    const [human, answer] = await records(made, sessionId);
    expect(human?.content).toBe("hi");
    expect(textOf(chat.lastMessage)).toBe(answer?.content);
    const metadata = chat.lastMessage?.metadata as OracleMessageMetadata;
    expect(metadata).toMatchObject({ status: "finished", messageId: answer?.id, runId: answer?.runId });
    expect(chat.lastMessage?.id).toBe(answer?.runId);
  });

  test("of a refused user rejects with the refusal", async () => {
    const { chat } = await setUp({
      before: ({ path }) =>
        path.startsWith("/messages/")
          ? Response.json({ message: "Payment required", claims: ["7"], code: "payment_required" }, { status: 402 })
          : undefined,
    });
    await chat.sendMessage({ text: "hi" });
    expect([chat.status, chat.error]).toMatchObject(["error", { name: "RequestError", status: 402 }]);
  });

  test("goes only to the session that the transport names", async () => {
    const made = await setUp({ steps: [["one"]] });
    const transport = createOracleTransport({ client: made.client, sessionId: made.sessionId });
    const chat = new PlainChat({ id: "a-chat", transport });
    await chat.sendMessage({ text: "hi" }, { body: { timezone: "Africa/Lusaka" }, metadata: { from: "test" } });
    expect(textOf(chat.lastMessage)).toBe("one");
    const sent = made.oracle.objects.turns.at(-1);
    expect(sent).toMatchObject({ timezone: "Africa/Lusaka", metadata: { from: "test" } });
  });
});

describe("a lost connection", () => {
  test("during an answer, and a restart in its middle, leave the transcript's text [SD-193]", async () => {
    const lost = createGate();
    const made = await setUp({
      steps: [
        ["Once ", { wait: createGate() }],
        ["Twice ", { wait: lost }, "upon ", "a ", "time"],
      ],
      fates: [
        { kind: "break", after: showing("Once"), meanwhile: () => made.oracle.objects.loseSessions() },
        { kind: "break", after: ({ data }) => data["resumed"] === true },
        { kind: "refuse", status: 502 },
        { kind: "break", after: showing("Twice"), meanwhile: lost.open },
      ],
    });
    const texts: string[] = [];
    const followed = setInterval(() => texts.push(textOf(made.chat.lastMessage)), 1);
    await made.chat.sendMessage({ text: "tell" });
    clearInterval(followed);
    const [, answer] = await records(made, made.sessionId);
    expect(textOf(made.chat.lastMessage)).toBe(answer?.content);
    expect(answer?.content).toBe("Twice upon a time");
    expect(made.oracle.runs).toHaveLength(4);
    expect(texts.filter((text) => text.includes("Once") && text.includes("Twice"))).toEqual([]);
  });
});

describe("a reloaded page [SD-194]", () => {
  test("joins the run from its first frame, and shows it in one piece beside the stored messages", async () => {
    const gate = createGate();
    const made = await setUp({ steps: [["one ", "two ", { wait: gate }, "three"]] });
    const sent = made.chat.sendMessage({ text: "count" });
    await until(made.chat, (last) => textOf(last) === "one two ");
    const { transport, sessionId } = made;
    const again = new PlainChat({ id: sessionId, transport, messages: await transport.loadMessages(sessionId) });
    expect(again.messages).toMatchObject([{ role: "user" }]);
    const texts: string[] = [];
    const resumed = again.resumeStream();
    await until(again, (last) => {
      texts.push(textOf(last));
      return textOf(last) === "one two ";
    });
    gate.open();
    await Promise.all([sent, resumed]);
    expect(texts.filter((text) => !["count", "", "one two "].includes(text))).toEqual([]);
    expect([again, made.chat].map(({ lastMessage }) => textOf(lastMessage))).toEqual([
      "one two three",
      "one two three",
    ]);
    expect(again.messages.map(({ id }) => id)).toEqual((await transport.loadMessages(sessionId)).map(({ id }) => id));
  });

  test("joins nothing if no run is active", async () => {
    const made = await setUp({ steps: [["done"]] });
    expect(await made.transport.reconnectToStream({ chatId: made.sessionId })).toBeNull();
    await made.chat.sendMessage({ text: "hi" });
    await made.chat.resumeStream();
    expect([made.chat.status, made.chat.messages.length]).toEqual(["ready", 2]);
    expect(made.oracle.runs).toHaveLength(1);
  });

  test("that resumes twice in one task, as in StrictMode, reads the run once and does not end it", async () => {
    const gate = createGate();
    const made = await setUp({ steps: [["one ", { wait: gate }, "two"]] });
    const sent = made.chat.sendMessage({ text: "count" });
    await until(made.chat, (last) => textOf(last) === "one ");
    const again = new PlainChat({ id: made.sessionId, transport: made.transport });
    const first = again.resumeStream();
    const stopped = again.stop();
    const second = again.resumeStream();
    await until(again, (last) => textOf(last) === "one ");
    gate.open();
    await Promise.all([sent, first, stopped, second]);
    expect(textOf(again.lastMessage)).toBe("one two");
    expect(made.paths().filter((path) => path === "POST /messages/abort")).toEqual([]);
  });
});

describe("stop [SD-196]", () => {
  async function stopped(stop?: "leave") {
    const gate = createGate();
    const made = await setUp(
      { steps: [["one ", { wait: gate }, "two"], ["three"]] },
      { transport: stop === undefined ? {} : { stop } },
    );
    const sent = made.chat.sendMessage({ text: "count" });
    await until(made.chat, (last) => textOf(last) === "one ");
    await made.chat.stop();
    await sent;
    return { ...made, gate };
  }

  test("ends the turn on the server, and the message keeps its text", async () => {
    const made = await stopped();
    expect([made.chat.status, textOf(made.chat.lastMessage)]).toEqual(["ready", "one "]);
    await expect.poll(() => records(made, made.sessionId)).toMatchObject([{}, { content: "one " }]);
    await made.chat.sendMessage({ text: "on" });
    expect(textOf(made.chat.lastMessage)).toBe("three");
    const order = made.paths().filter((path) => path.startsWith("POST /messages/"));
    expect(order.map((path) => path === "POST /messages/abort")).toEqual([false, true, false]);
  });

  test("with `leave` lets the turn continue until abort is called", async () => {
    const made = await stopped("leave");
    expect(made.paths()).not.toContain("POST /messages/abort");
    const { run } = await made.client.http.json<{ run: object | null }>(`/sessions/${made.sessionId}/run`);
    expect(run).not.toBeNull();
    await made.transport.abort(made.sessionId);
    await expect.poll(() => records(made, made.sessionId)).toMatchObject([{}, { content: "one " }]);
    await expect(made.transport.abort("no-session")).resolves.toBeUndefined();
  });
});

describe("sending again [SD-197]", () => {
  test("a message without an answer keeps its id: the oracle accepts it once", async () => {
    let refused = 0;
    const made = await setUp({
      steps: [["one"], ["two"]],
      before: ({ method, path }) => {
        if (method !== "POST" || !path.startsWith("/messages/") || refused > 0) return undefined;
        refused += 1;
        return Response.json({ message: "busy", code: "rate_limited" }, { status: 429 });
      },
    });
    await made.chat.sendMessage({ text: "hi" });
    expect(made.chat.status).toBe("error");
    await made.chat.regenerate();
    expect(textOf(made.chat.lastMessage)).toBe("one");
    const bodies = made.oracle.requests.filter(({ path }) => path === `/messages/${made.sessionId}`);
    const ids = bodies.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body).metadata.clientMessageId);
    expect(new Set(ids)).toEqual(new Set([made.chat.messages[0]?.id]));
    expect(await records(made, made.sessionId)).toHaveLength(2);
  });

  test("regenerate of an answered message is a new turn, because the oracle keeps its history", async () => {
    const made = await setUp({ steps: [["one"], ["two"]] });
    await made.chat.sendMessage({ text: "hi" });
    await made.chat.regenerate();
    expect(made.chat.messages.map(textOf)).toEqual(["hi", "two"]);
    expect((await records(made, made.sessionId)).map(({ content }) => content)).toEqual(["hi", "one", "hi", "two"]);
  });

  test("a changed earlier message is refused before anything is sent", async () => {
    const made = await setUp({ steps: [["one"]] });
    await made.chat.sendMessage({ text: "hi" });
    await made.chat.sendMessage({ text: "ho", messageId: made.chat.messages[0]?.id });
    expect(made.chat.error?.message).toBe("An oracle keeps its history: send the changed text as a new message.");
    expect(made.oracle.runs).toHaveLength(1);
  });
});

describe("files [SD-198]", () => {
  const picture = { type: "file", mediaType: "image/png", filename: "map.png" } as const;

  test("are attachments by their mxc:// URI, and are files again in the stored messages", async () => {
    const made = await setUp({ steps: [["seen"]] });
    await made.chat.sendMessage({ text: "look", files: [{ ...picture, url: "mxc://matrix.test/abc" }] });
    const attachment = { mxcUri: "mxc://matrix.test/abc", filename: "map.png", mimetype: "image/png" };
    expect(made.oracle.objects.turns.at(-1)?.attachments).toMatchObject([attachment]);
    const [stored] = await made.transport.loadMessages(made.sessionId);
    expect(stored?.parts).toEqual([
      { ...picture, url: "mxc://matrix.test/abc" },
      { type: "text", text: "look" },
    ]);
  });

  test("at other addresses are uploaded first, or refused", async () => {
    const files = [{ ...picture, url: "data:image/png;base64,AAAA" }];
    const made = await setUp({ steps: [["seen"]] });
    await made.chat.sendMessage({ text: "look", files });
    expect(made.chat.error?.message).toMatch(/^An oracle reads files from Matrix/);
    const mxcUri = "mxc://matrix.test/uploaded";
    const upload = async () => ({ mxcUri, filename: "map.png", mimetype: "image/png" });
    const able = await setUp({ steps: [["seen"]] }, { transport: { upload } });
    await able.chat.sendMessage({ text: "look", files });
    expect(able.oracle.objects.turns.at(-1)?.attachments).toMatchObject([{ mxcUri }]);
  });

  test("without a text are refused", async () => {
    const made = await setUp({});
    await made.chat.sendMessage({ files: [{ ...picture, url: "mxc://matrix.test/abc" }] });
    expect(made.chat.error?.message).toBe("A message with files also needs a text.");
  });
});

describe("approvals [SD-195]", () => {
  async function asked() {
    const paid: unknown[] = [];
    const pay = {
      name: "pay",
      description: "Pays",
      schema: z.object({ amount: z.number() }),
      needsApproval: true,
      handler: async (args: unknown) => {
        paid.push(args);
        return "paid";
      },
    };
    const plugins = [plugin("bank", { getTools: () => [pay] })];
    const steps = [["Let me pay. ", { call: "pay", input: { amount: 5 } }], ["All done."]];
    const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses;
    const made = await setUp({ steps, plugins }, { chat: { sendAutomaticallyWhen } });
    await made.chat.sendMessage({ text: "pay" });
    const part = made.chat.lastMessage?.parts.find(({ type }) => type === "dynamic-tool");
    expect([made.chat.status, part]).toMatchObject([
      "ready",
      { toolName: "pay", input: { amount: 5 }, state: "approval-requested" },
    ]);
    const id = (part as { approval: { id: string } }).approval.id;
    return { ...made, paid, id };
  }

  test.each([
    [true, "output-available", 1],
    [false, "output-denied", 0],
  ])("an answer of %s is sent to the run, and its message continues", async (approved, state, times) => {
    const made = await asked();
    await made.chat.addToolApprovalResponse({ id: made.id, approved });
    await until(made.chat, ({ metadata }) => (metadata as OracleMessageMetadata).status === "finished");
    expect(made.paid).toHaveLength(times);
    expect(made.chat.messages).toHaveLength(2);
    expect(made.chat.lastMessage?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "Let me pay. " },
      { type: "dynamic-tool", toolName: "pay", state, approval: { approved } },
      { type: "text", text: "All done." },
    ]);
  });

  test("a reloaded page is asked again, and its answer counts", async () => {
    const made = await asked();
    const { transport, sessionId } = made;
    const again = new PlainChat({ id: sessionId, transport, messages: await transport.loadMessages(sessionId) });
    await again.resumeStream();
    expect(again.lastMessage?.parts.at(-1)).toMatchObject({ state: "approval-requested" });
    await again.addToolApprovalResponse({ id: made.id, approved: true });
    await again.sendMessage();
    expect(textOf(again.lastMessage)).toBe("Let me pay. All done.");
    expect(made.paid).toHaveLength(1);
  });
});

test("a transport creates its own client from the sign-in options [SD-190]", async () => {
  const { client, oracle } = await clientOfOracle({ steps: [["hello"]] });
  const { sessionId } = await client.sessions.create();
  const { oracleDid, userDid, tokens } = client;
  const transport: OracleTransport = createOracleTransport({
    oracleDid,
    userDid,
    baseUrl: oracle.url,
    tokenStore: null,
    createInvocation: async () => {
      const serialized = (await tokens.getInvocation()) ?? "";
      return { serialized, expiresAt: Date.now() + 600_000 };
    },
  });
  const chat = new PlainChat({ id: sessionId, transport });
  await chat.sendMessage({ text: "hi" });
  expect(textOf(chat.lastMessage)).toBe("hello");
});

test("a user who declined to sign is asked again when they send again [SD-311]", async () => {
  const { client, oracle } = await clientOfOracle({ steps: [["hello"]] });
  const { sessionId } = await client.sessions.create();
  const { oracleDid, userDid, tokens } = client;
  let declines = true;
  const transport: OracleTransport = createOracleTransport({
    oracleDid,
    userDid,
    baseUrl: oracle.url,
    tokenStore: null,
    async createInvocation() {
      if (declines) throw new Error("The user declined.");
      return { serialized: (await tokens.getInvocation()) ?? "", expiresAt: Date.now() + 600_000 };
    },
  });
  const chat = new PlainChat({ id: sessionId, transport });
  await chat.sendMessage({ text: "hi" });
  expect(chat.error).toBeInstanceOf(SigningError);
  declines = false;
  await chat.regenerate();
  expect(textOf(chat.lastMessage)).toBe("hello");
});
