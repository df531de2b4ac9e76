/**
 * The registry of a small programme, created through the public API: two voters besides the developer, and domains that are
 * verified, proposed with a vote cast, rejected, and not yet proposed.
 */
import type { RunningServer } from "../server/running-server.ts";
import { developmentKeys } from "./development-keys.ts";

export interface RegistrySample {
  /** Domain ids. */
  readonly verified: string;
  /** Has an open proposal, with a yes of one voter; the developer has not voted. */
  readonly proposed: string;
  readonly rejected: string;
  /** Not proposed. */
  readonly fresh: string;
  readonly openProposal: string;
  readonly passedProposal: string;
  readonly rejectedProposal: string;
  /** API keys of the two voters who are not the developer; each has a third of the power. */
  readonly voters: readonly { readonly did: string; readonly apiKey: string }[];
}

/** The DID of the development key. */
export const DEVELOPER = "did:web:localhost";

/** A request to the public API; rejects with the answer if it is not ok. */
export async function callRegistry<Answer = { readonly id: string }>(
  { url }: RunningServer,
  method: string,
  path: string,
  { body, key = developmentKeys().apiKey }: { readonly body?: unknown; readonly key?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

export async function registrySample(server: RunningServer): Promise<RegistrySample> {
  const create = async (name: string, more: object = {}): Promise<string> => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name }, ...more };
    return (await callRegistry(server, "POST", "/v1/domains", { body })).id;
  };
  const propose = async (domain: string, title: string): Promise<string> => {
    const path = `/v1/domains/${encodeURIComponent(domain)}/proposals`;
    return (await callRegistry(server, "POST", path, { body: { title, package: {} } })).id;
  };
  const vote = (proposal: string, option: string, key?: string): Promise<unknown> =>
    callRegistry(server, "POST", `/v1/proposals/${proposal}/votes`, {
      body: { option, rationale: `Looked at it on site: ${option.replaceAll("_", " ")}.` },
      ...(key === undefined ? {} : { key }),
    });

  const people = [
    { did: "did:web:amina.example", label: "Amina" },
    { did: "did:web:brian.example", label: "Brian" },
  ];
  // Voters already on the roll would have to be replaced by their ETag.
  const roll = await callRegistry<{ readonly data: readonly { readonly did: string }[] }>(server, "GET", "/v1/voters");
  for (const { did } of roll.data) await callRegistry(server, "DELETE", `/v1/voters/${encodeURIComponent(did)}`);
  await callRegistry(server, "PUT", `/v1/voters/${encodeURIComponent(DEVELOPER)}`, {
    body: { weight: 1, label: "Developer" },
  });
  const voters = [];
  for (const { did, label } of people) {
    const scopes = ["domains:read", "verification:vote"];
    const { key } = await callRegistry<{ readonly key: string }>(server, "POST", "/v1/api-keys", {
      body: { label, did, scopes },
      key: developmentKeys().operatorToken,
    });
    await callRegistry(server, "PUT", `/v1/voters/${encodeURIComponent(did)}`, { body: { weight: 1, label } });
    voters.push({ did, apiKey: key });
  }
  const [amina, brian] = voters;
  const verified = await create("Nakuru clean stoves", {
    metadata: {
      name: "Nakuru clean stoves",
      description: "1,200 households in Nakuru cook with efficient stoves; each reports its use by phone.",
      tags: ["stoves", "Kenya"],
    },
  });
  const passedProposal = await propose(verified, "Verify the Nakuru stoves");
  for (const key of [undefined, amina?.apiKey]) await vote(passedProposal, "yes", key);
  const rejected = await create("Lusaka solar roofs", { class: "did:ixo:protocol/solar" });
  const rejectedProposal = await propose(rejected, "Verify the Lusaka roofs");
  for (const key of [undefined, amina?.apiKey]) await vote(rejectedProposal, "no", key);
  const proposed = await create("Kigali biogas plant", { type: "Asset" });
  const openProposal = await propose(proposed, "Verify the Kigali plant");
  await vote(openProposal, "yes", brian?.apiKey);
  const fresh = await create("Mangrove nursery of Mombasa");
  return { verified, proposed, rejected, fresh, openProposal, passedProposal, rejectedProposal, voters };
}
