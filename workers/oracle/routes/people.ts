/** The operator's routes on users: a copy, the erasure, and the list of erased users (OR-680 to OR-683). */
import * as z from "zod";
import { erasureReceipt } from "../../../protocol/records.ts";
import { newFailure } from "../../../platform/failure.ts";
import { reply } from "../../../platform/http/route.ts";
import { audited } from "../http/audited.ts";
import { administering } from "../http/authentication.ts";
import type { OracleContext } from "../http/failures.ts";
import { route } from "../http/route.ts";
import { requestErasure } from "../personal-data/erase-user.ts";
import { erasedUsers, LISTED_USERS } from "../personal-data/erased-users.ts";
import { copyOf } from "../personal-data/user-copy.ts";
import { partsOf } from "./me.ts";

const tag = "Operators";
const auth = administering;
const MAX_DID = 2_048;
/** Bytes of a request with a page of the list. */
const LIST_BYTES = 512 * 1_024;

const did = z
  .string()
  .max(MAX_DID)
  .regex(/^did:[a-z0-9]+:[\w.:%-]+$/, { error: "must be a DID such as did:key:z6Mk…" });
/** In the body and not in the path: a DID of Slack names a person. */
const user = z.strictObject({ did });

const erasedUser = z.strictObject({
  subject: z.string().regex(/^keyed:[0-9a-f]{64}$/),
  erasedAt: z.iso.datetime(),
});

const noList = newFailure("conflict", "The list needs the binding DATABASE");

const exportOther = route(
  {
    method: "post",
    path: "/people/export",
    id: "exportPersonAsOperator",
    summary: "Download a copy of a user's data",
    description: "As `GET /me/export`, for an operator.",
    tag,
    auth,
    middleware: [audited("exportPersonAsOperator")],
    body: { schema: user },
    responses: {
      200: {
        description: "The copy, written while you read",
        content: { schema: z.string(), type: "application/x-ndjson" },
      },
    },
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    await noteSubject(c, sent.value.did);
    return new Response(await copyOf(partsOf(c), sent.value.did), {
      headers: { "Content-Type": "application/x-ndjson" },
    });
  },
);

const eraseOther = route(
  {
    method: "post",
    path: "/people/erase",
    id: "erasePersonAsOperator",
    summary: "Erase a user",
    description: "As `DELETE /me`, for an operator.",
    tag,
    auth,
    middleware: [audited("erasePersonAsOperator")],
    body: { schema: user },
    responses: {
      200: { description: "The data is erased", content: { schema: erasureReceipt } },
      202: { description: "The erasure continues in the background", content: { schema: erasureReceipt } },
    },
    failures: [newFailure("unavailable", "The oracle is unavailable")],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    await noteSubject(c, sent.value.did);
    const outcome = await requestErasure(partsOf(c), sent.value.did);
    return reply(outcome, outcome.state === "erased" ? {} : { status: 202 });
  },
);

const list = route(
  {
    method: "get",
    path: "/people/erased",
    id: "listErasedUsers",
    summary: "List keyed digests of erased users",
    tag,
    auth,
    query: z.object({ after: z.string().max(80).default("") }),
    responses: {
      200: {
        description: "One page; `next` is the `after` of the next one",
        content: { schema: z.object({ erased: z.array(erasedUser), next: z.string().nullable() }) },
      },
    },
    failures: [noList],
  },
  async ({ query }, c) => {
    const users = await erasedUsers(partsOf(c));
    return users.ok ? reply(await users.value.list(query.after)) : users;
  },
);

const add = route(
  {
    method: "post",
    path: "/people/erased/add",
    id: "addErasedUsers",
    summary: "Add digests of erased users after a restore",
    tag,
    auth,
    middleware: [audited("addErasedUsers")],
    body: { schema: z.strictObject({ erased: z.array(erasedUser).max(LISTED_USERS) }), limit: LIST_BYTES },
    responses: { 200: { description: "Added", content: { schema: z.object({ added: z.int() }) } } },
    failures: [noList],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const users = await erasedUsers(partsOf(c));
    if (!users.ok) return users;
    await users.value.add(sent.value.erased);
    return reply({ added: sent.value.erased.length });
  },
);

const reapply = route(
  {
    method: "post",
    path: "/people/reapply",
    id: "reapplyUserErasures",
    summary: "Find restored users and erase them again",
    description: "Without `dids`, one page of the users about whom plugins store data in the database.",
    tag,
    auth,
    middleware: [audited("reapplyUserErasures")],
    body: {
      schema: z.strictObject({
        after: z
          .string()
          .max(MAX_DID + 8)
          .default(""),
        dids: z.array(did).max(LISTED_USERS).optional(),
      }),
      limit: LIST_BYTES,
    },
    responses: {
      200: {
        description: "`next` is the `after` of the next request",
        content: { schema: z.object({ examined: z.int(), found: z.int(), next: z.string().nullable() }) },
      },
    },
    failures: [noList],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const users = await erasedUsers(partsOf(c));
    if (!users.ok) return users;
    const { after, dids } = sent.value;
    return reply(await (dids === undefined ? users.value.reapply(after) : users.value.reapplyTo(dids)));
  },
);

export const peopleRoutes = [exportOther, eraseOther, list, add, reapply];

/** The audit log names the user as the list of erased users does. Without a key of the oracle, it does not. */
async function noteSubject(c: OracleContext, user: string): Promise<void> {
  const users = await erasedUsers(partsOf(c));
  if (users.ok) c.set("actSubject", await users.value.subjectOf(user));
}
