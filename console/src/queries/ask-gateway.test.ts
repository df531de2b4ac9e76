/** Where a query goes, and where it does not. */
import { expect, test } from "vitest";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { askGateway } from "./ask-gateway.ts";

test("a redirect is not followed, so that it does not carry the key elsewhere [CN-190]", async () => {
  const asked: string[] = [];
  const server = await startLocalServer((request, _, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(307, { Location: "/v1/api-keys" }).end();
  });
  try {
    const request = { method: "GET", target: "/cosmos/bank", headers: {}, access: "bearer" } as const;
    const asking = askGateway(request, "a-secret", { origin: server.origin, signal: new AbortController().signal });
    await expect(asking).rejects.toMatchObject({ name: "ApiFailure", status: 0 });
    expect(asked).toEqual(["/cosmos/bank Bearer a-secret"]);
  } finally {
    await server.close();
  }
});
