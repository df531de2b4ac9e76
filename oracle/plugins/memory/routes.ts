/** The user's own routes to their facts: reads them page by page, deletes one fact or all. */
import * as z from "zod";
import { route, type PluginRoute } from "../../framework/plugin-routes.ts";
import { meaningOf } from "./meaning.ts";
import { forgetAll, MEMORY_ID, memoryOf } from "./memories.ts";

const memory = z
  .object({
    id: z.string(),
    fact: z.string(),
    rememberedAt: z.string().meta({ description: "RFC 3339, in UTC" }),
    sessionId: z.string().meta({ description: "The session in which it was said" }),
    runId: z.string().meta({ description: "The run of the message that it came from" }),
    client: z.string().meta({ description: "The client it was said in: `portal`, `ussd` or `slack`" }),
    heldForeignText: z.boolean().meta({
      description:
        "The turn contained text that the user did not write, such as an attachment, so the user approved the fact",
    }),
  })
  .meta({ id: "Memory" });

const deleted = z.object({ deleted: z.int() });

const list = route({
  method: "get",
  path: "/memory",
  id: "listMemory",
  summary: "List the facts that the oracle remembers about you",
  description: "Newest first, at most 50 per page.",
  query: z.object({ cursor: z.string().min(1).optional() }),
  responses: {
    200: {
      description: "One page; `cursor` asks for the next",
      schema: z.object({ memories: z.array(memory), cursor: z.string().optional() }),
    },
  },
  async handler(_request, { texts, query: { cursor } }) {
    // There is no caller, and therefore no facts, only if an operator excludes the route from authentication.
    if (texts === undefined) return Response.json({ memories: [] });
    const page = await texts.list(cursor);
    const next = page.cursor === undefined ? {} : { cursor: page.cursor };
    return Response.json({ memories: page.texts.map(memoryOf), ...next });
  },
});

const deleteOne = route({
  method: "delete",
  path: "/memory/:id",
  id: "deleteMemory",
  summary: "Delete one fact",
  description: "`deleted` is 0 if it did not exist.",
  params: z.object({ id: z.string().regex(MEMORY_ID) }),
  responses: { 200: { description: "Deleted", schema: deleted, example: { deleted: 1 } } },
  async handler(_request, { texts, params: { id }, env, user, logger, background }) {
    if (texts === undefined || user === undefined) return Response.json({ deleted: 0 });
    const wasThere = await texts.delete(id);
    const meaning = meaningOf(env, { userDid: user.did, logger });
    if (meaning !== undefined) background(meaning.remove([id]));
    return Response.json({ deleted: wasThere ? 1 : 0 });
  },
});

const deleteAll = route({
  method: "delete",
  path: "/memory",
  id: "deleteAllMemory",
  summary: "Delete all facts that the oracle remembers about you",
  responses: {
    200: { description: "The number of deleted facts", schema: deleted, example: { deleted: 3 } },
  },
  async handler(_request, { texts, env, user, logger, background }) {
    if (texts === undefined || user === undefined) return Response.json({ deleted: 0 });
    const meaning = meaningOf(env, { userDid: user.did, logger });
    const { deleted, indexed } = await forgetAll(texts, { hasIndex: meaning !== undefined });
    if (meaning !== undefined) background(meaning.remove(indexed));
    return Response.json({ deleted });
  },
});

export const memoryRoutes: readonly PluginRoute[] = [list, deleteOne, deleteAll];
