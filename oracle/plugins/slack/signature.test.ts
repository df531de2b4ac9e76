/** The signature of Slack's requests: Slack's own example, invalid signatures, and the age limit. */
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isFromSlack, MAX_AGE_SECONDS, signedHeaders } from "./signature.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
const secret = "8f742231b10e8888abcd99yyyzzz85a5";
const now = 1_531_420_618;
const body = bytesOf("token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&text=ümlaut");

function headers(change: Readonly<Record<string, string>> = {}): Headers {
  const signature = createHmac("sha256", secret).update(`v0:${now}:`).update(body).digest("hex");
  return new Headers({ "X-Slack-Request-Timestamp": String(now), "X-Slack-Signature": `v0=${signature}`, ...change });
}

async function passes(of: Headers, seconds = now, bytes: Uint8Array<ArrayBuffer> = body): Promise<boolean> {
  const signed = signedHeaders(of, seconds * 1_000);
  return signed !== undefined && (await isFromSlack(signed, bytes, secret));
}

describe("a request of Slack [OR-361]", () => {
  test("passes with the signature of its time and body", async () => {
    expect(await passes(headers())).toBe(true);
  });

  test("is refused with another body, time, secret or form of signature", async () => {
    expect(await passes(headers(), now, bytesOf("token=other"))).toBe(false);
    expect(await passes(headers({ "X-Slack-Request-Timestamp": String(now + 1) }))).toBe(false);
    const given = headers().get("X-Slack-Signature") ?? "";
    for (const wrong of [
      "",
      given.slice(0, -1),
      `${given}0`,
      given.slice(3),
      given.replace("v0=", "v1="),
      given.toUpperCase(),
      given.slice(0, -1) + (given.endsWith("0") ? "1" : "0"),
    ])
      expect(await passes(headers({ "X-Slack-Signature": wrong })), wrong).toBe(false);
    for (const wrong of ["", "now", `${now}.5`, `-${now}`, ` ${"9".repeat(13)}`])
      expect(await passes(headers({ "X-Slack-Request-Timestamp": wrong })), wrong).toBe(false);
  });

  test("is refused when its time differs by more than 300 seconds in either direction", async () => {
    expect(MAX_AGE_SECONDS).toBe(300);
    expect(await passes(headers(), now + 300)).toBe(true);
    expect(await passes(headers(), now + 301)).toBe(false);
    expect(await passes(headers(), now - 300)).toBe(true);
    expect(await passes(headers(), now - 301)).toBe(false);
  });
});
