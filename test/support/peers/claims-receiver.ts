/**
 * A mock of a billing service: accepts each claim once by its idempotency key, and can be slow, broken, or die after it has
 * accepted one. Node only.
 */
import * as z from "zod";
import { startNodeFetchServer } from "./node-fetch-server.ts";
import type { Peer } from "./peer.ts";

export interface ReceivedClaim {
  readonly key: string;
  readonly payer: string;
  /** Credits. */
  readonly amount: number;
}

export interface ClaimsReceiver extends Peer {
  /** How it handles the next claims. `taken-and-lost`: it accepts the claim, and its answer never arrives. */
  mode: "takes" | "refuses" | "taken-and-lost";
  /** Delay of each answer, milliseconds. */
  delayMs: number;
  /** Every request, including repeats. */
  readonly requests: readonly ReceivedClaim[];
  /** The accepted claims, each once. */
  readonly claims: ReadonlyMap<string, ReceivedClaim>;
}

const sentClaim = z.object({ id: z.string(), payer: z.string(), amount: z.number() });
const TOKEN = "the receiver's token";

export async function startClaimsReceiver(): Promise<ClaimsReceiver> {
  const requests: ReceivedClaim[] = [];
  const claims = new Map<string, ReceivedClaim>();
  const state = { mode: "takes" as ClaimsReceiver["mode"], delayMs: 0 };

  const server = await startNodeFetchServer(async (request) => {
    if (request.headers.get("Authorization") !== `Bearer ${TOKEN}`)
      return Response.json({ message: "Unauthorized" }, { status: 401 });
    const key = request.headers.get("Idempotency-Key") ?? "";
    const { id, payer, amount } = sentClaim.parse(await request.json());
    if (id !== key) return Response.json({ message: "The key is not the claim's" }, { status: 400 });
    requests.push({ key, payer, amount });
    if (state.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, state.delayMs));
    if (state.mode === "refuses") return Response.json({ message: "Not now" }, { status: 503 });
    claims.set(key, { key, payer, amount });
    if (state.mode === "taken-and-lost") return new Promise<Response>(() => undefined);
    return Response.json({ received: true }, { status: 201 });
  });

  return {
    name: "claims",
    url: server.url,
    variables: { CLAIMS_URL: `${server.url}/claims`, CLAIMS_TOKEN: TOKEN },
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    get delayMs() {
      return state.delayMs;
    },
    set delayMs(delayMs) {
      state.delayMs = delayMs;
    },
    requests,
    claims,
    stop: () => server.stop(),
  };
}
