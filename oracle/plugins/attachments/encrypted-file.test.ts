/** Decryption of files that Matrix clients encrypt, and all refusals before it. */
import { describe, expect, test } from "vitest";
import { encryptForMatrix, redPixel } from "../../../test/support/peers/media-files.ts";
import { decryptFile } from "./encrypted-file.ts";

const { ciphertext, file } = encryptForMatrix(redPixel, "mxc://media.example/one");
const bytes = (given: Uint8Array = ciphertext) => new Uint8Array(given);
const changed = (at: number): Uint8Array => ciphertext.map((byte, index) => (index === at ? byte ^ 1 : byte));

test("a decrypted file equals the original that a client encrypted [OR-320]", async () => {
  expect(await decryptFile(file, bytes())).toEqual({ ok: true, value: new Uint8Array(redPixel) });
});

test("keys, vectors and hashes may have padding and either alphabet [OR-320]", async () => {
  const padded = (text: string): string => Buffer.from(text, "base64").toString("base64");
  const url = (text: string): string => Buffer.from(text, "base64").toString("base64url");
  const spelt = { ...file, iv: padded(file.iv), hashes: { sha256: url(file.hashes.sha256) } };
  expect((await decryptFile({ ...spelt, key: { k: padded(file.key.k) } }, bytes())).ok).toBe(true);
});

const known = "it has an unknown form of encryption";
const other = "it is not the file that was sent: its hash differs";

describe("refused files [OR-320]", () => {
  test.each([
    ["a changed first byte", file, changed(0), other],
    ["a changed last byte", file, changed(ciphertext.length - 1), other],
    ["a missing byte", file, ciphertext.subarray(1), other],
    ["no bytes", file, new Uint8Array(), other],
    ["the plain file", file, redPixel, other],
    ["another hash", { ...file, hashes: { sha256: "A".repeat(43) } }, ciphertext, other],
    ["a short hash", { ...file, hashes: { sha256: file.hashes.sha256.slice(0, 8) } }, ciphertext, known],
    ["an empty hash", { ...file, hashes: { sha256: "" } }, ciphertext, known],
    ["a short vector", { ...file, iv: "AAAAAAAAAAA" }, ciphertext, known],
    ["a long vector", { ...file, iv: "A".repeat(44) }, ciphertext, known],
    ["a vector that is no base64", { ...file, iv: "not base64 at all!" }, ciphertext, known],
    ["a key of AES-128", { ...file, key: { k: "A".repeat(22) } }, ciphertext, known],
    ["another algorithm", { ...file, key: { ...file.key, alg: "A256GCM" } }, ciphertext, known],
    ["another kind of key", { ...file, key: { ...file.key, kty: "RSA" } }, ciphertext, known],
    ["version 1", { ...file, v: "v1" }, ciphertext, known],
    ["no version", { ...file, v: "" }, ciphertext, known],
  ])("%s", async (_, described, given, reason) => {
    expect(await decryptFile(described, bytes(given))).toEqual({ ok: false, error: reason });
  });
});
