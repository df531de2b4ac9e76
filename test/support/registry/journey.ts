/** A domain's life as one list of responses, so that two databases can be compared. */
import type { Database } from "../../../platform/database/database.ts";
import { createRegistryFixture } from "./fixture.ts";

const SEARCHES = [
  "limit=2",
  "q=clean",
  "q=cle",
  "q=wat",
  "sort=name",
  "type=Project&type=dao",
  "verificationStatus=Verified",
  "owner=did:web:nobody.test&verificationStatus=Verified",
];
/** Filters of every kind of column: text, number, time, boolean, list and JSON. */
const FILTERS = [
  `name: { includesInsensitive: "a" }`,
  `name: { like: "%e%i%" }`,
  `name: { like: "_egistry%" }`,
  `name: { endsWith: "y" }`,
  `owner: { notIn: ["did:web:nobody.test"] }`,
  `entityVerified: { equalTo: true }`,
  `statusCode: { in: [0, 1] }`,
  `controller: { containedBy: ["did:web:nobody.test"] }`,
  `metadata: { contains: { level: 1.5 } }`,
  `metadata: { containsKey: "name" }`,
  `metadata: { in: [{ name: "x" }] }`,
  `name: { equalTo: "\\u0000" }`,
];

/** The responses without ids, digests and keys. */
export async function journey(database: Database): Promise<readonly string[]> {
  const fixture = await createRegistryFixture(database, [3, 2]);
  const id = await fixture.domain({ metadata: { name: "Registry", level: 1.5 } });
  const proposal = await fixture.propose(id);
  const votes = [await fixture.vote(proposal, 0), await fixture.vote(proposal, 1)];
  const paths = [
    `/v1/domains/${id}`,
    `/v1/domains/${id}/history`,
    `/v1/proposals/${proposal}`,
    `/v1/proposals/${proposal}/votes`,
    "/v1/changes",
    "/v1/voters",
    ...SEARCHES.map((query) => `/v1/domains?${query}`),
  ];
  const answers = [...votes];
  for (const path of paths) answers.push(await fixture.ask("GET", path, { key: fixture.admin }));
  for (const filter of FILTERS) {
    const query = `{ entities(first: 3, filter: { ${filter} }) { nodes { type } totalCount } }`;
    answers.push(await fixture.ask("POST", "/graphql", { key: fixture.admin, body: { query } }));
  }
  await fixture.finalise();
  return answers.map(({ status, body }) => `${status} ${withoutRandom(JSON.stringify(body))}`);
}

function withoutRandom(text: string): string {
  return text
    .replaceAll(/registry-\d+/g, "registry")
    .replaceAll(/prp_[A-Za-z0-9]+/g, "prp")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}/g, "random")
    .replaceAll(/"cursor":"[^"]*"|"nextCursor":"[^"]*"/g, '"cursor"');
}
