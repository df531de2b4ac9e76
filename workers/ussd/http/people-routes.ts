/** Operators' routes on a person's data: a copy, the erasure, and the list of erased people (PH-150 to PH-155). */
import * as z from "zod";
import { fail } from "../../../platform/failure.ts";
import { ndjsonOf } from "../../../platform/http/ndjson.ts";
import { reply } from "../../../platform/http/route.ts";
import { describeThrown } from "../../../platform/log.ts";
import { success, type Result } from "../../../platform/result.ts";
import { erasePerson } from "../people/erase-person.ts";
import { addErased, LISTED_ENTRIES, listErased, reapplyErased } from "../people/erased-list.ts";
import { digestOf } from "../people/erasure-table.ts";
import { openPeople } from "../people/open-people.ts";
import type { PeopleSettings } from "../people/people-settings.ts";
import { findPerson } from "../people/person.ts";
import { personCopy } from "../people/person-copy.ts";
import type { UssdContext } from "./context.ts";
import { PHONE_NUMBER } from "./request.ts";
import { operator, route, type OperatorRoute } from "./route.ts";

const PEOPLE = "/api/ussd/ops/people";
/** Bytes of a request with a page of the list. */
const LIST_BYTES = 65_536;

/** In the body and not in the path, so that no log of URLs has a number. */
const personName = z.union([
  z.strictObject({ customerId: z.string().max(32) }),
  z.strictObject({ phoneNumber: z.string().regex(PHONE_NUMBER) }),
]);

const receipt = z
  .object({
    state: z.enum(["erased", "pending"]),
    erasedAt: z.iso.datetime().optional(),
    requestedAt: z.iso.datetime().optional(),
    erased: z.array(z.string()).optional(),
    kept: z.array(z.object({ what: z.string(), why: z.string() })).optional(),
  })
  .meta({ id: "UssdErasureReceipt" });

const erasedEntry = z
  .strictObject({
    subject: z
      .string()
      .regex(/^[\w-]{43}$/)
      .meta({ description: "A keyed digest of the Customer ID or number." }),
    keyId: z.string().max(32),
    kind: z.enum(["customer", "phone"]),
    erasedAt: z.int().min(0).meta({ description: "Unix milliseconds." }),
  })
  .meta({ id: "UssdErasedEntry" });

const exportPerson = route(
  {
    method: "post",
    path: `${PEOPLE}/export`,
    id: "exportPerson",
    tag: "Operators",
    summary: "Get a copy of a person's data",
    description:
      'NDJSON: one JSON object per line, each with a `kind`. The last line is `{"kind":"end"}`; a copy without it is incomplete.',
    auth: operator,
    body: { schema: personName },
    responses: { 200: { description: "The copy", content: { schema: z.string(), type: "application/x-ndjson" } } },
    failures: [409],
  },
  async ({ body }, c) => {
    const name = await body();
    if (!name.ok) return name;
    const copy = await withPeople(c, async (people) => {
      const person = await findPerson(people, name.value);
      if (!person.ok) return person;
      c.set("subject", await digestOf(people, person.value));
      const lines = await ndjsonOf(personCopy(people, person.value), (thrown) =>
        c.env.log.error("person-copy-failed", { reason: describeThrown(thrown) }),
      );
      return success(
        new Response(lines, { headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" } }),
      );
    });
    return copy.ok ? copy.value : copy;
  },
);

const eraseRoute = route(
  {
    method: "post",
    path: `${PEOPLE}/erase`,
    id: "erasePerson",
    tag: "Operators",
    summary: "Erase a person",
    description: "If a part cannot be reached, the response is 202, and the erasure continues until it is complete.",
    auth: operator,
    body: { schema: personName },
    responses: {
      200: { description: "Erased: the receipt names what is kept, and why", content: { schema: receipt } },
      202: { description: "The erasure continues in the background", content: { schema: receipt } },
    },
    failures: [409],
  },
  async ({ body }, c) => {
    const name = await body();
    if (!name.ok) return name;
    return withPeople(c, async (people) => {
      const person = await findPerson(people, name.value);
      if (!person.ok) return person;
      c.set("subject", await digestOf(people, person.value));
      const outcome = await erasePerson(people, person.value);
      return reply(outcome, outcome.state === "erased" ? {} : { status: 202 });
    });
  },
);

const list = route(
  {
    method: "get",
    path: `${PEOPLE}/erased`,
    id: "listErasedPeople",
    tag: "Operators",
    summary: "List digests of erased people",
    auth: operator,
    query: z.object({ after: z.string().max(43).default("") }),
    responses: {
      200: {
        description: "One page; `next` is the `after` of the next one",
        content: { schema: z.object({ erased: z.array(erasedEntry), next: z.string().nullable() }) },
      },
    },
  },
  ({ query }, c) => withPeople(c, async (people) => reply(await listErased(people, query.after))),
);

const add = route(
  {
    method: "post",
    path: `${PEOPLE}/erased/add`,
    id: "addErasedPeople",
    tag: "Operators",
    summary: "Add digests of erased people after a restore",
    auth: operator,
    body: { schema: z.strictObject({ erased: z.array(erasedEntry).max(LISTED_ENTRIES) }), limit: LIST_BYTES },
    responses: {
      200: {
        description: "Ids of keys that this deployment does not have: digests under them find no one",
        content: { schema: z.object({ unknownKeys: z.array(z.string()) }) },
      },
    },
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    return withPeople(c, async (people) => reply({ unknownKeys: await addErased(people, sent.value.erased) }));
  },
);

const reapply = route(
  {
    method: "post",
    path: `${PEOPLE}/reapply`,
    id: "reapplyErasures",
    tag: "Operators",
    summary: "Find one page of restored people and erase them again",
    auth: operator,
    body: { schema: z.strictObject({ after: z.string().max(32).default("") }), optional: true },
    responses: {
      200: {
        description: "`next` is the `after` of the next request",
        content: { schema: z.object({ examined: z.int(), found: z.int(), next: z.string().nullable() }) },
      },
    },
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    return withPeople(c, async (people) => reply(await reapplyErased(people, sent.value.after)));
  },
);

export const peopleRoutes: readonly OperatorRoute[] = [exportPerson, eraseRoute, list, add, reapply];

/** Runs the work with the people of this deployment; an exception is a 503. */
async function withPeople<Value>(
  c: UssdContext,
  work: (people: PeopleSettings) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const people = await openPeople(c.env.env, c.var.openOracle, (background) => c.executionCtx.waitUntil(background));
  if (!people.ok) return fail("unavailable", "Service temporarily unavailable");
  return work(people.value);
}
