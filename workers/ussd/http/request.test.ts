/** Parsing and validation: every field at and beyond its limits. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_BODY_BYTES, parseRequest, validateFields, type RequestRules } from "./request.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const DEFAULT: RequestRules = { serviceCodes: [], phonePlusOptional: false };
const good = { sessionId: "s1", serviceCode: "*2233#", phoneNumber: "+260971230001", text: "" };
const binding = { sessionId: "s1", serviceCode: "*2233#", phoneNumber: "+260971230001" };

function post(body: string | Uint8Array<ArrayBuffer> | null, contentType?: string): Request {
  const headers = new Headers(contentType === undefined ? {} : { "Content-Type": contentType });
  // A text body would set its own content type.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return new Request("https://edge.test/api/ussd", { method: "POST", body: bytes, headers });
}

const read = (body: string | Uint8Array<ArrayBuffer> | null, contentType?: string, rules = DEFAULT) =>
  parseRequest(post(body, contentType), rules);

const json = (change: Record<string, unknown>) => read(JSON.stringify({ ...good, ...change }), "application/json");

describe("an invalid field is rejected [PH-5, PH-6, PH-7, PH-8, PH-11]", () => {
  test.each([
    "abc",
    "0971234567",
    "1234",
    "260971234567",
    "+0971234567",
    "+12345",
    "+1234567890123456",
    " +260971230001",
    "+260971230001 ",
    "+260971230001\n",
    260971230001,
    null,
    undefined,
  ])("phoneNumber %j", async (phoneNumber) => {
    expect(await json({ phoneNumber })).toEqual({ ok: false, error: { field: "phoneNumber" } });
  });

  test.each([
    "2233",
    "*2233",
    "2233#",
    "*abc#",
    "#2233*",
    "*1**2#",
    "*1*#",
    "*123*#456#",
    "",
    "*2233#\n",
    "*٢٢#",
    `*${"1".repeat(49)}#`,
    2233,
    undefined,
  ])("serviceCode %j", async (serviceCode) => {
    expect(await json({ serviceCode })).toEqual({ ok: false, error: { field: "serviceCode" } });
  });

  test.each(["", "   ", "a".repeat(101), "a\nb", "a\u0085b", "\u{D800}", 7, null, undefined])(
    "sessionId %j",
    async (sessionId) => {
      expect(await json({ sessionId })).toEqual({ ok: false, error: { field: "sessionId" } });
    },
  );

  test.each(["1".repeat(183), "🌱".repeat(183)])(
    "text %j, if it is only too long, is left to the session",
    async (text) => {
      const long = { ...binding, dialledSuffix: "", text };
      expect(await json({ text })).toEqual({ ok: false, error: { field: "text", long } });
    },
  );

  test.each([1, null, undefined, "\u{D800}"])(
    "text %j alone closes the session of the other three fields",
    async (text) => {
      expect(await json({ text })).toEqual({ ok: false, error: { field: "text", closes: binding } });
    },
  );

  test("text and another field closes nothing", async () => {
    expect(await json({ text: 1, phoneNumber: "abc" })).toEqual({ ok: false, error: { field: "phoneNumber" } });
  });
});

describe("a field at its limit is accepted [PH-5, PH-6, PH-7, PH-8]", () => {
  test.each([
    { sessionId: "a".repeat(100) },
    { sessionId: "🌱".repeat(100) },
    { sessionId: " used as sent " },
    { text: "1".repeat(182) },
    { text: "🌱".repeat(182) },
    { text: "\u0000\u202E" },
    { serviceCode: "*123#" },
    { serviceCode: "*123*456#" },
    { serviceCode: "*144*1*1#" },
    { serviceCode: `*${"1".repeat(48)}#` },
    { phoneNumber: "+1234567890" },
    { phoneNumber: "+1234567" },
    { phoneNumber: "+123456789012345" },
  ])("%j", async (change) => {
    expect(await json(change)).toEqual({ ok: true, value: { ...good, dialledSuffix: "", ...change } });
  });

  test("other fields are ignored [PH-4]", async () => {
    expect(await json({ networkCode: "64501", operator: 7 })).toEqual({
      ok: true,
      value: { ...good, dialledSuffix: "" },
    });
  });
});

describe("bodies [PH-10]", () => {
  test.each([
    ["an empty object", "{}", "application/json"],
    ["a list", "[]", "application/json"],
    ["null", "null", "application/json"],
    ["broken JSON", "{", "application/json"],
    ["nothing", "", "application/json"],
    ["an empty body without a type", "", undefined],
    ["XML", "<ussd/>", "application/xml"],
    ["a form labelled plain text", "sessionId=s1", "text/plain"],
    ["a form called JSON", "sessionId=s1&serviceCode=*2233%23&phoneNumber=%2B260971230001", "application/json"],
  ])("%s is rejected", async (_name, body, type) => {
    expect(await read(body, type)).toEqual({ ok: false, error: { field: expect.any(String) } });
  });

  test("no body at all is rejected", async () => {
    expect(await read(null)).toEqual({ ok: false, error: { field: "body" } });
  });

  test("bytes that are not UTF-8 are rejected", async () => {
    const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify({ ...good, text: "?" })));
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(await read(bytes, "application/json")).toEqual({ ok: false, error: { field: "body" } });
  });

  test("the limit of bytes is exact", async () => {
    const filled = (bytes: number) => {
      const empty = JSON.stringify({ ...good, filler: "" });
      return empty.replace('"filler":""', `"filler":"${"x".repeat(bytes - empty.length)}"`);
    };
    expect((await read(filled(MAX_BODY_BYTES), "application/json")).ok).toBe(true);
    expect((await read(filled(MAX_BODY_BYTES + 1), "application/json")).ok).toBe(false);
  });

  test.each(["application/json", "application/json; charset=iso-8859-1", "application/vnd.x+json", undefined, ""])(
    "JSON of type %j is read",
    async (type) => {
      expect((await read(` \n${JSON.stringify(good)}`, type)).ok).toBe(true);
    },
  );
});

describe("forms [PH-4, PH-10]", () => {
  const form = "sessionId=s1&serviceCode=*2233%23&phoneNumber=%2B260971230001";

  test.each(["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=utf-8", undefined])(
    "type %j, text absent",
    async (type) => {
      expect(await read(form, type)).toEqual({ ok: true, value: { ...good, dialledSuffix: "" } });
    },
  );

  test("a plus that was not encoded", async () => {
    const parsed = await read(`${form.replace("%2B", "+")}&text=1*2`);
    expect(parsed).toEqual({ ok: true, value: { ...good, dialledSuffix: "", text: "1*2" } });
  });

  test.each(["&text=1&text=1", "&sessionId=s1", "&text=%FF", "&text=%C3%28"])("with %s is rejected", async (more) => {
    expect((await read(form + more)).ok).toBe(false);
  });

  test.each([
    ["&networkCode=64501&networkCode=%FF", ""],
    ["&text=John%20Doe+Smith", "John Doe Smith"],
    ["&text=Jos%C3%A9", "José"],
    ["&text=50%", "50%"],
    ["&text=a=b", "a=b"],
    ["&te%78t=1", "1"],
  ])("with %s gives %j", async (more, text) => {
    expect(await read(form + more)).toMatchObject({ ok: true, value: { text } });
  });

  test("any four values survive the encoder of browsers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 20 }), async (text) => {
        const parsed = await read(new URLSearchParams({ ...good, text }).toString());
        expect(parsed).toMatchObject({ ok: true, value: { text } });
      }),
      { numRuns },
    );
  });
});

describe("configured codes [PH-9]", () => {
  const rules: RequestRules = { serviceCodes: ["*2233#", "*2233*7#"], phonePlusOptional: false };
  const dial = (serviceCode: string) => validateFields({ ...good, serviceCode }, rules);

  test.each([
    ["*2233#", "*2233#", ""],
    ["*2233*2*1#", "*2233#", "2*1"],
    ["*2233*7#", "*2233*7#", ""],
    ["*2233*7*1#", "*2233*7#", "1"],
    ["*2233*77#", "*2233#", "77"],
  ])("%s is %s and then %j", (dialled, serviceCode, dialledSuffix) => {
    expect(dial(dialled)).toMatchObject({ ok: true, value: { serviceCode, dialledSuffix } });
  });

  test.each(["*22331#", "*144#", "*223#"])("%s is not served", (dialled) => {
    expect(dial(dialled)).toEqual({ ok: false, error: { field: "serviceCode" } });
  });
});

test("a missing plus is added only if configured [PH-7]", () => {
  const rules = { ...DEFAULT, phonePlusOptional: true };
  const withPhone = (phoneNumber: string) => validateFields({ ...good, phoneNumber }, rules);
  expect(withPhone("260971230001")).toMatchObject({ ok: true, value: { phoneNumber: "+260971230001" } });
  expect(withPhone("+260971230001")).toMatchObject({ ok: true, value: { phoneNumber: "+260971230001" } });
  expect(withPhone("0971230001").ok).toBe(false);
});

test("any bytes are rejected, never thrown [PH-2]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const parsed = await read(Uint8Array.from(bytes));
      expect(parsed).toEqual({ ok: false, error: { field: expect.any(String) } });
    }),
    { numRuns },
  );
});
