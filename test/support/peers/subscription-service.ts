/**
 * A mock subscription service: `GET /api/v1/subscriptions` for the holder of an invocation that is addressed to it, which an oracle
 * mints from the holder's delegation. Its DID document is where an oracle looks for it. Node only.
 */
import { Delegation } from "@ucanto/core";
import { startNodeFetchServer } from "./node-fetch-server.ts";
import type { Peer } from "./peer.ts";
import { signer } from "../auth/ucan.ts";

export interface Subscription {
  readonly status: "active" | "inactive" | "processing" | "trial";
  readonly totalCredits: number;
}

export interface SubscriptionService extends Peer {
  /** Its answer to everyone: a subscription, none, a status, or a delay in milliseconds. */
  answer: Subscription | "none" | { readonly status: number } | { readonly silentMs: number };
  /** The payers in order: the issuer of the root delegation of each accepted invocation. */
  readonly payers: readonly string[];
  /** Requests without such an invocation. */
  readonly refused: number;
}

/** The seed of its key, unique in these tests. */
const KEY = 93;

export async function startSubscriptionService(): Promise<SubscriptionService> {
  const { did } = await signer(KEY).then((key) => ({ did: key.did() }));
  const payers: string[] = [];
  const state = { answer: { status: "active", totalCredits: 1_000 } as SubscriptionService["answer"], refused: 0 };

  const server = await startNodeFetchServer(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/did.json") return Response.json({ id: did, service: [] });
    if (pathname !== "/api/v1/subscriptions") return Response.json({ message: "Not Found" }, { status: 404 });
    const payer = await payerOf(request, did);
    if (payer === undefined) {
      state.refused += 1;
      return Response.json({ message: "Unauthorized" }, { status: 401 });
    }
    payers.push(payer);
    const { answer } = state;
    if (answer === "none") return Response.json({ message: "No subscription" }, { status: 404 });
    if ("silentMs" in answer) {
      await new Promise((resolve) => setTimeout(resolve, answer.silentMs));
      return Response.json({ status: "active", totalCredits: 1_000 });
    }
    if (typeof answer.status === "number") return new Response("broken", { status: answer.status });
    return Response.json({ ...answer, currentPlan: "pro", currentPlanName: "Pro" });
  });

  return {
    name: "subscriptions",
    url: server.url,
    // Used with CREDITS_BACKEND=remote.
    variables: { SUBSCRIPTION_URL: server.url },
    get answer() {
      return state.answer;
    },
    set answer(answer) {
      state.answer = answer;
    },
    payers,
    get refused() {
      return state.refused;
    },
    stop: () => server.stop(),
  };
}

async function payerOf({ headers }: Request, audience: string): Promise<string | undefined> {
  const [, token] = /^Bearer (\S+)$/.exec(headers.get("Authorization") ?? "") ?? [];
  if (token === undefined || headers.get("X-Auth-Type") !== "ucan") return undefined;
  const read = await Delegation.extract(Buffer.from(token, "base64"));
  if (read.ok === undefined || read.ok.audience.did() !== audience) return undefined;
  const [capability] = read.ok.capabilities;
  const [proof] = read.ok.proofs;
  if (capability.can !== "subscriptions/read" || capability.with !== "ixo:subscriptions") return undefined;
  return proof !== undefined && "issuer" in proof ? proof.issuer.did() : undefined;
}
