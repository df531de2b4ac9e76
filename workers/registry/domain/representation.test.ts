/** The history of a record explains all its changes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { createDomain } from "./creation.ts";
import type { Change, DomainRecord } from "./domain.ts";
import { changesBetween, explainedMembers } from "./representation.ts";
import { updateDomain } from "./update.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const OWNER = "did:web:owner.test";
const actor = { did: OWNER, scopes: [] };

/**
 * Applies a history entry as its reader would: sets each new value at its pointer. Within metadata, null removes the
 * member; elsewhere it is the value null.
 */
function explain(members: object, changes: readonly Change[]): object {
  const record = structuredClone(members) as Record<string, unknown>;
  for (const { path, to } of changes) {
    const tokens = path
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    const name = tokens.pop() ?? "";
    let place: unknown = record;
    for (const token of tokens) place = (place as Record<string, unknown>)[token];
    if (Array.isArray(place)) place[Number(name)] = to;
    else if (to === null && tokens[0] === "metadata") delete (place as Record<string, unknown>)[name];
    else Object.defineProperty(place, name, { value: to, enumerable: true, configurable: true, writable: true });
  }
  return record;
}

const member = fc.constantFrom("a", "b", "x/y", "m~n", "", "0", "constructor");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.integer(),
    fc.constantFrom("", "s", "t"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(member, tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));
const metadata = fc.dictionary(member, value, { maxKeys: 4, noNullPrototype: true });
const items = fc
  .uniqueArray(fc.constantFrom("#1", "#2", "#3", "#4"), { maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), type: fc.constantFrom("t", "u") }))));
const patch = fc.record(
  {
    metadata,
    externalId: fc.constantFrom(null, "x", "y"),
    controllers: fc.constantFrom([OWNER], [OWNER, "did:a:b"]),
    status: fc.constantFrom("active", "suspended"),
    document: fc.record({ linkedEntity: items }),
  },
  { requiredKeys: [] },
);

async function born(given: object): Promise<DomainRecord> {
  const birth = { id: `did:ixo:entity:${"0".repeat(32)}`, creator: OWNER, at: 1_000_000, relayerNode: undefined };
  const created = await createDomain({ type: "t", class: "did:a:b", ...given }, birth);
  if (!created.ok) throw new Error(created.error.message);
  return created.value.after;
}

test("each record equals the previous one with its changes applied, starting from the first [RG-83]", async () => {
  await fc.assert(
    fc.asyncProperty(metadata, fc.array(patch, { maxLength: 5 }), async (first, patches) => {
      let record = await born({ metadata: first });
      let explained = explain({ metadata: {} }, changesBetween(undefined, record));
      expect(explained).toEqual(withoutNulls(explainedMembers(record)));
      explained = explainedMembers(record);
      for (const [at, each] of patches.entries()) {
        const updated = await updateDomain(record, each as JsonObject, {
          actor,
          at: 2_000_000 + at,
          materialFields: [],
        });
        if (!updated.ok) throw new Error(JSON.stringify(updated.error));
        if (updated.value === undefined) continue;
        const { before, after } = updated.value;
        const changes = changesBetween(before, after);
        expect(changes.length).toBeGreaterThan(0);
        expect(after.version).toBe(record.version + 1);
        explained = explain(explained, changes);
        record = after;
        expect(explained).toEqual(explainedMembers(record));
      }
    }),
    { numRuns },
  );
});

/** The first entry lists only members that have a value. */
function withoutNulls(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null));
}

test("explains lists item by item if positions are stable, otherwise as a whole", async () => {
  const entry = (id: string, type = "t") => ({ id, type, relationship: "", service: "" });
  const withEntries = (...entries: object[]) => born({ document: { linkedEntity: entries } });
  const pathsFrom = async (before: object[], after: object[]) =>
    changesBetween(await withEntries(...before), await withEntries(...after)).map(({ path }) => path);
  expect(await pathsFrom([entry("#1"), entry("#2")], [entry("#1"), entry("#2", "u")])).toEqual([
    "/document/linkedEntity/1",
  ]);
  expect(await pathsFrom([entry("#1")], [entry("#1"), entry("#2")])).toEqual(["/document/linkedEntity/1"]);
  expect(await pathsFrom([entry("#1"), entry("#2")], [entry("#2")])).toEqual(["/document/linkedEntity"]);
});

test("does not list members that derive from other members", async () => {
  const before = await born({ metadata: { name: "A" } });
  const after = await born({ metadata: { name: "B" }, class: "did:a:c" });
  expect(changesBetween(before, { ...after, version: 2 }).map(({ path }) => path)).toEqual([
    "/class",
    "/metadata/name",
  ]);
  expect(isJsonObject(explainedMembers(after))).toBe(true);
});
