/** Imports over the registry's routes. */
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";
import { answeredLines, ndjsonOf } from "./ndjson.ts";
import { registryEdge } from "./registry-edge.ts";

/** Issues the key of an importer for the file. */
export function importsForTests() {
  const { DATABASE } = env;
  const IMPORTER = "did:web:importer.test";
  const edge = registryEdge({ DATABASE });
  let key = "";
  beforeAll(async () => {
    key = await edge.keyOf(IMPORTER, ["registry:admin"]);
  });

  const minimal = { type: "Project", class: "did:ixo:protocol/clean-cooking" };
  const headers = { "Content-Type": "application/x-ndjson" };
  let imports = 0;
  const freshId = () => `import.${(imports += 1)}`;
  async function send(importId: string, lines: readonly unknown[], query = "") {
    const answer = await edge.call("POST", `/v1/imports/${importId}/lines${query}`, {
      key,
      headers,
      body: ndjsonOf(lines),
    });
    const received = await answeredLines(answer);
    return {
      status: answer.status,
      headers: answer.headers,
      reports: received.slice(0, -1),
      summary: received.at(-1)?.summary,
    };
  }

  return {
    DATABASE,
    IMPORTER,
    edge,
    get key() {
      return key;
    },
    minimal,
    headers,
    freshId,
    send,
  };
}
