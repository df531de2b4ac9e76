/** Addresses below /console that one screen links to and another owns. */

export function domainHref(id: string, tab?: string): string {
  return `/registry/domains/${encodeURIComponent(id)}${tab === undefined ? "" : `?tab=${tab}`}`;
}

export function proposalHref(id: string): string {
  return `/votes/${encodeURIComponent(id)}`;
}

/** The address for opening a proposal about a domain. */
export function newProposalHref(domainId: string, kind: "verify" | "revoke" = "verify"): string {
  return `/votes/new?domain=${encodeURIComponent(domainId)}${kind === "verify" ? "" : `&kind=${kind}`}`;
}
