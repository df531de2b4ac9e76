import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeIssues } from "../../../platform/http/body.ts";
import { sendMessageBody, type SendMessage } from "../../../protocol/requests.ts";
import { timezoneOf } from "../timezone.ts";
import { runRequestOf } from "./messages.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

function accept(body: object): SendMessage {
  const parsed = sendMessageBody.safeParse({ message: "hi", ...body });
  if (!parsed.success) throw new Error(describeIssues(parsed.error));
  return parsed.data;
}

function issuesOf(body: object): string {
  const parsed = sendMessageBody.safeParse({ message: "hi", ...body });
  return parsed.success ? "accepted" : describeIssues(parsed.error);
}

const tool = (name: string, schema: object = {}) => ({ name, description: "does it", schema });
const file = { url: "mxc://a/b", key: { k: "k", kty: "oct" }, iv: "iv", hashes: { sha256: "hash" }, v: "v2" };
const attachment = { mxcUri: "mxc://server/media", filename: "a.txt", mimetype: "text/plain" };
/** `{"x":"…"}` of exactly that many bytes. */
const schemaOfBytes = (bytes: number) => ({ x: "a".repeat(bytes - '{"x":""}'.length) });

describe("the body of a message", () => {
  test("only the message is required", () => {
    expect(accept({})).toEqual({
      message: "hi",
      stream: false,
      returnAllMessages: false,
      tools: [],
      agActions: [],
      attachments: [],
      mcpInvocations: {},
      metadata: {},
      multitask: "interrupt",
    });
  });

  test("joins several issues into one sentence [OR-145, ALL-17]", () => {
    expect(issuesOf({ message: "", attachments: Array(11).fill(attachment) })).toBe(
      "message must be a non-empty string; attachments must hold at most 10 items",
    );
  });

  test.each([
    [{ message: undefined }, "message must be a non-empty string"],
    [{ message: 5 }, "message must be a non-empty string"],
    [{ stream: "true" }, "stream must be true or false"],
    [{ returnAllMessages: 1 }, "returnAllMessages must be true or false"],
    [{ tools: {} }, "tools must be a list"],
    [{ tools: [tool("")] }, "tools.0.name must be a non-empty string"],
    [{ tools: [{ name: "t", description: "d", schema: "x" }] }, "tools.0.schema must be an object"],
    [{ tools: [{ name: "t", description: "d", schema: [] }] }, "tools.0.schema must be an object"],
    [{ tools: [{ name: "t", schema: {} }] }, "tools.0.description must be a string"],
    [{ agActions: [{ ...tool("t"), hasRender: "yes" }] }, "agActions.0.hasRender must be true or false"],
    [{ mcpInvocations: { a: 1 } }, "mcpInvocations.a must be a string"],
    [{ timezone: 2 }, "timezone must be a string"],
    [{ homeServer: null }, "homeServer must be a string"],
    [{ metadata: [] }, "metadata must be an object"],
    [{ model: {} }, "model must be a string"],
    [{ multitask: "wait" }, "multitask must be interrupt or enqueue"],
    [{ attachments: [{ filename: "a", mimetype: "b" }] }, "attachments.0 must have an mxcUri or an eventId"],
    [{ attachments: [{ ...attachment, eventId: "x" }] }, "attachments.0.eventId must start with $"],
    [{ attachments: [{ ...attachment, size: "1" }] }, "attachments.0.size must be a number"],
    [{ attachments: ["x"] }, "attachments.0 must be an object"],
    [{ attachments: [{ ...attachment, file: "x" }] }, "attachments.0.file must be an object"],
    [{ attachments: [{ ...attachment, file: { ...file, iv: 1 } }] }, "attachments.0.file.iv must be a string"],
    [{ attachments: [{ ...attachment, file: { ...file, key: {} } }] }, "attachments.0.file.key.k must be a string"],
    [{ attachments: [{ filename: "a", mimetype: "b", file }] }, "attachments.0 must have an mxcUri or an eventId"],
  ])("%j is rejected [OR-45, OR-145]", (body, message) => {
    expect(issuesOf(body)).toBe(message);
  });

  test("unknown members are ignored, at the top and inside attachments [OR-45]", () => {
    const body = accept({ shoe: 1, attachments: [{ ...attachment, category: "image", size: 3, extra: true }] });
    expect(body).not.toHaveProperty("shoe");
    expect(body.attachments).toEqual([{ ...attachment, size: 3 }]);
    const asClientsSend = { ...file, key: { ...file.key, ext: true, key_ops: ["encrypt", "decrypt"] }, extra: 1 };
    expect(accept({ attachments: [{ ...attachment, file: asClientsSend }] }).attachments).toEqual([
      { ...attachment, file },
    ]);
  });

  test("accepts an empty schema, and one with only $schema or $refs [OR-94]", () => {
    const schemas = [{}, { $schema: "https://json-schema.org/draft/2020-12/schema" }, { $ref: "#/$defs/a", $defs: {} }];
    expect(accept({ tools: schemas.map((schema, at) => tool(`t${at}`, schema)) }).tools).toHaveLength(3);
  });
});

describe("limits at their edges", () => {
  test("attachments [OR-46]", () => {
    expect(accept({ attachments: Array(10).fill(attachment) }).attachments).toHaveLength(10);
    expect(issuesOf({ attachments: Array(11).fill(attachment) })).toMatch(/at most 10 items/);
  });

  test.each(["tools", "agActions"])("%s [OR-47]", (member) => {
    const tools = Array.from({ length: 65 }, (_, at) => tool(`t${at}`));
    expect(issuesOf({ [member]: tools })).toBe(`${member} must hold at most 64 items`);
    expect(issuesOf({ [member]: tools.slice(1) })).toBe("accepted");
  });

  test("bytes of a schema [OR-47]", () => {
    expect(issuesOf({ tools: [tool("t", schemaOfBytes(32_768))] })).toBe("accepted");
    expect(issuesOf({ tools: [tool("t", schemaOfBytes(32_769))] })).toMatch(/at most 32768 bytes/);
    const wide = { x: "é".repeat(32_768 / 2) };
    expect(issuesOf({ tools: [tool("t", wide)] })).toMatch(/at most 32768 bytes/);
  });

  test("depth of a schema and of metadata [OR-47]", () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`) as object;
    expect(issuesOf({ metadata: nested(100), tools: [tool("t", nested(100))] })).toBe("accepted");
    expect(issuesOf({ metadata: nested(101) })).toBe("metadata must be nested at most 100 levels deep");
    expect(issuesOf({ tools: [tool("t", nested(101))] })).toMatch(/^tools.0.schema must be nested/);
    expect(issuesOf({ metadata: deep, tools: [tool("t", deep)] })).toMatch(/nested at most 100 levels/);
  });

  test("characters of a filename [OR-46]", () => {
    const named = (length: number) => ({ attachments: [{ ...attachment, filename: "f".repeat(length) }] });
    expect(issuesOf(named(255))).toBe("accepted");
    expect(issuesOf(named(256))).toMatch(/at most 255 characters/);
  });
});

describe("the requested run", () => {
  const around = {
    runKey: "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10",
    requestId: "req-42",
    headers: {},
    delegation: undefined,
  };

  test("keeps the first of several tools with one name [OR-47]", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 64 });
    fc.assert(
      fc.property(names, (given) => {
        const tools = given.map((name, at) => ({ ...tool(name), description: String(at) }));
        const run = runRequestOf(accept({ tools, agActions: tools }), around);
        const first = [...new Set(given)].map((name) => [name, String(given.indexOf(name))]);
        expect(run.tools.map(({ name, description }) => [name, description])).toEqual(first);
        expect(run.agActions).toHaveLength(first.length);
      }),
      { numRuns },
    );
  });

  test("the body's timezone and homeserver win over the headers' [OR-48]", () => {
    const headers = { "x-timezone": "Africa/Lusaka", "x-matrix-homeserver": "https://matrix.test" };
    const fromHeaders = runRequestOf(accept({}), { ...around, headers });
    expect(fromHeaders).toMatchObject({ timezone: "Africa/Lusaka", homeServer: "https://matrix.test" });
    const fromBody = runRequestOf(accept({ timezone: "Europe/Berlin", homeServer: "https://b.test" }), {
      ...around,
      headers,
    });
    expect(fromBody).toMatchObject({ timezone: "Europe/Berlin", homeServer: "https://b.test" });
  });

  test.each([
    ["m-1", "m-1"],
    ["a".repeat(128), "a".repeat(128)],
    ["a".repeat(129), undefined],
    ["", undefined],
    [7, undefined],
  ])("metadata.clientMessageId %j: %j [OR-51]", (clientMessageId, expected) => {
    expect(runRequestOf(accept({ metadata: { clientMessageId } }), around).clientMessageId).toBe(expected);
  });

  test("has the request's id and the delegation of its header [OR-33, OR-50]", () => {
    const delegation = { token: "t", expiration: null, capabilities: [] };
    expect(runRequestOf(accept({}), { ...around, delegation })).toMatchObject({
      requestId: "req-42",
      client: "portal",
      delegation,
    });
  });
});

test.each([
  ["Africa/Lusaka", "Europe/Berlin", "Africa/Lusaka"],
  [undefined, "Europe/Berlin", "Europe/Berlin"],
  ["", "Europe/Berlin", "Europe/Berlin"],
  [undefined, undefined, undefined],
  [undefined, " ", undefined],
  ["Mars/Olympus", "Europe/Berlin", "UTC"],
  [undefined, "+02:00", "UTC"],
  ["UTC", undefined, "UTC"],
])("timezone: body %j and header %j give %j [OR-48]", (body, header, expected) => {
  expect(timezoneOf(body, header)).toBe(expected);
});
