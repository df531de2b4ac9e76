import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { newSecret, signedHeaders } from "./message.ts";

const secret = (byte: number) => newSecret((count) => new Uint8Array(count).fill(byte));

test("signs the scheme's own example", () => {
  const headers = signedHeaders({
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    at: 1_614_265_330_999,
    body: '{"test": 2432232314}',
    secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  });
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a secret has the scheme's form, and the holder of a secret can verify messages [RG-148]", () => {
  expect(secret(0)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const body = JSON.stringify({ type: "domain.verified", name: "Küche 🎉" });
  const headers = signedHeaders({ id: "msg_1", at: Date.now(), body, secrets: [secret(1), secret(2)] });
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  for (const byte of [1, 2]) expect(new Webhook(secret(byte)).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret(3)).verify(body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret(1)).verify(`${body} `, headers)).toThrow("No matching signature");
});
