/** Which values of the environment count as secret, and the forms in which they are found. */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { LEAST_SECRET_LENGTH, withoutSecrets } from "./secret-values.ts";

const secret = 'a/b+c="quoted"?~ü 1234';
const bytes = Buffer.from(secret, "utf8");

test.each([
  ["as it is", secret],
  ["in JSON", JSON.stringify({ error: `refused: ${secret}` })],
  ["in a URL", `https://api.example/?key=${encodeURIComponent(secret)}`],
  ["in base64", bytes.toString("base64")],
  ["in base64 for URLs", bytes.toString("base64url")],
  ["in hexadecimal digits", bytes.toString("hex")],
])("a secret is taken out %s", (_, text) => {
  const cleaned = withoutSecrets({ WEATHER_API_KEY: secret }, `before ${text} after`);
  expect(cleaned).toContain("[WEATHER_API_KEY]");
  expect(cleaned).toMatch(/^before .*after$/);
  expect(cleaned).not.toContain(text);
});

test("each text of a JSON value is a secret of its own, but no DID", () => {
  const env = { KEYS: JSON.stringify([{ key: "key-number-one", did: "did:example:somebody" }]) };
  expect(withoutSecrets(env, "key-number-one of did:example:somebody")).toBe("[KEYS] of did:example:somebody");
});

test("the longer of two secrets counts where one contains the other", () => {
  const env = { A_TOKEN: "token-123456", B_TOKEN: "token-1234567890" };
  expect(withoutSecrets(env, "token-1234567890, token-123456")).toBe("[B_TOKEN], [A_TOKEN]");
});

test("a value one character under the limit, and one whose name is no secret's, stay", () => {
  expect(LEAST_SECRET_LENGTH).toBe(12);
  const env = {
    A_KEY: "a".repeat(11),
    B_KEY: "b".repeat(12),
    ROOT_MESSAGE: "twinedge is running",
    KEYNOTE: "c".repeat(20),
  };
  const text = `${env.A_KEY} ${env.B_KEY} ${env.ROOT_MESSAGE} ${env.KEYNOTE}`;
  expect(withoutSecrets(env, text)).toBe(text.replace(env.B_KEY, "[B_KEY]"));
});
