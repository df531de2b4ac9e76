import fc from "fast-check";
import { expect, test } from "vitest";
import { createSealing } from "./sealed-texts.ts";

const SEED = new Uint8Array(32).fill(7);
const sealingOf = (plugin: string, seed = SEED) => createSealing(async () => seed, plugin);

test("a sealed text opens for its plugin and purpose, even in another isolate, and is URL-safe [OR-265]", async () => {
  const sealed = await sealingOf("mcp").seal("token-of-ada", "mcp-token:did:key:z1");
  expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(sealed).not.toContain("token-of-ada");
  expect(await sealingOf("mcp").open(sealed, "mcp-token:did:key:z1")).toBe("token-of-ada");
});

test("any text survives sealing and opening, and no two sealed texts are equal [OR-265]", async () => {
  const sealing = sealingOf("mcp");
  const text = fc.string({ unit: "binary", maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(text, fc.constant("half \ud800 a pair"), fc.constant("")),
      text,
      async (secret, purpose) => {
        const sealed = await sealing.seal(secret, purpose);
        expect(await sealing.open(sealed, purpose)).toBe(secret);
        expect(await sealing.seal(secret, purpose)).not.toBe(sealed);
        expect(await sealing.open(sealed, `${purpose}.`)).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  );
});

test("another plugin, purpose or oracle key cannot open it [OR-265]", async () => {
  const sealed = await sealingOf("mcp").seal("secret", "token");
  const opened = [
    sealingOf("mcp2").open(sealed, "token"),
    sealingOf("mc").open(sealed, "token"),
    sealingOf("mcp").open(sealed, "Token"),
    sealingOf("mcp").open(sealed, ""),
    sealingOf("mcp", new Uint8Array(32).fill(8)).open(sealed, "token"),
  ];
  expect(await Promise.all(opened)).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test("a text that was changed, cut, or never sealed does not open [OR-265]", async () => {
  const sealing = sealingOf("mcp");
  const sealed = await sealing.seal("secret", "token");
  const flipped = Array.from(
    sealed,
    (letter, at) => sealed.slice(0, at) + (letter === "A" ? "B" : "A") + sealed.slice(at + 1),
  );
  const cut = Array.from(sealed, (_, at) => sealed.slice(0, at));
  const others = [
    "",
    "v1.",
    "v2" + sealed.slice(2),
    sealed.slice(3),
    `${sealed}A`,
    `${sealed}=`,
    `${sealed} `,
    "v1.🌱",
    "x".repeat(10_000),
  ];
  for (const text of [...flipped, ...cut, ...others])
    expect(text === sealed ? undefined : await sealing.open(text, "token"), text).toBeUndefined();
});

test("an oracle without a key reports the variable to set [OR-265]", async () => {
  const sealing = createSealing(async () => undefined, "mcp");
  await expect(sealing.seal("secret", "token")).rejects.toThrow("set ORACLE_SIGNING_SEED");
  await expect(sealing.open("v1.AAAA", "token")).rejects.toThrow("set ORACLE_SIGNING_SEED");
});
