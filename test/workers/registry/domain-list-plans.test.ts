/** The plans of SQLite for lists of domains: no page reads more of the table than it shows. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readListQuery, sortFields, type DomainListQuery } from "../../../workers/registry/lists/domain-query.ts";
import { suffixQuery } from "../../../workers/registry/lists/directory.ts";
import { segmentsOfQuery } from "../../../workers/registry/lists/domain-order.ts";
import { countStatement } from "../../../workers/registry/lists/domain-total.ts";
import { pageStatement, pathsOf } from "../../../workers/registry/lists/page-statements.ts";

const { DATABASE } = env;

describe("plans: no page reads more of the table than it shows [RG-80]", () => {
  const queryFor = (text: string): DomainListQuery => {
    const query = readListQuery(new URLSearchParams(text));
    if (!query.ok) throw new Error(query.error.message);
    return query.value;
  };

  /** The plans for every segment of the list, from its start and from a cursor on. */
  async function plans(text: string, filter?: string): Promise<readonly string[]> {
    const query = queryFor(text);
    const path = pathsOf(query).find((each) => each.member === filter);
    if (filter !== undefined && path === undefined) throw new Error(`no path of ${filter}`);
    const steps: string[] = [];
    for (const segment of segmentsOfQuery(query)) {
      const after = segment.columns.map((sql) => (/id$|name$|type_key$/.test(sql) ? "k" : 5));
      for (const place of [{}, { after }]) {
        const statement = pageStatement(explaining, { query, path, segment, ...place, limit: 21 });
        const { results } = await statement.all<{ detail: string }>();
        steps.push(...results.map(({ detail }) => detail));
      }
    }
    return steps;
  }

  /** A database that explains whatever it is asked. */
  const explaining = {
    prepare: (sql: string) => DATABASE.prepare(`EXPLAIN QUERY PLAN ${sql}`),
  } as D1Database;

  const sorts = sortFields.filter((sort) => sort !== "relevance").flatMap((sort) => [sort, `-${sort}`]);

  test.each(sorts)("sort=%s walks an index in its order", async (sort) => {
    for (const filters of [
      "",
      "&type=project&status=active",
      "&validAt=2026-01-01&controller=did:a:b",
      "&createdFrom=2026-01-01&updatedTo=2026-01-02",
    ]) {
      const steps = await plans(`sort=${sort}${filters}`);
      expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
      expect(steps.filter((step) => /^SCAN domains(?! USING (?:COVERING )?INDEX)/.test(step))).toEqual([]);
    }
  });

  test.each([
    ["type=project", "type", "domains_by_type_creation (type_key=?"],
    ["type=project&type=asset&status=active", "type", "domains_by_type_creation (type_key=?"],
    ["type=project&status=suspended", "status", "domains_by_status_creation (status=?"],
    ["class=did:a:b", "class", "domains_by_class_creation (class=?"],
    ["owner=did:a:b&sort=createdAt", "owner", "domains_by_owner_creation (owner=?"],
    ["relayerNode=did:a:b", "relayerNode", "domains_by_relayer_node_creation (relayer_node=?"],
    ["externalId=x", "externalId", "domains_by_external_id (external_id=?"],
    [
      "verificationStatus=Verified",
      "verificationStatus",
      "domains_by_verification_status_creation (verification_status=?",
    ],
    ["controller=did:a:b", "controller", "domain_controllers_by_creation (did=?"],
    ["type=project&sort=id", "type", "domains_by_type (type_key=?"],
  ])("%s walks the index of %s", async (text, filter, index) => {
    const steps = await plans(text, filter);
    expect(
      steps.some((step) => step.includes(index)),
      steps.join("\n"),
    ).toBe(true);
    // Each of the two statements sorts once: it sorts a page per value. The walk itself needs none.
    expect(
      steps.filter((step) => /^SCAN (?!wanted|json_each|page|\(subquery)/.test(step)),
      steps.join("\n"),
    ).toEqual([]);
    expect(
      steps.filter((step) => step.includes("TEMP B-TREE")),
      steps.join("\n"),
    ).toHaveLength(2);
  });

  test("q walks the full-text index by its rows, newest first", async () => {
    for (const text of ["q=cook", "q=clean+cook&type=project&status=active"]) {
      const steps = await plans(text);
      expect(steps.some((step) => /SCAN domain_search VIRTUAL TABLE INDEX/.test(step))).toBe(true);
      expect(steps.some((step) => step.includes("SEARCH domains USING INTEGER PRIMARY KEY"))).toBe(true);
      expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
    }
  });

  test.each([
    ["type=project", "domains_by_type (type_key=?"],
    ["type=project&type=asset", "domains_by_type (type_key=?"],
    ["class=did:a:b", "domains_by_class (class=?"],
    ["owner=did:a:b&sort=name", "domains_by_owner (owner=?"],
    ["relayerNode=did:a:b", "domains_by_relayer_node_creation (relayer_node=?"],
    ["externalId=x", "domains_by_external_id (external_id=?"],
    ["status=suspended", "domains_by_status (status=?"],
    ["controller=did:a:b&controller=did:a:c", "domain_controllers_by_creation (did=?"],
    ["createdFrom=2026-01-01", "domains_by_creation (created_at>?"],
    ["updatedTo=2026-01-01", "domains_by_update (updated_at<?"],
  ])("count=true of %s counts in an index", async (text, index) => {
    const query = queryFor(text);
    const [path] = pathsOf({ ...query, sort: { field: "id", descending: false } });
    const { results } = await countStatement(explaining, query, path).all<{ detail: string }>();
    const steps = results.map(({ detail }) => detail);
    expect(
      steps.some((step) => step.includes(index)),
      steps.join("\n"),
    ).toBe(true);
    expect(steps.filter((step) => /^SCAN (?:domains|domain_controllers|held)\b/.test(step))).toEqual([]);
  });
});

test("a search by the last characters of an id reads their index instead of the table [RG-80]", async () => {
  const { results } = await DATABASE.prepare(`EXPLAIN QUERY PLAN ${suffixQuery}`)
    .bind("abcdef", 1)
    .all<{ detail: string }>();
  expect(results.map(({ detail }) => detail).join()).toContain("domains_by_suffix");
});
