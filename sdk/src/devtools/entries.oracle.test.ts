/** The entries that a client reports to the devtools while it communicates with a real oracle. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clientOfOracle } from "../../../test/support/sdk/client-of-oracle.ts";
import { createOracleTransport } from "../ai-sdk/oracle-transport.ts";
import type { InspectedEntry } from "../core/client-settings.ts";

test("no entry contains a token, whatever was requested and however it was refused [SD-204]", async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
  await fc.assert(
    fc.asyncProperty(
      secret,
      fc.constantFrom(401, 402, 403, 500, 503),
      fc.boolean(),
      async (accessToken, status, isRefused) => {
        const entries: InspectedEntry[] = [];
        const inspect = (entry: InspectedEntry): void => void entries.push(entry);
        const sent = new Set<string>();
        let refusals = isRefused ? 1 : 0;
        const { client } = await clientOfOracle(
          {
            steps: [["Hello ", "there"], ["again"], ["and again"]],
            before({ path, headers }) {
              for (const name of ["authorization", "x-ucan-delegation", "x-matrix-access-token"])
                sent.add(String(headers[name] ?? "").replace(/^Bearer /, ""));
              if (refusals === 0 || !path.startsWith("/messages/")) return undefined;
              refusals -= 1;
              // A proxy that echoes the request.
              return Response.json(
                { message: `Refused ${String(headers["authorization"])}`, code: "forbidden" },
                { status },
              );
            },
          },
          { inspect, matrix: { accessToken, homeServer: "https://matrix.test" } },
        );
        const { sessionId } = await client.sessions.create();
        const transport = createOracleTransport({ client, inspect });
        const message = { id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] };
        const options = { chatId: sessionId, messageId: undefined, abortSignal: undefined, messages: [message] };
        const stream = await transport.sendMessages({ ...options, trigger: "submit-message" }).catch(() => undefined);
        for await (const chunk of stream ?? []) void chunk;
        const chat = client.chat(sessionId);
        const release = chat.retain();
        await chat.send("and again").catch(() => undefined);
        release();
        client.dispose();
        sent.delete("");
        const written = JSON.stringify(entries);
        expect(new Set(entries.map(({ kind }) => kind))).toContain("request");
        expect([...sent].filter((token) => written.includes(token))).toEqual([]);
        expect(sent.size).toBeGreaterThanOrEqual(3);
        expect(written).not.toContain(accessToken);
      },
    ),
    { numRuns: 10 },
  );
});
