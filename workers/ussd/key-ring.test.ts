import { hkdfSync } from "node:crypto";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CACHED_MACS, cacheMacs, decodeMasterKey, openKeyRing, type KeyTexts } from "./key-ring.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const open = (texts: Partial<KeyTexts> = {}) =>
  openKeyRing({ currentId: "k1", current: "ab".repeat(32), old: {}, ...texts }, random);

describe("decodeMasterKey [PH-114]", () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 250));

  test.each([
    ["hexadecimal", bytes.toString("hex")],
    ["upper-case hexadecimal", bytes.toString("hex").toUpperCase()],
    ["base64", bytes.toString("base64")],
    ["base64 without padding", bytes.toString("base64").replace("=", "")],
    ["base64url", bytes.toString("base64url")],
  ])("reads %s", async (_form, text) => {
    expect(Buffer.from(await decodeMasterKey(text))).toEqual(bytes);
  });

  test.each(["sixteen letters.", "ab".repeat(16), "ab".repeat(33), `${"A".repeat(42)}B`, "A".repeat(44)])(
    "stretches %j by HKDF",
    async (text) => {
      const expected = hkdfSync("sha256", text, "", "twinedge ussd master key", 32);
      expect(Buffer.from(await decodeMasterKey(text))).toEqual(Buffer.from(expected));
    },
  );
});

describe("seal and open [PH-113]", () => {
  test("any text round-trips for its use and owner only, and each sealing differs", async () => {
    const ring = await open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), async (text, owner, other) => {
        const sealed = await ring.seal(text, "pin", owner);
        expect(await ring.open(sealed, "pin", owner)).toBe(text.toWellFormed());
        expect(await ring.open(sealed, "identity", owner)).toBeUndefined();
        expect(await ring.open(sealed, "pin", `${owner}${other}.`)).toBeUndefined();
        expect((await ring.seal(text, "pin", owner)).value).not.toBe(sealed.value);
      }),
      { numRuns },
    );
  });

  test("the use and the owner cannot be shifted into one another", async () => {
    const ring = await open();
    const sealed = await ring.seal("x", "pin", "k1");
    expect(await ring.open({ ...sealed, keyId: "" }, "pin", "k1k1")).toBeUndefined();
  });

  test("every changed byte is detected", async () => {
    const ring = await open();
    const { value } = await ring.seal("secret", "pin", "C1");
    const bytes = Buffer.from(value, "base64");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const sealed = { keyId: "k1", value: changed.toString("base64") };
      expect(await ring.open(sealed, "pin", "C1"), `byte ${index}`).toBeUndefined();
    }
    for (const value of ["", "AQ==", "not base64!"]) {
      expect(await ring.open({ keyId: "k1", value }, "pin", "C1"), value).toBeUndefined();
    }
  });
});

describe("rotation [PH-102, PH-114]", () => {
  test("an old key opens and checks, the current one seals", async () => {
    const before = await open();
    const sealed = await before.seal("secret", "pin", "C1");
    const mac = await before.mac("text", "1*2");
    const after = await open({ currentId: "k2", current: "cd".repeat(32), old: { k1: "ab".repeat(32) } });
    expect(await after.open(sealed, "pin", "C1")).toBe("secret");
    expect((await after.seal("secret", "pin", "C1")).keyId).toBe("k2");
    expect(await after.macUnder("k1", "text", "1*2")).toBe(mac);
    expect(await after.mac("text", "1*2")).not.toBe(mac);
  });

  test("a sealed text cannot be opened without its key", async () => {
    const sealed = await (await open()).seal("secret", "pin", "C1");
    const after = await open({ currentId: "k2", current: "cd".repeat(32) });
    expect(await after.open(sealed, "pin", "C1")).toBeUndefined();
    expect(await after.macUnder("k1", "text", "1")).toBeUndefined();
  });

  test("a key under another id is another key", async () => {
    const sealed = await (await open()).seal("secret", "pin", "C1");
    const renamed = await open({ currentId: "k2" });
    expect(await renamed.open({ ...sealed, keyId: "k2" }, "pin", "C1")).toBeUndefined();
  });
});

test("MACs differ by use and are deterministic for a text [PH-115]", async () => {
  const ring = await open();
  const uses = ["phone", "session", "text", "customer"] as const;
  const macs = await Promise.all(uses.map((use) => ring.mac(use, "+260971230001")));
  expect(new Set(macs).size).toBe(uses.length);
  expect(await ring.mac("phone", "+260971230001")).toBe(macs[0]);
  expect(macs[0]).toMatch(/^[\w-]{43}$/);
});

test("a MAC is computed once while it is cached, and the oldest is evicted first", async () => {
  const computed: string[] = [];
  const macOf = cacheMacs(async (text) => {
    computed.push(text);
    return `mac of ${text}`;
  });
  const ids = Array.from({ length: CACHED_MACS + 1 }, (_, index) => `s${index}`);
  for (const id of ids) expect(await macOf(id)).toBe(`mac of ${id}`);
  expect(await macOf("s1")).toBe("mac of s1");
  expect(computed).toEqual(ids);
  expect(await macOf("s0")).toBe("mac of s0");
  expect(computed).toEqual([...ids, "s0"]);
});
