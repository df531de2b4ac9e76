/** What the stores keep as JSON, read back with a check of its form. */
import * as z from "zod";
import type { OpeningRequest } from "./application.ts";

const openingRequest = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  openedAt: z.number(),
});
const texts = z.array(z.string());

/** In place of a request that cannot be read any more: it names nobody and asks for nothing. */
const UNREADABLE: OpeningRequest = { url: "about:blank", headers: {}, openedAt: 0 };

export function readOpeningRequest(text: string): OpeningRequest {
  return parsed(openingRequest, text) ?? UNREADABLE;
}

/** Of what is no list of texts, an empty one. */
export function readTexts(text: string): readonly string[] {
  return parsed(texts, text) ?? [];
}

function parsed<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
