/**
 * The oracle of the example: a tool with a card, a tool that the user must approve, and a reply that the user must pay
 * for.
 */
import { admit, createOracleApp, defineOraclePlugin, refuse, tool, z } from "twinedge/oracle";

const stoveId = z.string().regex(/^[A-Z]{2}-\d{4}$/, "must be like KE-0042");

/** Generated from the id, so that the same stove always has the same values. */
function stoveOf(id: string) {
  const cookedHours = 30 + (Number(id.slice(3)) % 40);
  const savedKilograms = Math.round(cookedHours * 1.93);
  return { id, model: "Pellet stove", household: `Household ${id.slice(3)}`, cookedHours, savedKilograms };
}

const findStove = tool(({ id }) => stoveOf(id), {
  name: "find_stove",
  description:
    'Where a stove is and how much it was used this month\nExample: "How is stove KE-0042 doing?" {"id":"KE-0042"}',
  schema: z.object({ id: stoveId }),
  effect: "read",
});

const bookVisit = tool(({ stove, day }) => `A visit to ${stove} is booked for ${day}`, {
  name: "book_visit",
  description:
    'Book a visit of a technician to a stove\nExample: "Book a visit to stove KE-0042 on 1 December" {"stove":"KE-0042","day":"2026-12-01"}',
  schema: z.object({ stove: stoveId, day: z.iso.date() }),
  needsApproval: true,
});

const stoves = defineOraclePlugin({
  name: "stoves",
  version: "1.0.0",
  manifest: {
    title: "Stoves",
    summary: "Stoves, their use and visits to them.",
    whenToUse: ["a stove, its use or a visit"],
    visibility: "always",
  },
  getTools: () => [findStove, bookVisit],
  getRequestAdmission: ({ request }) =>
    /\bpaid report\b/i.test(request.message)
      ? refuse("payment_required", "The report has to be paid first", {
          members: { claims: ["claim-report-1"], outstandingClaims: ["claim-report-1"] },
        })
      : admit(),
});

const oracle = createOracleApp({ config: { name: "Hearth" }, plugins: [stoves] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}
