/** The registry's interface for other surfaces. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });
const lines: string[] = [];
const note = (event: string): void => void lines.push(event);
const log = { info: note, warn: note, error: note };
const directory = createDomainDirectory({ database: DATABASE, clock: () => edge.clock.now, log });
const owner = "did:web:port.test";
const unknown = `did:ixo:entity:${"0".repeat(32)}`;
const created: { id: string; type: string }[] = [];

beforeAll(async () => {
  const key = await edge.keyOf(owner, ["domains:write"]);
  for (const [at, name] of ["Sunflower stove", "Sunflower lamp", undefined].entries()) {
    edge.clock.now += 1000;
    const { body } = await edge.ask("POST", "/v1/domains", {
      key,
      body: {
        type: "Asset",
        class: unknown,
        metadata: name === undefined ? {} : { name },
        ...(at === 0 ? { validUntil: "2027-01-01T00:00:00Z", controllers: [owner, "did:web:second.test"] } : {}),
      },
    });
    created.push(body);
  }
});

const idOf = (at: number): string => created[at]?.id ?? "";
const ids = (result: { ok: boolean; value?: readonly { id: string }[] }) => result.value?.map(({ id }) => id);

test("one domain, as a summary and as a document [RG-135]", async () => {
  expect(await directory.get(idOf(0))).toEqual({
    ok: true,
    value: {
      id: idOf(0),
      type: "Asset",
      class: unknown,
      status: "active",
      verification: "AwaitingVerification",
      name: "Sunflower stove",
      validUntil: "2027-01-01T00:00:00Z",
      controllers: [owner, "did:web:second.test"],
    },
  });
  const bare = await directory.get(idOf(2));
  expect(bare.ok && Object.keys(bare.value)).not.toContain("name");
  expect(await directory.document(idOf(1))).toMatchObject({ ok: true, value: { id: idOf(1), controller: [owner] } });
  for (const id of [unknown, "did:web:elsewhere.test", "nothing"]) {
    expect(await directory.get(id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await directory.document(id)).toMatchObject({ ok: false, error: { code: "not_found" } });
  }
});

test("domains of controllers, newest first", async () => {
  expect(ids(await directory.listByControllers([owner], 10))).toEqual([idOf(2), idOf(1), idOf(0)]);
  expect(ids(await directory.listByControllers([owner, "did:web:second.test"], 10))).toHaveLength(3);
  expect(ids(await directory.listByControllers(["did:web:second.test"], 10))).toEqual([idOf(0)]);
  expect(ids(await directory.listByControllers([owner], 2))).toHaveLength(2);
  expect(ids(await directory.listByControllers([], 2))).toEqual([]);
});

describe("by the last characters of an id", () => {
  test.each([6, 8, 31, 32])("%i digits find it, in upper or lower case", async (digits) => {
    expect(ids(await directory.findBySuffix(idOf(0).slice(-digits), 5))).toEqual([idOf(0)]);
    expect(ids(await directory.findBySuffix(idOf(0).slice(-digits).toUpperCase(), 5))).toEqual([idOf(0)]);
  });

  test.each(["12345", "g12345", "", "0".repeat(33), "%25%25%25", "' OR 1"])("%j is not a suffix", async (suffix) => {
    expect(await directory.findBySuffix(suffix, 5)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  });

  test("the right six digits after wrong ones find nothing", async () => {
    const wrong = idOf(0).at(-7) === "0" ? "1" : "0";
    expect(ids(await directory.findBySuffix(wrong + idOf(0).slice(-6), 5))).toEqual([]);
  });
});

test("by words, the last as a prefix", async () => {
  expect(ids(await directory.search("sunfl", 5))?.toSorted()).toEqual([idOf(0), idOf(1)].toSorted());
  expect(ids(await directory.search("sunflower la", 5))).toEqual([idOf(1)]);
  for (const text of ["", "***", "x".repeat(201)]) {
    expect(await directory.search(text, 5)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  }
});

test("all of them page by page, by id, with their total", async () => {
  const walked: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page = await directory.page(2, cursor);
    if (!page.ok) throw new Error(page.error.message);
    walked.push(...page.value.domains.map(({ id }) => id));
    cursor = page.value.next;
  }
  expect(walked).toEqual(created.map(({ id }) => id).toSorted());
  expect(await directory.count()).toEqual({ ok: true, value: walked.length });
  expect(await directory.page(2, "nowhere")).toMatchObject({ ok: false, error: { code: "invalid_request" } });
});

test("the revision grows with every change", async () => {
  const before = await directory.revision();
  const key = await edge.keyOf(owner, ["domains:write"]);
  await edge.ask("POST", "/v1/domains", { key, body: { type: "Asset", class: unknown } });
  const after = await directory.revision();
  expect(after.ok && before.ok && after.value - before.value).toBe(1);
});

test("failing storage is a failure value, not a throw, and its reason stays in the log", async () => {
  const prepare = () => {
    throw new Error("D1_ERROR: Network connection lost.");
  };
  const broken = createDomainDirectory({ database: { prepare } as unknown as D1Database, clock: () => 0, log });
  const refused = { ok: false, error: { code: "unavailable", retryAfter: 1 } };
  for (const result of [
    await broken.get(unknown),
    await broken.count(),
    await broken.page(1),
    await broken.search("x", 1),
  ]) {
    expect(result).toMatchObject(refused);
    expect(JSON.stringify(result)).not.toContain("D1");
  }
  expect(lines).toContain("directory-failed");
});
