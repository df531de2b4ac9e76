/** Pages over domains with large documents: limited by bytes, and every domain is still reached. Real D1. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import ixoImage from "../../../proto/descriptors/ixo.binpb";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { RANGE_BYTES } from "../../../workers/registry/lists/directory.ts";
import { gatewayEdge } from "../../support/query-gateway/gateway-edge.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const DOMAINS = 600;
const DOCUMENT_BYTES = 100_000;
/** A page ends with the domain that reaches its limit. */
const MOST_PER_PAGE = Math.ceil(RANGE_BYTES / DOCUMENT_BYTES);

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const registry = registryEdge({ DATABASE: env.DATABASE });
const source = createDomainDirectory({ database: env.DATABASE, clock: () => registry.clock.now, log: silent });
const { ask } = gatewayEdge({ image: new Uint8Array(ixoImage), source });

beforeAll(async () => {
  const key = await registry.keyOf("did:ixo:large", ["domains:write"]);
  const body = { type: "asset", protocol: "did:ixo:protocol/x", metadata: { name: "N" } };
  await registry.ask("POST", "/v1/domains", { key, body });
  const document = JSON.stringify({
    service: [{ id: "#s", type: "S", serviceEndpoint: `https://s.example/${"x".repeat(DOCUMENT_BYTES)}` }],
  });
  const { results } = await env.DATABASE.prepare("PRAGMA table_info(domains)").all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => name !== "number");
  const values = names.map((name) => {
    if (name === "id") return "printf('did:ixo:entity:%032x', n)";
    return name === "document" ? "?1" : name;
  });
  await env.DATABASE.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${DOMAINS})
     INSERT INTO domains (${names.join(", ")})
     SELECT ${values.join(", ")} FROM numbers, (SELECT * FROM domains LIMIT 1)`,
  )
    .bind(document)
    .run();
});

test.each([
  ["/ixo/entity", "entities", false],
  ["/ixo/did/dids", "iidDocuments", true],
])(
  "%s ends early with next_key, and following it reaches every domain [QG-93]",
  async (path, name, reverse) => {
    const seen: string[] = [];
    let key = "";
    let pages = 0;
    do {
      const query = `pagination.limit=1000&pagination.reverse=${reverse}&pagination.key=${encodeURIComponent(key)}`;
      const { status, body, text } = await ask(`${path}?${query}`);
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(RANGE_BYTES + 2 * DOCUMENT_BYTES);
      expect(body[name].length).toBeLessThanOrEqual(MOST_PER_PAGE + 1);
      seen.push(...body[name].map(({ id }: { id: string }) => id));
      key = body.pagination.next_key ?? "";
      pages += 1;
    } while (key !== "");
    const { results } = await env.DATABASE.prepare("SELECT id FROM domains ORDER BY id").all<{ id: string }>();
    const ids = results.map(({ id }) => id);
    expect(seen).toEqual(reverse ? ids.toReversed() : ids);
    expect(pages).toBeGreaterThanOrEqual(Math.floor(DOMAINS / MOST_PER_PAGE));
  },
  60_000,
);

test("a domain that is larger than a page gets its own page", async () => {
  const document = JSON.stringify({ service: [{ id: "#s", type: "S", serviceEndpoint: "x".repeat(RANGE_BYTES) }] });
  await env.DATABASE.prepare("UPDATE domains SET document = ?1 WHERE id = printf('did:ixo:entity:%032x', 1)")
    .bind(document)
    .run();
  const page = await source.entities({ offset: 0, limit: 1000, reverse: false, count: true });
  const { entities, total, next } = page.ok ? page.value.value : { entities: [] };
  expect([entities.length, total, next]).toEqual([1, DOMAINS + 1, `did:ixo:entity:${"2".padStart(32, "0")}`]);
});

test("limits other surfaces' pages likewise", async () => {
  const seen: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page = await source.page(1000, cursor);
    if (!page.ok) throw new Error(page.error.message);
    expect(page.value.domains.length).toBeLessThanOrEqual(MOST_PER_PAGE + 1);
    seen.push(...page.value.domains.map(({ id }) => id));
    cursor = page.value.next;
  }
  expect(new Set(seen).size).toBe(DOMAINS + 1);
});
