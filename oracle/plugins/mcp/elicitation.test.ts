/** Questions of a server to the user: forms and addresses, the answers, and questions that are never shown. */
import { describe, expect, test } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import { answerElicitation, ELICITATION_MS, MESSAGE_LENGTH, type ElicitationCall } from "./elicitation.ts";
import { FORM_BYTES } from "./elicitation-form.ts";

type Params = Parameters<typeof answerElicitation>[0];

function form(properties: JsonObject, required: readonly string[] = []): Params {
  return {
    mode: "form",
    message: "Which day?",
    requestedSchema: { type: "object", properties, required: [...required] },
  } as unknown as Params;
}

const day = form({ day: { type: "string", format: "date" }, guests: { type: "integer", minimum: 1 } }, ["day"]);
const page: Params = { mode: "url", message: "Pay here", url: "https://pay.example/1", elicitationId: "e-1" };

function setUp(answer: () => Promise<JsonValue | undefined>, { page = true, aborts = false } = {}) {
  const asked: { name: string; args: JsonObject; timeoutMs: number }[] = [];
  const notices: string[] = [];
  const lines: string[] = [];
  const controller = new AbortController();
  const call: ElicitationCall = {
    server: { name: "calendar" },
    tool: "book",
    signal: controller.signal,
    ctx: {
      async askUser(name, args, { timeoutMs }) {
        asked.push({ name, args, timeoutMs });
        if (aborts) controller.abort();
        return answer();
      },
      notice: (message) => void notices.push(message),
      logger: createLogger({}, (_level, line) => void lines.push(line)),
      session: {
        id: "s",
        client: "portal",
        capabilities: { approve: true, openLinks: true, page },
        requestId: "r",
        runId: "u",
      },
    },
  };
  return { asked, notices, lines, call };
}

const says = (value: JsonValue) => () => Promise.resolve<JsonValue | undefined>(value);

describe("a form", () => {
  test("is shown on the page with its schema, and its answer is sent to the server [OR-311]", async () => {
    const { asked, call } = setUp(says({ action: "accept", content: { day: "2026-12-01", guests: 2 } }));
    expect(await answerElicitation(day, call)).toEqual({
      action: "accept",
      content: { day: "2026-12-01", guests: 2 },
    });
    expect(asked).toEqual([
      {
        name: "mcp_elicitation",
        timeoutMs: 120_000,
        args: expect.objectContaining({
          server: "calendar",
          tool: "book",
          mode: "form",
          message: "Which day?",
          schema: expect.objectContaining({ type: "object" }),
        }),
      },
    ]);
    expect(ELICITATION_MS).toBe(120_000);
  });

  test.each([
    ["a field is missing", {}],
    ["a field has another form", { day: "tomorrow" }],
    ["a number is too small", { day: "2026-12-01", guests: 0 }],
    ["there is none", undefined],
    ["it is no object", "2026-12-01"],
  ])("does not send an answer that does not fit: %s [OR-311]", async (_what, content) => {
    const { notices, call } = setUp(says({ action: "accept", ...(content === undefined ? {} : { content }) }));
    expect(await answerElicitation(day, call)).toEqual({ action: "decline" });
    expect(notices).toHaveLength(1);
  });

  test("sends no value without a field in the form [OR-311]", async () => {
    const { call } = setUp(says({ action: "accept", content: { day: "2026-12-01", password: "hunter2" } }));
    expect(await answerElicitation(day, call)).toEqual({ action: "accept", content: { day: "2026-12-01" } });
  });

  test.each([["decline"], ["cancel"]])("%s is passed on without content [OR-311]", async (action) => {
    const { call } = setUp(says({ action, content: { day: "2026-12-01" } }));
    expect(await answerElicitation(day, call)).toEqual({ action });
  });

  test.each([
    [
      "no mode, as servers of the older era send it",
      { message: "m", requestedSchema: { type: "object", properties: {} } },
    ],
    ["a list of choices", form({ size: { type: "string", oneOf: [{ const: "s", title: "Small" }] } })],
  ])("%s is a form too", async (_what, params) => {
    const { call } = setUp(says({ action: "accept", content: {} }));
    expect(await answerElicitation(params as Params, call)).toEqual({ action: "accept", content: {} });
  });

  test.each([
    ["a schema that is none", form({ a: { type: "nonsense" } })],
    ["no schema", { mode: "form", message: "m" }],
    ["a schema above its limit", form({ a: { type: "string", description: "x".repeat(FORM_BYTES) } })],
  ])("is declined for %s", async (_what, params) => {
    const { asked, call } = setUp(says({ action: "accept", content: {} }));
    expect(await answerElicitation(params as Params, call)).toEqual({ action: "decline" });
    expect(asked).toEqual([]);
    expect(FORM_BYTES).toBe(32_768);
  });

  test("shows a message up to its limit", async () => {
    const { asked, call } = setUp(says({ action: "decline" }));
    await answerElicitation({ ...page, message: "x".repeat(MESSAGE_LENGTH + 1) }, call);
    expect(String(asked[0]?.args["message"])).toHaveLength(2_000);
  });
});

describe("never asks for a secret", () => {
  test.each([
    ["password", {}],
    ["userPassword", {}],
    ["API_KEY", {}],
    ["apiKeys", {}],
    ["client-secret", {}],
    ["accessToken", {}],
    ["PIN", {}],
    ["card_number", {}],
    ["cvc", {}],
    ["field1", { title: "Your password" }],
    ["field1", { description: "The PIN of your card" }],
    ["field1", { format: "password" }],
  ])("not as %s %j [OR-312]", async (name, member) => {
    const { asked, notices, lines, call } = setUp(says({ action: "accept", content: { [name]: "x" } }));
    const params = form({ ok: { type: "boolean" }, [name]: { type: "string", ...member } });
    expect(await answerElicitation(params, call)).toEqual({ action: "decline" });
    expect(asked).toEqual([]);
    expect(notices).toEqual([
      "calendar asked for a secret in a form. The user was not asked: never give a secret in a chat.",
    ]);
    expect(lines.join("\n")).not.toContain("field1");
  });

  const typed = { answer: { type: "string" } };
  const chosen = { answer: { type: "string", enum: ["yes", "no"] } };

  test.each([
    ["Enter your Google password to go on", form(typed)],
    ["Type the one-time code", form({ answer: { type: "integer" } })],
    ["Your card number, please", form(typed)],
    ["Enter the seed phrase of your wallet", form(typed)],
    [
      "Continue",
      { message: "", requestedSchema: { type: "object", description: "Your API key", properties: typed } } as Params,
    ],
  ])("not by the text above it: %s [OR-312]", async (message, params) => {
    const { asked, notices, call } = setUp(says({ action: "accept", content: { answer: "x" } }));
    expect(await answerElicitation({ ...params, message }, call)).toEqual({ action: "decline" });
    expect([asked, notices.length]).toEqual([[], 1]);
  });

  test.each([
    ["Your password will be reset. Go on?", form(chosen)],
    ["Reset the password?", form({ sure: { type: "boolean" } })],
    ["In which key is the song?", form(typed)],
    ["Where shall the pin be on the map?", form(typed)],
  ])("accepts words that do not suggest a secret: %s", async (message, params) => {
    const { asked, call } = setUp(says({ action: "decline" }));
    await answerElicitation({ ...params, message }, call);
    expect(asked).toHaveLength(1);
  });

  test.each([["keyboard"], ["pinned"], ["tokenizer"], ["discard_number_plates"], ["passenger"], ["monkey"]])(
    "%s is none",
    async (name) => {
      const { asked, call } = setUp(says({ action: "accept", content: {} }));
      await answerElicitation(form({ [name]: { type: "string" } }), call);
      expect(asked).toHaveLength(1);
    },
  );
});

describe("an address", () => {
  test("is shown, and only the answer is returned [OR-311]", async () => {
    const { asked, call } = setUp(says({ action: "accept", content: { a: 1 } }));
    expect(await answerElicitation(page, call)).toEqual({ action: "accept" });
    expect(asked[0]?.args).toEqual({
      server: "calendar",
      tool: "book",
      mode: "url",
      message: "Pay here",
      url: "https://pay.example/1",
    });
  });

  test.each([["http://pay.example/"], ["javascript:alert(1)"], ["https://a:b@pay.example/"], ["/pay"], [""]])(
    "is declined when it is unsafe to open: %j [OR-311]",
    async (url) => {
      const { asked, call } = setUp(says({ action: "accept" }));
      expect(await answerElicitation({ ...page, url }, call)).toEqual({ action: "decline" });
      expect(asked).toEqual([]);
    },
  );
});

describe("without an answer", () => {
  test.each([
    ["nobody answers in time", () => Promise.resolve<undefined>(undefined)],
    ["no page is connected", () => Promise.reject(new Error("No page is connected"))],
    ["nobody knows whether it arrived", says({ code: "FRONTEND_OUTCOME_UNKNOWN" })],
    ["the answer is none", says("yes")],
    ["the answer says something else", says({ action: "maybe" })],
  ])("it is declined: %s [OR-313]", async (_what, answer) => {
    const { call } = setUp(answer);
    expect(await answerElicitation(day, call)).toEqual({ action: "decline" });
  });

  test("it is declined at once for a client without a page [OR-313]", async () => {
    const { asked, call } = setUp(says({ action: "accept", content: { day: "2026-12-01" } }), { page: false });
    expect(await answerElicitation(day, call)).toEqual({ action: "decline" });
    expect(asked).toEqual([]);
  });

  test("it is cancelled with its call, without waiting [OR-313]", async () => {
    const { call } = setUp(() => new Promise(() => undefined), { aborts: true });
    expect(await answerElicitation(day, call)).toEqual({ action: "cancel" });
  });
});
