/** Query texts as operands, and operands in index form, by the kind of the column. */
import { describe, expect, test } from "vitest";
import { domainId, domainRecord } from "../../../test/support/registry/domain-records.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { createBindings } from "../store/sql.ts";
import { accessPaths } from "./access-paths.ts";
import { entityFilterColumns, equalityOf, storedValue } from "./columns.ts";
import { compileFilter } from "./filter/compile.ts";

const { type, statusCode, entityVerified, verificationStatus, startDate, controller, metadata } = entityFilterColumns;

describe("converts a query text to an operand of the column's kind [RG-76]", () => {
  test.each([
    ["text", type, ["project", "true"], { in: ["project", "true"] }],
    ["boolean", entityVerified, ["true", "false"], { in: [true, false] }],
    ["integer", statusCode, ["3", "-1"], { in: [3, -1] }],
    ["time", startDate, ["1970-01-01T00:00:01Z"], { in: [1000] }],
    ["list of texts", controller, ["did:a:b"], { overlaps: ["did:a:b"] }],
  ])("%s", (_, column, texts, operand) => {
    expect(equalityOf(column, texts)).toEqual(operand);
  });

  test.each([
    ["boolean", entityVerified, "yes"],
    ["integer", statusCode, "1.5"],
    ["integer", statusCode, ""],
    ["time", startDate, "never"],
    ["JSON", metadata, "{}"],
  ])("returns no operand for a text that is not a valid %s", (_, column, text) => {
    expect(equalityOf(column, [text])).toBeUndefined();
  });
});

test("a boolean in a query finds the rows with that value [RG-76]", async () => {
  const registry = registryInNode();
  const [verified, waiting] = [domainId(1), domainId(2)];
  await registry.store(domainRecord(1, { verificationStatus: "Verified" }));
  await registry.store(domainRecord(2));
  const found = async (texts: readonly string[]) => {
    const bindings = createBindings();
    const filter = { entityVerified: equalityOf(entityVerified, texts) };
    const answers = await registry.judge(compileFilter(filter, entityFilterColumns, bindings), bindings.values);
    return [...answers].filter(([, holds]) => holds).map(([id]) => id);
  };
  expect([await found(["true"]), await found(["false"])]).toEqual([[verified], [waiting]]);
  expect((await found(["true", "false"])).toSorted()).toEqual([verified, waiting].toSorted());
});

test.each([
  [entityVerified, true, 1],
  [entityVerified, false, 0],
  [entityVerified, "true", undefined],
  [statusCode, 3, 3],
  [startDate, 1000, 1000],
  [verificationStatus, "VERIFIED", "Verified"],
  [type, 1, undefined],
  [metadata, "a", undefined],
])("converts an operand to its index form: %#", (column, operand, stored) => {
  expect(storedValue(column, operand)).toBe(stored);
});

test.each([
  [{ entityVerified: { equalTo: true } }, "verificationStatus", ["Verified"]],
  [{ status: { in: ["ACTIVE", "Suspended"] } }, "status", ["active", "suspended"]],
  [{ owner: { equalTo: null, notDistinctFrom: "did:a:b" } }, "owner", ["did:a:b"]],
])("%j uses the access path of %s", (filter, member, values) => {
  expect(accessPaths(filter)).toMatchObject([{ member, values }]);
});

test.each([
  { entityVerified: { equalTo: false } },
  { entityVerified: { in: [true, false] } },
  { owner: { in: [true] } },
])("%j has no access path", (filter) => {
  expect(accessPaths(filter)).toEqual([]);
});
