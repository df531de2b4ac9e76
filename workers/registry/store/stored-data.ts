/** The registry's tables (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

const PUBLIC_RECORD = "kept: the registry is a public record of who did what";
const FOREVER = "forever";

export const registryData: StoredData = {
  place: "DATABASE",
  holdings: {
    domains: {
      about: ["registry user"],
      holds:
        "the current state of a domain: all data that a client writes into it, and the DIDs of its owner and controllers",
      why: "the register itself",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    domain_controllers: {
      about: ["registry user"],
      holds: "DIDs of controllers by domain",
      why: "lists by controller",
      kept: "as long as the domain names them",
      erased: PUBLIC_RECORD,
    },
    domain_history: {
      about: ["registry user"],
      holds: "every version of a domain with the DID of its author and the reason",
      why: "anyone can verify how a domain came about",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    domain_search: {
      about: ["registry user"],
      holds: "the words of names and descriptions of domains",
      why: "search",
      kept: "as long as the domain contains them",
      erased: PUBLIC_RECORD,
    },
    domain_counts: {
      about: ["registry user"],
      holds: "counts of domains by type, class, relayer node and owner DID",
      why: "totals of lists",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    changes: "the order of all versions of domains",
    registry_jobs: "positions of background jobs",
    expectations: "nothing: it has no rows",
    proposals: {
      about: ["registry user"],
      holds: "proposals with the DID of their author, rules and tally",
      why: "decisions are verifiable",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    copied_electors: {
      about: ["registry user"],
      holds: "DIDs and weights of the electors of proposals from before the roll had versions",
      why: "decisions are verifiable",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    votes: {
      about: ["registry user"],
      holds: "votes: DID, choice and rationale",
      why: "decisions are verifiable",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    voters: {
      about: ["registry user"],
      holds: "the voter roll: DID, weight and label",
      why: "who may vote",
      kept: "until staff remove the voter",
      erased: PUBLIC_RECORD,
    },
    roll_changes: {
      about: ["registry user"],
      holds: "every change of the roll: DID, weight, label and the DID of its author",
      why: "decisions are verifiable",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    quota_uses: {
      about: ["registry user"],
      holds: "bytes and proposals of a day by key, owner DID and domain",
      why: "quotas",
      kept: "until the day is over",
      erased: "kept until the day is over: an erasure resets no limit",
    },
    api_keys: {
      about: ["registry user"],
      holds: "name, DID and scopes of a key, and its hash",
      why: "access to the registry",
      kept: FOREVER,
      erased: "kept: staff revoke the key; its name should not be a person's",
    },
    idempotency: {
      about: ["registry user"],
      holds: "responses that a repeated request receives again, by DID",
      why: "a repeated request acts once",
      kept: "24 hours",
      erased: "kept for the rest of the 24 hours",
    },
    imports: {
      about: ["registry user"],
      holds: "bulk imports and the DID that started each",
      why: "an interrupted import continues",
      kept: FOREVER,
      erased: PUBLIC_RECORD,
    },
    import_lines: "digests of imported lines",
    webhooks: {
      about: ["registry user"],
      holds: "receivers of changes and the DID that created each",
      why: "delivery of changes",
      kept: "until staff delete the webhook",
      erased: PUBLIC_RECORD,
    },
  },
};
