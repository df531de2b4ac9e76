/** Requests whose statements have their plans tested on each engine: every list with its filters. */

const did = "did:web:plans.test";
/** Filters, and the column of the index by which each is searched. */
export const indexedFilters = [
  ["type=project", "type_key"],
  ["class=did:a:b", "class"],
  [`controller=${did}`, "did"],
  [`owner=${did}`, "owner"],
  [`relayerNode=${did}`, "relayer_node"],
  ["externalId=x", "external_id"],
  ["status=active", "status"],
  ["verificationStatus=Verified", "verification_status"],
  ["createdFrom=2026-01-01", "created_at"],
  ["updatedTo=2026-01-01", "updated_at"],
  [`type=project&status=active&owner=${did}&validAt=2026-01-01`, "owner"],
] as const;
const filters = [...indexedFilters.map(([filter]) => filter), "validAt=2026-01-01", "q=cook"];

export function plannedPaths(domainId: string, proposalId: string): readonly string[] {
  return [
    ...filters.map((filter) => `/v1/domains?${filter}`),
    ...filters.map((filter) => `/v1/domains?${filter}&sort=name&count=true`),
    ...filters.map((filter) => `/v1/export?${filter}`),
    ...[
      "",
      "state=open",
      "kind=verify",
      "proposer=did:a:b",
      "domain=did:a:b&domain=did:a:c",
      "state=open&kind=verify",
    ].map((filter) => `/v1/proposals?electorate=me&${filter}`),
    `/v1/domains/${domainId}/proposals`,
    `/v1/domains/${domainId}/history`,
    `/v1/proposals/${proposalId}/votes`,
    `/v1/votes/me?proposal=${proposalId}&proposal=prp_none`,
    "/v1/changes?after=0",
    "/v1/voters",
    "/v1/imports",
  ];
}
