/** Sign-in: a passkey, an invitation that creates one, and the developer's session on a development machine. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import * as z from "zod";
import { databaseOf } from "../../platform/database/database-of.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { fail, newFailure } from "../../platform/failure.ts";
import { reply, type Reply } from "../../platform/http/route.ts";
import { readConsoleConfig } from "../../platform/console-config.ts";
import { type Result, success } from "../../platform/result.ts";
import { sessionCookie, sessionTokenOf } from "../../platform/staff/cookie.ts";
import { refusalOfDeveloper } from "../../platform/staff/loopback.ts";
import { isOfOwnPage } from "../../platform/staff/same-origin.ts";
import { SESSION_LIFETIME_MS } from "../../platform/staff/session.ts";
import { openStaffAudit } from "./audited.ts";
import { createChallenges } from "./challenges.ts";
import { deviceOf } from "./device.ts";
import { open, route, type StaffContext, type StaffRoute } from "./edge.ts";
import { registrationOptions, signInOptions, verifyRegistration, verifySignIn } from "./passkeys.ts";
import { newDid, newId, newSecret } from "./secrets.ts";
import {
  acceptInvitation,
  addSession,
  addStaff,
  readInvited,
  readPasskey,
  readStaff,
  usePasskey,
  type NewSession,
  type StaffRecord,
} from "./store.ts";

const SIGN_IN = "sign-in";
const OK = 200;
const UNAUTHENTICATED = 401;
/** The person whom the development sign-in signs in. */
const DEVELOPER_ID = "staff_developer";

const tag = "Staff";
const shared = { tag, auth: open };
const wrongPasskey = newFailure(
  "unauthenticated",
  "This passkey is not known here; ask an administrator to invite you",
);
const goneInvitation = newFailure("gone", "The invitation is used, replaced or expired; ask for a new one");
const otherPage = newFailure("forbidden", "Sign in from the console's own page");
const signedIn = { 200: { description: "Signed in; the response sets the session's cookie" } };

/** The library checks the rest. Bounded in size by the body. */
const credentialResponse = z.looseObject({ id: z.string().max(2_000), response: z.looseObject({}) });
const invitationToken = z.string().regex(/^[\w-]{43}$/, { error: "must be the token of an invitation" });

const beginSignIn = route(
  {
    ...shared,
    method: "post",
    path: "/staff/sign-in/options",
    id: "beginStaffSignIn",
    summary: "Begin to sign in with a passkey",
    responses: { 200: { description: "Options for `navigator.credentials.get`" } },
  },
  async (_input, c) => {
    const challenge = await challengesOf(c).create(SIGN_IN);
    return reply(await signInOptions(c.req.url, challenge));
  },
);

const signIn = route(
  {
    ...shared,
    method: "post",
    path: "/staff/sign-in",
    id: "signInStaff",
    summary: "Sign in with a passkey",
    body: { schema: credentialResponse },
    responses: signedIn,
    failures: ["unauthenticated", "forbidden"],
  },
  async ({ body }, c) => {
    if (!isOfOwnPage(c.req.raw)) return { ok: false, error: otherPage };
    const sent = await body();
    if (!sent.ok) return sent;
    const database = databaseOf(c.env.env);
    const passkey = await readPasskey(database, sent.value.id);
    const person = passkey === undefined ? undefined : await readStaff(database, passkey.staffId);
    if (passkey === undefined || person?.disabledAt !== null) return { ok: false, error: wrongPasskey };
    let challenge: Awaited<ReturnType<ReturnType<typeof challengesOf>["check"]>>;
    const isExpected = async (text: string) => {
      challenge = await challengesOf(c).check(SIGN_IN, text);
      return challenge !== undefined;
    };
    const response = sent.value as unknown as AuthenticationResponseJSON;
    const counter = await verifySignIn(c.req.url, response, isExpected, passkey);
    if (counter === undefined || challenge === undefined) return { ok: false, error: wrongPasskey };
    const use = { credentialId: passkey.credentialId, counter, challenge, now: c.var.now };
    if (!(await usePasskey(database, use))) return { ok: false, error: wrongPasskey };
    return openSession(c, person, { method: "passkey", credentialId: passkey.credentialId });
  },
);

const beginAcceptance = route(
  {
    ...shared,
    method: "post",
    path: "/staff/invitations/options",
    id: "beginStaffInvitation",
    summary: "Begin to accept an invitation",
    body: { schema: z.strictObject({ token: invitationToken }) },
    responses: { 200: { description: "Options for `navigator.credentials.create`" } },
    failures: ["gone"],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const digest = await sha256Hex(sent.value.token);
    const invited = await readInvited(databaseOf(c.env.env), digest, c.var.now);
    if (invited === undefined) return { ok: false, error: goneInvitation };
    const challenge = await challengesOf(c).create(`invitation ${digest}`);
    const options = await registrationOptions(c.req.url, challenge, invited.name, invited.id);
    return reply({ name: invited.name, role: invited.role, options });
  },
);

const accept = route(
  {
    ...shared,
    method: "post",
    path: "/staff/invitations/accept",
    id: "acceptStaffInvitation",
    summary: "Accept an invitation with a new passkey",
    body: { schema: z.strictObject({ token: invitationToken, passkey: credentialResponse }) },
    responses: signedIn,
    failures: ["gone", "forbidden", "unauthenticated"],
  },
  async ({ body }, c) => {
    if (!isOfOwnPage(c.req.raw)) return { ok: false, error: otherPage };
    const sent = await body();
    if (!sent.ok) return sent;
    const database = databaseOf(c.env.env);
    const digest = await sha256Hex(sent.value.token);
    const invited = await readInvited(database, digest, c.var.now);
    if (invited === undefined) return { ok: false, error: goneInvitation };
    const isExpected = async (text: string) =>
      (await challengesOf(c).check(`invitation ${digest}`, text)) !== undefined;
    const response = sent.value.passkey as unknown as RegistrationResponseJSON;
    const created = await verifyRegistration(c.req.url, response, isExpected);
    if (created === undefined) return fail("unauthenticated", "The new passkey could not be verified; try again");
    const { credentialId, publicKey, counter, transports } = created;
    const passkey = { credentialId, publicKey, counter, transports, staffId: invited.id };
    const audit = openStaffAudit(c, invited.id);
    if (!(await acceptInvitation(audit.database, { digest, passkey, now: c.var.now }))) {
      return { ok: false, error: goneInvitation };
    }
    return openSession(c, invited, { method: "passkey", credentialId }, audit);
  },
);

const developmentSession = route(
  {
    ...shared,
    method: "post",
    path: "/staff/development-session",
    id: "signInDeveloper",
    summary: "Sign in as administrator, on a development machine only",
    responses: signedIn,
    failures: ["not_found", "forbidden"],
  },
  async (_input, c) => {
    const config = readConsoleConfig(c.env.env);
    if (!config.ok || !config.value.isOn || config.value.environment !== "development") {
      return fail("not_found", `Cannot ${c.req.method} ${c.env.path}`);
    }
    const refusal = refusalOfDeveloper(c.req.raw);
    if (refusal !== undefined) return fail("forbidden", refusal);
    const database = databaseOf(c.env.env);
    const fresh = { id: DEVELOPER_ID, name: "Developer", role: "administrator", did: await newDid() } as const;
    const { id, name, role, did } = fresh;
    const developer =
      (await readStaff(database, DEVELOPER_ID)) ?? (await addStaff(database, { id, name, role, did, now: c.var.now }));
    if (developer === undefined) return fail("storage_full", "The list of staff is full");
    if (developer.disabledAt !== null)
      return fail("forbidden", "The developer is disabled; enable them: npm run staff");
    return openSession(c, developer, { method: "development", credentialId: null });
  },
);

export const signInRoutes: readonly StaffRoute[] = [beginSignIn, signIn, beginAcceptance, accept, developmentSession];

function challengesOf(c: StaffContext) {
  return createChallenges(databaseOf(c.env.env), c.var.now);
}

/** Also ends the session that this browser had before. */
async function openSession(
  c: StaffContext,
  { id: staffId, name, role, did }: Pick<StaffRecord, "id" | "name" | "role" | "did">,
  { method, credentialId }: Pick<NewSession, "method" | "credentialId">,
  audit = openStaffAudit(c, staffId),
): Promise<Result<Reply>> {
  const { text, digest } = await newSecret();
  const device = deviceOf(c.req.raw.headers.get("User-Agent"));
  const earlier = sessionTokenOf(c.req.raw);
  const replaces = earlier === undefined ? null : await sha256Hex(earlier);
  const session = { digest, id: newId("session"), staffId, method, device, now: c.var.now, replaces, credentialId };
  if (!(await addSession(audit.database, session))) {
    c.executionCtx.waitUntil(audit.finish(UNAUTHENTICATED, { subject: staffId }, c.env.log));
    return { ok: false, error: wrongPasskey };
  }
  c.env.log.info("staff-signed-in", { staff: staffId, method });
  const change = { subject: staffId, after: { session: session.id, method, device } };
  c.executionCtx.waitUntil(audit.finish(OK, change, c.env.log));
  const cookie = sessionCookie(c.req.url, text, SESSION_LIFETIME_MS / 1_000);
  return success({ body: { id: staffId, name, role, did }, headers: { "Set-Cookie": cookie } });
}
