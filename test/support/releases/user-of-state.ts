/** What a release stores through its public routes, and how a later release is asked for it. */
import * as z from "zod";
import { sessionRecord } from "../../../protocol/records.ts";
import { createOracleClient } from "../../../scripts/chat/oracle-client.ts";
import { seedIssuer } from "../../../sdk/src/core/key-issuer.ts";
import { REGISTRY_KEY } from "./state-server.ts";

const SEED = new Uint8Array(32).fill(9);
const PHONE = "+260971234567";
const PIN = "43219";
const anything = z.looseObject({});

/** What `fillState` returns, stored with the state. */
export const storedNames = z.object({ domain: z.string(), session: z.string(), customer: z.string() });
type StoredNames = z.infer<typeof storedNames>;

async function chatOf(url: string) {
  const identity = await seedIssuer(SEED);
  const { signal } = new AbortController();
  return createOracleClient({ url, identity, fetch, now: () => Date.now(), interrupted: signal });
}

async function registry(url: string, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${REGISTRY_KEY}`, "Content-Type": "application/json", "If-Match": "*" };
  const response = await fetch(url + path, { ...init, headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** The screens of one call. */
async function call(url: string, sessionId: string, ...inputs: readonly string[]): Promise<readonly string[]> {
  const screens: string[] = [];
  for (let count = 0; count <= inputs.length; count += 1) {
    const text = inputs.slice(0, count).join("*");
    const body = new URLSearchParams({ sessionId, serviceCode: "*2233#", phoneNumber: PHONE, text });
    screens.push(await (await fetch(`${url}/api/ussd`, { method: "POST", body })).text());
  }
  return screens;
}

/** A domain with two versions, a chat with one turn, and a phone account. */
export async function fillState(url: string): Promise<StoredNames> {
  const created = await registry(url, "/v1/domains", {
    method: "POST",
    body: JSON.stringify({ type: "Project", class: "did:ixo:protocol/cooking", metadata: { name: "Stoves" } }),
  });
  const { id: domain } = z.object({ id: z.string() }).parse(created);
  await registry(url, `/v1/domains/${domain}`, { method: "PATCH", body: JSON.stringify({ externalId: "ST-1" }) });
  const client = await chatOf(url);
  const { sessionId: session } = await client.call("POST", "/sessions", sessionRecord);
  await client.call("POST", `/messages/${session}`, anything, { message: "hello" });
  const screens = await call(url, "release-1", "2", "2", "John Doe", "00", PIN, PIN);
  const [, customer = ""] = /Your Customer ID: (\S+)/.exec(screens.at(-1) ?? "") ?? [];
  return storedNames.parse({ domain, session, customer });
}

/** The answers of the public routes about it. */
export async function readState(url: string, { domain, session, customer }: StoredNames): Promise<unknown> {
  const client = await chatOf(url);
  const login = await call(url, `login-${Date.now()}`, "2", "1", customer, PIN);
  return {
    domain: await registry(url, `/v1/domains/${domain}`),
    history: await registry(url, `/v1/domains/${domain}/history`),
    transcript: await client.call("GET", `/messages/${session}`, anything),
    login: login.at(-1),
  };
}
