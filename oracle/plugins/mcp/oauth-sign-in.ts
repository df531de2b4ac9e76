/**
 * A sign-in from the link in the chat to the tokens. It keeps nothing in memory: the link (a ticket) and the journey to the
 * authorization server and back are records in the user's storage, named by sealed texts and each used once within ten minutes.
 * Only the browser that continued on the oracle's own page may return.
 */
import {
  exchangeAuthorization,
  IssuerMismatchError,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { sameSecret } from "../../framework/same-secret.ts";
import type { PluginKv } from "../../framework/storage.ts";
import type { Sealing } from "../../framework/sealed-texts.ts";
import { CALLBACK_PATH, clientFor, oauthClient, type ClientProblem } from "./oauth-client.ts";
import { authorizationFacts, discoverAuthorization, metadataOf, type DiscoveryProblem } from "./oauth-discovery.ts";
import { NoAnswer, type FetchLike } from "./oauth-fetch.ts";
import { grantOf, type Grant } from "./oauth-grants.ts";
import { singleUse, type SingleUse } from "./oauth-single-use.ts";

export const START_PATH = "/mcp/oauth/start";
/** A link that the chat shows again is valid for at least this long, milliseconds. */
const LINK_LEFT_MS = 5 * 60 * 1000;

/** The record that the link in the chat names. */
const ticket = z.object({
  server: z.string(),
  serverUrl: z.string(),
  resourceMetadata: z.string().optional(),
  scope: z.string().optional(),
});
export type Ticket = z.output<typeof ticket>;

/** A browser is at the authorization server. */
const journey = z.object({
  server: z.string(),
  serverUrl: z.string(),
  facts: authorizationFacts,
  client: oauthClient,
  redirectUri: z.string(),
  codeVerifier: z.string(),
  /** The value of the browser's cookie. */
  browser: z.string(),
});
type Journey = z.output<typeof journey>;

/** The content of a sealed text: a user's record. */
const named = z.object({ did: z.string(), id: z.string() });
type Named = z.output<typeof named>;

export interface SignInServer {
  readonly name: string;
  readonly url: string;
}

/** Parameters of the functions below: storage by user, and other injected parts. */
export interface SignInParts {
  readonly kvOf: (did: string) => PluginKv;
  readonly oracleKv: PluginKv;
  readonly sealing: Sealing;
  readonly now: () => number;
  /** A random text of at least 128 bits, safe for a URL and a key. */
  readonly newId: () => string;
  readonly logger: Logger;
}

export type SignInProblem =
  | DiscoveryProblem
  | ClientProblem
  /** The link or the answer is invalid, was used, or is older than ten minutes. */
  | "unusable"
  /** The answer arrived in a browser that did not start on the oracle's page. */
  | "other_browser"
  /** The answer names another issuer, or omits a required one. */
  | "wrong_answer"
  /** The user, or the authorization server, declined. */
  | "denied"
  /** The authorization server issued no tokens for its own code. */
  | "refused";

const TICKET_SEAL = "mcp sign-in link";
const STATE_SEAL = "mcp sign-in state";

function ticketsOf({ kvOf, ...parts }: SignInParts, did: string): SingleUse<Ticket> {
  return singleUse({ ...parts, kv: kvOf(did), did, kind: "ticket", schema: ticket });
}

function journeysOf({ kvOf, ...parts }: SignInParts, did: string): SingleUse<Journey> {
  return singleUse({ ...parts, kv: kvOf(did), did, kind: "journey", schema: journey });
}

/** The path of the link in the chat. A link that is still valid for some minutes is shown again. */
export async function signInPath(
  parts: SignInParts,
  did: string,
  server: SignInServer,
  challenge: { readonly resourceMetadata?: string | undefined; readonly scope?: string | undefined },
): Promise<string> {
  const wanted: Ticket = { server: server.name, serverUrl: server.url };
  if (challenge.resourceMetadata !== undefined) wanted.resourceMetadata = challenge.resourceMetadata;
  if (challenge.scope !== undefined) wanted.scope = challenge.scope;
  const tickets = ticketsOf(parts, did);
  const known = await tickets.newest(LINK_LEFT_MS, (kept) => JSON.stringify(kept) === JSON.stringify(wanted));
  const id = known ?? (await tickets.add(wanted));
  return `${START_PATH}?ticket=${await parts.sealing.seal(JSON.stringify({ did, id } satisfies Named), TICKET_SEAL)}`;
}

async function opened({ sealing }: SignInParts, text: string, purpose: string): Promise<Named | undefined> {
  const plain = await sealing.open(text, purpose);
  return plain === undefined ? undefined : readStoredJson(named, plain);
}

/** The data for the page that asks before anything is sent; the ticket stays usable. */
export async function readTicket(
  parts: SignInParts,
  text: string,
): Promise<{ readonly did: string; readonly ticket: Ticket } | undefined> {
  const name = await opened(parts, text, TICKET_SEAL);
  if (name === undefined) return undefined;
  const found = await ticketsOf(parts, name.did).find(name.id);
  return found === undefined ? undefined : { did: name.did, ticket: found };
}

export interface Departure {
  readonly address: URL;
  /** Names the cookie of the returning browser, and the cookie's value. */
  readonly id: string;
  readonly browser: string;
}

/** Uses the ticket; returns the address of the authorization server for the browser. */
export async function setOut(
  parts: SignInParts,
  text: string,
  {
    origin,
    oracleName,
    fetchFor,
  }: { readonly origin: string; readonly oracleName: string; readonly fetchFor: (serverUrl: string) => FetchLike },
): Promise<Result<Departure, SignInProblem>> {
  const name = await opened(parts, text, TICKET_SEAL);
  const taken = name === undefined ? undefined : await ticketsOf(parts, name.did).take(name.id);
  if (name === undefined || taken === undefined) return failure("unusable");
  const { server, serverUrl } = taken;
  const fetch = fetchFor(serverUrl);
  const discovered = await discoverAuthorization(serverUrl, taken, fetch);
  if (!discovered.ok) return discovered;
  const facts = discovered.value;
  const client = await clientFor({ ...parts, facts, origin, oracleName, fetch });
  if (!client.ok) return client;
  const redirectUri = origin + CALLBACK_PATH;
  const { authorizationUrl, codeVerifier } = await startAuthorization(facts.issuer, {
    metadata: metadataOf(facts),
    clientInformation: client.value,
    redirectUrl: redirectUri,
    resource: facts.resource,
    ...(facts.scope === undefined ? {} : { scope: facts.scope }),
  });
  const browser = parts.newId();
  const record = { server, serverUrl, facts, client: client.value, redirectUri, codeVerifier, browser };
  const id = await journeysOf(parts, name.did).add(record);
  const state = await parts.sealing.seal(JSON.stringify({ did: name.did, id } satisfies Named), STATE_SEAL);
  authorizationUrl.searchParams.set("state", state);
  return success({ address: authorizationUrl, id, browser });
}

/** The authorization server's answer in the returning browser. */
export interface SignInAnswer {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

export interface Arrival {
  readonly did: string;
  /** The id of the cookie, which is no longer needed. */
  readonly id: string;
  readonly server: string;
  readonly issuer: string;
  readonly grant: Grant;
}

/**
 * Uses the state, checks who answers, and gets the tokens; the caller stores them. `cookieOf`: the browser's cookie for a journey's
 * id.
 */
export async function arrive(
  parts: SignInParts,
  { state = "", code, iss, error }: SignInAnswer,
  {
    cookieOf,
    fetchFor,
  }: {
    readonly cookieOf: (id: string) => string | undefined;
    readonly fetchFor: (serverUrl: string) => FetchLike;
  },
): Promise<Result<Arrival, SignInProblem>> {
  const name = await opened(parts, state, STATE_SEAL);
  if (name === undefined) return failure("unusable");
  const { did, id } = name;
  const journeys = journeysOf(parts, did);
  const begun = await journeys.find(id);
  if (begun === undefined) return failure("unusable");
  // Checked before the state is used: a state that leaked does not end its rightful browser's sign-in.
  if (!(await sameSecret(cookieOf(id), begun.browser))) return failure("other_browser");
  if ((await journeys.take(id)) === undefined) return failure("unusable");
  const { server, serverUrl, facts, client, redirectUri, codeVerifier } = begun;
  const isOurs = isFromIssuer(iss, facts);
  if (!isOurs) return failure("wrong_answer");
  if (error !== undefined || code === undefined || code === "") return failure("denied");
  const exchanged = await exchange({ facts, client, code, iss, codeVerifier, redirectUri, fetch: fetchFor(serverUrl) });
  if (!exchanged.ok) return exchanged;
  const granted = grantOf(
    exchanged.value,
    { serverUrl, facts, client, redirectUri, ...(facts.scope === undefined ? {} : { scope: facts.scope }) },
    { now: parts.now(), generation: parts.newId() },
  );
  return success({ did, id, server, issuer: facts.issuer, grant: granted });
}

function isFromIssuer(iss: string | undefined, { issuer, namesIssuer }: Journey["facts"]): boolean {
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: namesIssuer });
    return true;
  } catch (thrown) {
    if (thrown instanceof IssuerMismatchError) return false;
    throw thrown;
  }
}

async function exchange({
  facts,
  client,
  code,
  iss,
  codeVerifier,
  redirectUri,
  fetch,
}: Pick<Journey, "facts" | "client" | "codeVerifier" | "redirectUri"> & {
  readonly code: string;
  readonly iss: string | undefined;
  readonly fetch: FetchLike;
}) {
  try {
    const tokens = await exchangeAuthorization(facts.issuer, {
      metadata: metadataOf(facts),
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri,
      resource: facts.resource,
      fetchFn: fetch,
      ...(iss === undefined ? {} : { iss }),
    });
    return success(tokens);
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return failure("unreachable" as const);
    if (thrown instanceof OAuthError && thrown.code === "server_error") return failure("unreachable" as const);
    // An OAuth error, or an unreadable answer, whose text may contain secrets that were sent.
    return failure("refused" as const);
  }
}
