/** Attachments on the real Worker, with a Matrix media server, and a model service that records its requests. */
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { textOf } from "../support/oracle/frame-reader.ts";
import { startOpenAiServer, type OpenAiServer } from "../support/oracle/openai-server.ts";
import { redPixel } from "../support/peers/media-files.ts";
import { startMediaServer, type MediaServer } from "../support/peers/media-server.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { createSocketUser } from "../support/oracle/socket-user.ts";

let media: MediaServer;
let model: OpenAiServer;
let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  media = await startMediaServer();
  model = await startOpenAiServer();
  started({ dispose: async () => void (await Promise.all([media.stop(), model.close()])) });
  server = started(
    await startRunningServer({
      ...media.variables,
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "any-key-of-this-server",
      MODELS: '[{"id":"seer","vision":true}]',
    }),
  );
});

/** The content of the users' messages in a turn's latest request, as JSON. The request for a session's title has no tools. */
const asked = (): string => {
  const request = model.requests.findLast(({ body }) => body["tools"] !== undefined);
  const messages = (request?.body["messages"] ?? []) as readonly { readonly role: string }[];
  return JSON.stringify(messages.filter(({ role }) => role === "user"));
};
const pixel = `data:image/png;base64,${Buffer.from(redPixel).toString("base64")}`;

async function conversation(seed: number) {
  const user = await createSocketUser(server.url, seed);
  const sessionId = await user.openSession();
  return async (message: string, more: object = {}) => {
    const frames = await (await user.send(sessionId, { message, ...more })).frames.rest();
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    return textOf(frames);
  };
}

test("a model with vision gets the decrypted image and the text of the PDF; later, view_attachment returns them [OR-320, OR-325, OR-326, OR-328]", async () => {
  const say = await conversation(1);
  const { encryptedImage, pdf } = media.attachments;
  await say("What is this?", { attachments: [encryptedImage, pdf] });
  expect(asked()).toContain(pixel);
  expect(asked()).toContain("## Page 1\\nThe harvest was 42 tonnes.");
  await say("And now?");
  expect(asked()).toContain(pixel);
  await say("Later");
  expect(asked()).not.toContain(pixel);
  expect(asked()).not.toContain("42 tonnes");
  expect(asked()).toContain("view_attachment with the id a1_1 shows it");
  model.enqueue(
    { kind: "answer", calls: [{ name: "view_attachment", arguments: '{"id":"a1_1"}' }] },
    { kind: "answer", deltas: ["It is red."] },
  );
  expect(await say("Look again")).toBe("It is red.");
  expect(asked()).toContain(pixel);
});

test("media that redirects to another host is read there without the token [OR-317]", async () => {
  const before = media.requests.length;
  const say = await conversation(2);
  await say("What is this?", { attachments: [media.attachments.image] });
  expect(asked()).toContain(pixel);
  expect(media.requests.slice(before)).toMatchObject([
    { host: "homeserver", authorization: `Bearer ${media.botToken}` },
    { host: "cdn", authorization: undefined },
  ]);
});

test("contents survive a restart [OR-329]", async () => {
  const say = await conversation(3);
  await say("What is this?", { attachments: [media.attachments.encryptedImage] });
  const read = media.requests.length;
  await server.kill();
  await server.startAgain();
  await say("And now?");
  expect(asked()).toContain(pixel);
  expect(media.requests).toHaveLength(read);
});
