/** Deleting all data of a user at the real oracle. */
import { expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { deleteUserData } from "./delete-user-data.ts";

test("sessions, facts and the delegation are deleted at the oracle, page by page [SD-293]", async () => {
  const { client, paths } = await clientOfOracle({ steps: [["answer"]] });
  const created = [];
  for (let count = 0; count < 3; count += 1) created.push(await client.sessions.create());
  expect(await deleteUserData(client)).toEqual({ sessions: 3, facts: 0 });
  expect(await client.sessions.list()).toMatchObject({ total: 0 });
  const deleted = paths().filter((path) => path.startsWith("DELETE"));
  expect(deleted.slice(0, 3).toSorted()).toEqual(
    created.map(({ sessionId }) => `DELETE /sessions/${sessionId}`).toSorted(),
  );
  expect(deleted.slice(3)).toEqual(["DELETE /memory", "DELETE /delegation"]);
});

test("facts and sign-ins are deleted too, and the function waits as long as a rate-limited oracle asks [SD-293]", async () => {
  let isBusy = true;
  const { client, paths } = await clientOfOracle({
    // The responses of plugins that this oracle does not have.
    before({ method, path }) {
      if (path === "/memory") return Response.json({ deleted: 7 });
      if (`${method} ${path}` === "GET /mcp/oauth") {
        const servers = [
          { name: "my calendar", signedIn: true },
          { name: "tasks", signedIn: false },
        ];
        return Response.json({ servers });
      }
      if (path.startsWith("/mcp/oauth/")) return Response.json({ signedOut: true });
      if (method !== "DELETE" || !isBusy) return undefined;
      isBusy = false;
      return Response.json({ message: "Too many requests", retryAfterMs: 1 }, { status: 429 });
    },
  });
  const { sessionId } = await client.sessions.create();
  expect(await deleteUserData(client)).toEqual({ sessions: 1, facts: 7 });
  const session = `DELETE /sessions/${sessionId}`;
  expect(paths().filter((path) => path.startsWith("DELETE"))).toEqual([
    session,
    session,
    "DELETE /memory",
    "DELETE /mcp/oauth/my%20calendar",
    "DELETE /delegation",
  ]);
});

test("a refusal rejects with its reason, and the caller's signal stops it [SD-293]", async () => {
  const { client, paths } = await clientOfOracle({
    before: ({ path }) => (path === "/memory" ? Response.json({ message: "No" }, { status: 500 }) : undefined),
  });
  await expect(deleteUserData(client)).rejects.toMatchObject({ status: 500 });
  const before = paths().length;
  await expect(deleteUserData(client, { signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow("left");
  expect(paths()).toHaveLength(before);
});
