/** Requests to services other than an oracle never carry a user's tokens to another address. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OfflineError } from "../core/errors.ts";
import { requestJson } from "./json-request.ts";

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a redirect carries no token and no body [SD-29]", async () => {
  let stolen = 0;
  const thief = await listening(
    createServer((_request, response) => {
      stolen += 1;
      response.end("{}");
    }),
  );
  const service = await listening(
    createServer((_request, response) => void response.writeHead(308, { location: thief }).end()),
  );
  const body = { openid_token: { access_token: "secret" } };
  await expect(requestJson(service, { method: "POST", body, service: "It" })).rejects.toBeInstanceOf(OfflineError);
  await expect(requestJson(service, { accessToken: "syt", service: "It" })).rejects.toBeInstanceOf(OfflineError);
  expect(stolen).toBe(0);
  expect(await requestJson(service, { service: "It" })).toEqual({});
});

test("an incomplete response counts as an unreachable service", async () => {
  const service = await listening(
    createServer((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
    }),
  );
  await expect(requestJson(service, { service: "It" })).rejects.toBeInstanceOf(OfflineError);
});
