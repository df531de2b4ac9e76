/** Addresses that one screen links to and another owns, below /console. */

export function domainHref(id: string, tab?: string): string {
  return `/registry/domains/${encodeURIComponent(id)}${tab === undefined ? "" : `?tab=${tab}`}`;
}

export function proposalHref(id: string): string {
  return `/votes/${encodeURIComponent(id)}`;
}

/** Where a proposal is opened for a domain. */
export function newProposalHref(domainId: string, kind: "verify" | "revoke" = "verify"): string {
  return `/votes/new?domain=${encodeURIComponent(domainId)}${kind === "verify" ? "" : `&kind=${kind}`}`;
}
