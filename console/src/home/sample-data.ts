/**
 * Fills an empty development system through the public interface, as a programme would: domains, a voter roll, one domain that was
 * voted Verified and one under vote. Each request is idempotent, so that a retry after a failure adds nothing twice.
 */
import { api } from "../api/api.ts";

const organisation = { name: "Sample Stove Cooperative", description: "Runs the sample programme." };

const protocolTexts = {
  name: "Clean Cooking Protocol (sample)",
  description: "Defines the reports of a clean-cooking project.",
};

const verified = { name: "Lusaka Pellet Stoves (sample)", description: "1,200 pellet stoves in Lusaka." };

const underVote = { name: "Ndola Ethanol Stoves (sample)", description: "400 ethanol stoves in Ndola." };

const awaiting = { name: "Kitwe Biogas (sample)", description: "Biogas for 60 households in Kitwe." };

const otherVoters = ["Amina (sample)", "Brian (sample)"];

/** Power of the signed-in user, who can decide alone, and of the two others, who together cannot veto. */
const OWN_WEIGHT = 70;
const OTHER_WEIGHTS = [20, 10] as const;
/** Their private keys were never stored, so the screens show voters without an API key. */
const OTHER_VOTERS = [
  "did:key:z6MkqjV9XjnK1pgRYL1npnHAjnDQT5hRiU9mbbHyEoJJDQm8",
  "did:key:z6MknjGTXyTYosATcjruJVhbokhWjzNm7SpKKiia4WTh5Vu5",
] as const;
const STOVES = 3;

/** @param onProgress called with the number of done requests and their total. */
export async function addSampleData(onProgress: (done: number, all: number) => void): Promise<void> {
  const { data: caller } = await api.GET("/v1/api-keys/current");
  const self = caller?.did ?? "";
  let protocol = "";
  const ids = new Map<string, string>();

  const create = async (
    key: string,
    body: { type: string; metadata: Record<string, string>; class?: string },
  ): Promise<string> => {
    const { data } = await api.POST("/v1/domains", {
      params: { header: { "Idempotency-Key": `sample-${key}` } },
      body: { class: protocol, ...body },
    });
    const id = data?.id ?? "";
    ids.set(key, id);
    return id;
  };
  const setVoter = async (did: string, weight: number, label: string): Promise<void> => {
    const { data } = await api.GET("/v1/voters", { params: { query: { limit: 100 } } });
    if (data?.data.some((voter) => voter.did === did) === true) return;
    await api.PUT("/v1/voters/{did}", { params: { path: { did } }, body: { weight, label } });
  };
  const propose = async (key: string, name: string): Promise<string> => {
    const { data } = await api.POST("/v1/domains/{id}/proposals", {
      params: { path: { id: ids.get(key) ?? "" }, header: { "Idempotency-Key": `sample-proposal-${key}` } },
      body: { title: `Verify ${name}`, summary: "Documents are complete; a visit has taken place.", package: {} },
    });
    return data?.id ?? "";
  };

  const requests: readonly (() => Promise<unknown>)[] = [
    async () => {
      protocol = await create("protocol", { type: "protocol/project", class: ROOT_PROTOCOL, metadata: protocolTexts });
    },
    () => create("organisation", { type: "Organisation", metadata: organisation }),
    () => create("verified", { type: "Project", metadata: verified }),
    () => create("under-vote", { type: "Project", metadata: underVote }),
    () => create("awaiting", { type: "Project", metadata: awaiting }),
    ...Array.from({ length: STOVES }, (_, index) => () => {
      const metadata = {
        name: `Stove ${index + 1} (sample)`,
        description: "Reports its burning hours every day.",
      };
      return create(`stove-${index + 1}`, { type: "Device", metadata });
    }),
    () => setVoter(self, OWN_WEIGHT, "Programme staff (sample)"),
    ...OTHER_WEIGHTS.map((weight, index) => () => {
      const label = otherVoters[index] ?? "";
      return setVoter(OTHER_VOTERS[index] ?? "", weight, label);
    }),
    async () => {
      const pid = await propose("verified", verified.name);
      await api.POST("/v1/proposals/{pid}/votes", {
        params: { path: { pid } },
        body: { option: "yes", rationale: "I have seen the site." },
      });
    },
    () => propose("under-vote", underVote.name),
  ];
  for (const [index, request] of requests.entries()) {
    onProgress(index, requests.length);
    await request();
  }
}

/** The class of the sample's protocol: the protocol that the documentation's examples use. */
const ROOT_PROTOCOL = "did:ixo:protocol/clean-cooking";
