/** Administration of staff: list, invite, change a role, disable. ADMIN_TOKEN can do it too. */
import * as z from "zod";
import { fail } from "../../platform/failure.ts";
import { reply, type Reply } from "../../platform/http/route.ts";
import { type Result, success } from "../../platform/result.ts";
import { staffRoles } from "../../platform/staff/roles.ts";
import { noteChange, OPERATOR } from "./audited.ts";
import { bySessionOrOperator, route, type StaffContext } from "./edge.ts";
import { newDid, newId, newSecret } from "./secrets.ts";
import { addStaff, changeStaff, listStaff, putInvitation, readStaff, STAFF, type StaffRecord } from "./store.ts";

/** Milliseconds: long enough for a weekend. */
const INVITATION_LIFETIME_MS = 3 * 86_400_000;
/** Characters. */
const LONGEST_NAME = 100;

const shared = { tag: "Staff", auth: bySessionOrOperator };
const params = z.object({ staffId: z.string().max(100) });
const role = z.enum(staffRoles, { error: `must be one of ${staffRoles.join(", ")}` });
/** A name is printed on terminals, so it has no control characters and no marks that reverse the direction of text. */
const personName = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_NAME)
  .regex(/^[^\p{Cc}\u202A-\u202E\u2066-\u2069]+$/u, { error: "must not contain control characters" });
const unknown = fail("not_found", "There is no such member of staff");

const list = route(
  {
    ...shared,
    method: "get",
    path: "/staff/members",
    id: "listStaff",
    summary: "List staff, including disabled members",
    responses: { 200: { description: "The members" } },
  },
  async (_input, c) => reply({ data: (await listStaff(c.var.database)).map(shown) }),
);

const invite = route(
  {
    ...shared,
    method: "post",
    path: "/staff/members",
    id: "inviteStaff",
    summary: "Invite a member of staff",
    body: { schema: z.strictObject({ name: personName, role }) },
    responses: { 201: { description: "The invitation; only this response contains its token" } },
    failures: ["storage_full"],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const { name, role: given } = sent.value;
    const person = { id: newId("staff"), name, role: given, did: await newDid() };
    const { id, did } = person;
    if ((await addStaff(c.var.database, { id, name, role: given, did, now: c.var.now })) === undefined) {
      return fail("storage_full", `The list of staff has ${STAFF} members`);
    }
    noteChange(c, { subject: id, after: { role: given } });
    c.env.log.info("staff-invited", { staff: id, role: given, by: c.var.session?.id ?? OPERATOR });
    return invitation(c, person);
  },
);

const inviteAgain = route(
  {
    ...shared,
    method: "post",
    path: "/staff/members/:staffId/invitations",
    id: "inviteStaffAgain",
    summary: "Invite a member again, whose new passkey replaces the previous ones",
    params,
    responses: { 201: { description: "The invitation; only this response contains its token" } },
    failures: ["not_found"],
  },
  async ({ params: { staffId } }, c) => {
    const person = await readStaff(c.var.database, staffId);
    if (person === undefined || person.disabledAt !== null) return unknown;
    const invited = await invitation(c, person);
    if (invited.ok) noteChange(c, { after: { invited: true } });
    return invited;
  },
);

const update = route(
  {
    ...shared,
    method: "patch",
    path: "/staff/members/:staffId",
    id: "updateStaff",
    summary: "Change a member's role, or disable or enable the member",
    params,
    body: { schema: z.strictObject({ role: role.optional(), disabled: z.boolean().optional() }) },
    responses: { 200: { description: "The member" } },
    failures: ["not_found", "conflict"],
  },
  async ({ params: { staffId }, body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const { database } = c.var;
    const person = await readStaff(database, staffId);
    if (person === undefined) return unknown;
    if (staffId === c.var.session?.id) return fail("conflict", "Ask another administrator to change your own account");
    const { role: wanted, disabled } = sent.value;
    await changeStaff(database, staffId, { role: wanted, disabled, now: c.var.now });
    const changed = await readStaff(database, staffId);
    if (changed === undefined) return unknown;
    const after = rightsOf(changed);
    noteChange(c, { before: rightsOf(person), after });
    const { role: held, disabled: isDisabled } = after;
    const by = c.var.session?.id ?? OPERATOR;
    c.env.log.info("staff-changed", { staff: staffId, role: held, disabled: isDisabled, by });
    return reply(shown(changed));
  },
);

export const memberRoutes = [list, invite, inviteAgain, update];

/** The token is in the fragment of the link, so that no server's log contains it. */
async function invitation(
  c: StaffContext,
  { id, name, role: given }: Pick<StaffRecord, "id" | "name" | "role">,
): Promise<Result<Reply>> {
  const { text, digest } = await newSecret();
  const expiresAt = c.var.now + INVITATION_LIFETIME_MS;
  if (!(await putInvitation(c.var.database, { staffId: id, digest, expiresAt }))) return unknown;
  const link = `${new URL(c.req.url).origin}/console/invitation#${text}`;
  const body = { id, name, role: given, token: text, link, expiresAt: new Date(expiresAt).toISOString() };
  return success({ status: 201, body });
}

function rightsOf({ role: held, disabledAt }: StaffRecord) {
  return { role: held, disabled: disabledAt !== null };
}

function shown({ id, name, role: held, did, createdAt, disabledAt, passkeys }: StaffRecord) {
  const disabled = disabledAt === null ? null : new Date(disabledAt).toISOString();
  return { id, name, role: held, did, createdAt: new Date(createdAt).toISOString(), disabledAt: disabled, passkeys };
}
