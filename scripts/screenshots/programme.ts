/** The sample data of the pictures: a clean-cooking programme with its voters, made through the public interface. */
import { callRegistry, DEVELOPER } from "../../test/support/console/registry-sample.ts";
import { developmentKeys } from "../../test/support/console/development-keys.ts";
import type { RunningServer } from "../../test/support/server/running-server.ts";

export interface Programme {
  /** Id of the domain with the open proposal. */
  readonly underVote: string;
  readonly openProposal: string;
}

const CLEAN_COOKING = "did:ixo:protocol/clean-cooking";
const OFFICE_WEIGHT = 3;

const voters = [
  { did: "did:web:amina.example", label: "Amina, stove technician", weight: 2 },
  { did: "did:web:brian.example", label: "Brian, farmers' cooperative", weight: 1 },
  { did: "did:web:chanda.example", label: "Chanda, county office", weight: 1 },
  { did: "did:web:dalia.example", label: "Dalia, auditor", weight: 1 },
] as const;

const underVote = {
  name: "Kigali biogas plant",
  description: "A digester that turns the waste of 60 households into gas for cooking.",
  location: "Kigali, Rwanda",
  households: 60,
};

const evidence = [
  {
    type: "Site report",
    uri: "https://example.org/reports/kigali-2026-10",
    description: "A visit on 12 October, with photographs of the digester and the meter.",
  },
];

export async function fillProgramme(server: RunningServer): Promise<Programme> {
  const create = async (type: string, metadata: object): Promise<string> => {
    const body = { type, class: CLEAN_COOKING, metadata };
    return (await callRegistry(server, "POST", "/v1/domains", { body })).id;
  };
  const propose = async (domain: string, body: object): Promise<string> => {
    const path = `/v1/domains/${encodeURIComponent(domain)}/proposals`;
    return (await callRegistry(server, "POST", path, { body })).id;
  };
  const vote = (proposal: string, option: string, rationale: string, key?: string): Promise<unknown> =>
    callRegistry(server, "POST", `/v1/proposals/${proposal}/votes`, {
      body: { option, rationale },
      ...(key === undefined ? {} : { key }),
    });

  await setVoter(server, DEVELOPER, OFFICE_WEIGHT, "Programme office");
  const keys: string[] = [];
  for (const { did, label, weight } of voters) {
    const body = { label, did, scopes: ["domains:read", "verification:vote"] };
    const { operatorToken } = developmentKeys();
    const { key } = await callRegistry<{ readonly key: string }>(server, "POST", "/v1/api-keys", {
      body,
      key: operatorToken,
    });
    await setVoter(server, did, weight, label);
    keys.push(key);
  }
  const [amina, brian, chanda] = keys;

  await create("Organisation", { name: "Stove makers of Eldoret", description: "Builds and repairs pellet stoves." });
  const nakuru = await create("Project", {
    name: "Nakuru clean stoves",
    description: "1,200 households in Nakuru cook with efficient stoves; each reports its use by phone.",
  });
  const nakuruVote = await propose(nakuru, { title: "Verify the Nakuru stoves", package: {} });
  for (const key of [undefined, amina, brian]) await vote(nakuruVote, "yes", "I have seen the stoves in use.", key);
  const lusaka = await create("Project", {
    name: "Lusaka solar cookers",
    description: "400 solar cookers in Lusaka.",
  });
  const lusakaVote = await propose(lusaka, { title: "Verify the Lusaka cookers", package: {} });
  for (const key of [undefined, amina]) await vote(lusakaVote, "no", "The meter readings are missing.", key);
  for (const number of ["KE-0041", "KE-0042"])
    await create("Device", { name: `Stove ${number}`, description: "Reports its burning hours every day." });
  await create("Project", { name: "Ndola ethanol stoves", description: "400 ethanol stoves in Ndola." });

  const plant = await create("Project", underVote);
  const openProposal = await propose(plant, {
    title: "Verify the Kigali biogas plant",
    summary: "The digester has run since July. The site report and the meter readings are attached.",
    package: { evidence },
  });
  await vote(openProposal, "yes", "I was at the site in October: the digester runs and the meter works.", brian);
  await vote(openProposal, "no", "The readings of September are missing. I will agree once they are here.", chanda);
  return { underVote: plant, openProposal };
}

async function setVoter(server: RunningServer, did: string, weight: number, label: string): Promise<void> {
  await callRegistry(server, "PUT", `/v1/voters/${encodeURIComponent(did)}`, { body: { weight, label } });
}
