/** Messages with files, and approvals, over the AI SDK's transport against the real oracle. */
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { plugin } from "../../../test/support/plugins/small-plugins.ts";
import type { OracleMessageMetadata } from "./run-chunks.ts";
import { PlainChat, setUp, textOf, until } from "../../../test/support/sdk/plain-chat.ts";

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
  ])("an answer of %s goes to the run, and its message continues", async (approved, state, times) => {
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
