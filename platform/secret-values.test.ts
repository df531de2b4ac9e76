/** The secret values of the environment, and the forms in which they are found. */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { LEAST_SECRET_LENGTH, LEAST_SECRET_LENGTH_IN_JSON, withoutSecrets } from "./secret-values.ts";

const secret = 'a/b+c="quoted"?~ü\n (1234)*';
const bytes = Buffer.from(secret, "utf8");
const env = { WEATHER_API_KEY: secret };

describe("a secret is masked [OR-237]", () => {
  test.each([
    ["as it is", secret],
    ["in JSON", JSON.stringify({ error: `refused: ${secret}` })],
    ["in JSON in a text of JSON", JSON.stringify({ text: JSON.stringify({ error: secret }) })],
    ["in a URL", `https://api.example/?key=${encodeURIComponent(secret)}`],
    ["in a form", new URLSearchParams({ key: secret }).toString()],
    ["in hexadecimal digits", bytes.toString("hex")],
    ["in upper-case hexadecimal digits", bytes.toString("hex").toUpperCase()],
  ])("%s", (_, text) => {
    const cleaned = withoutSecrets(env, `before ${text} after`);
    expect(cleaned).toContain("[WEATHER_API_KEY]");
    expect(cleaned).toMatch(/^before .*after$/);
    expect(cleaned).not.toContain(text);
  });

  test.each(["", "u", "us", "use", "user:"])("in base64 after %j, of either alphabet", (before) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${before}${secret}, and more`, "utf8").toString(encoding);
      expect(withoutSecrets(env, text)).toMatch(/^.{0,8}\[WEATHER_API_KEY\].{8,20}$/);
      const alone = Buffer.from(before + secret, "utf8").toString(encoding);
      expect(withoutSecrets(env, alone)).toMatch(/^.{0,8}\[WEATHER_API_KEY\]$/);
      const unpadded = alone.replace(/=+$/, "");
      expect(withoutSecrets(env, unpadded)).toMatch(/^.{0,8}\[WEATHER_API_KEY\]$/);
    }
  });

  test("in hexadecimal digits, in either case", () => {
    const seed = "0123456789abcdef";
    expect(withoutSecrets({ A_SEED: seed }, `${seed} ${seed.toUpperCase()}`)).toBe("[A_SEED] [A_SEED]");
  });

  test("that is cut off by the end of the text, from 8 characters on", () => {
    const cut = { A_TOKEN: "token-1234567890" };
    expect(withoutSecrets(cut, "refused: token-12")).toBe("refused: [A_TOKEN]");
    expect(withoutSecrets(cut, "refused: token-1")).toBe("refused: token-1");
  });
});

describe("in a value, texts and names of members are masked, and its type is kept [OR-228]", () => {
  test("a JSON value, an object, a number", () => {
    const settings = { "x-api-key": "key-number-one-of-two", list: ["y"] };
    const own = { LLM_CREDENTIALS: JSON.stringify(settings), PIN_KEY: "123456789012" };
    const name = "[LLM_CREDENTIALS]";
    expect(withoutSecrets(own, settings)).toEqual({ "x-api-key": name, list: ["y"] });
    expect(withoutSecrets(own, { "key-number-one-of-two": 1 })).toEqual({ [name]: 1 });
    expect(withoutSecrets(own, [123456789012, 87654321, NaN])).toEqual(["[PIN_KEY]", 87654321, NaN]);
    expect(withoutSecrets(own, { at: new URL("https://x.example/?k=123456789012") })).toEqual({
      at: "https://x.example/?k=[PIN_KEY]",
    });
  });

  test("a value without secrets is returned unchanged, and so are bytes and dates", () => {
    const value = { a: [1, "two", null, { three: NaN }], b: new Uint8Array([1, 2]), c: new Date(0), d: undefined };
    expect(withoutSecrets(env, value)).toBe(value);
    expect(withoutSecrets({}, value)).toBe(value);
  });
});

describe("which values are secret [OR-236]", () => {
  test("each text of a JSON value, from 16 characters on, but no DID", () => {
    expect(LEAST_SECRET_LENGTH_IN_JSON).toBe(16);
    const own = {
      KEYS: JSON.stringify([{ key: "key-number-one-1", short: "key-number-two-", did: "did:example:somebody" }]),
    };
    const text = "key-number-one-1 key-number-two- did:example:somebody";
    expect(withoutSecrets(own, text)).toBe("[KEYS] key-number-two- did:example:somebody");
  });

  test("the longer of two secrets where one contains the other", () => {
    const own = { A_TOKEN: "token-123456", B_TOKEN: "token-1234567890" };
    expect(withoutSecrets(own, "token-1234567890, token-123456")).toBe("[B_TOKEN], [A_TOKEN]");
  });

  test("not one that is a character too short", () => {
    expect(LEAST_SECRET_LENGTH).toBe(8);
    const own = { A_KEY: "a".repeat(7), B_KEY: "b".repeat(8) };
    expect(withoutSecrets(own, `${own.A_KEY} ${own.B_KEY}`)).toBe(`${own.A_KEY} [B_KEY]`);
  });

  const secretNames =
    "API_KEY X_APIKEY ADMIN_TOKEN PATH_SECRET DB_PASSWORD A_PASSPHRASE ORACLE_MNEMONIC SIGNING_SEED KEYS PIN_KEYS_OLD API_KEY_2 AWS_CREDENTIALS";
  test.each(secretNames.split(" "))("%s is a secret's name", (name) => {
    expect(withoutSecrets({ [name]: "conversation" }, "a conversation")).toBe(`a [${name}]`);
  });

  const otherNames =
    "TOKEN_URL CACHE_KEY_PREFIX API_KEY_HEADER KEY_NAME KEY_ID TURN_MAX_TOKENS ROOT_MESSAGE KEYNOTE MONKEY SIGNING_PUBLIC_KEY LLM_HEADERS";
  test.each(otherNames.split(" "))("%s is not a secret's name", (name) => {
    expect(withoutSecrets({ [name]: "conversation" }, "a conversation")).toBe("a conversation");
  });
});

test("40 secrets in 256 KiB of text take less than 20 milliseconds [OR-237]", () => {
  const own = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`A${index}_KEY`, crypto.randomUUID()]));
  const text = `${"The stove of household 4821 burned 3.2 kg. ".repeat(6100)}${own["A7_KEY"]}`;
  expect(text.length).toBeGreaterThan(256 * 1024);
  expect(withoutSecrets(own, text)).toMatch(/kg\. \[A7_KEY\]$/);
  const times = Array.from({ length: 20 }, () => {
    const startedAt = performance.now();
    withoutSecrets(own, text);
    return performance.now() - startedAt;
  });
  expect(Math.min(...times)).toBeLessThan(20);
});

test("in MCP_SERVERS, headers, with and without their scheme, and queries are secret; names and addresses are not [OR-236]", () => {
  const url = "https://weather.example/a/long/address";
  const headers = { Authorization: "Bearer very-secret-value", "X-Api-Key": "another-secret-value", Accept: "*/*" };
  const server = { name: "a-server-with-a-long-name", url: `${url}?apiKey=third-secret-value`, headers };
  const servers = { MCP_SERVERS: JSON.stringify([server]) };
  const text = `${url} of a-server-with-a-long-name: `;
  for (const secretText of ["Bearer very-secret-value", "very-secret-value", "another-secret-value", server.url])
    expect(withoutSecrets(servers, text + secretText)).not.toContain("secret-value");
  expect(withoutSecrets(servers, `${text}*/*`)).toBe(`${text}*/*`);
  for (const wrong of ["no JSON", "[1,{}]", '[{"headers":null,"url":null}]', '[{"headers":[7],"url":"none"}]'])
    expect(withoutSecrets({ MCP_SERVERS: wrong }, text)).toBe(text);
  const cutOff = '[{"headers":{"X-Api-Key":"secret-value';
  expect(withoutSecrets({ MCP_SERVERS: cutOff }, `wrong: ${cutOff}`)).toBe("wrong: [MCP_SERVERS]");
});
