/**
 * Sentences for which the local model calls a tool of a plugin, so that newcomers see the plugins at work without a key:
 * each a pattern of the whole message. Only a tool that the request offers is called.
 */
import type { JsonObject } from "../../../platform/json.ts";

interface ToolPhrase {
  readonly toolName: string;
  readonly pattern: RegExp;
  /** The argument that the pattern captures. */
  readonly argument: string;
}

const phrases: readonly ToolPhrase[] = [
  { toolName: "remember", pattern: /^(?:please )?remember(?: that|:) (.+)$/is, argument: "fact" },
  {
    toolName: "search_memory",
    pattern: /^what do you (?:remember|know) about (.+?)[?.!]*$/is,
    argument: "query",
  },
  {
    toolName: "explain_verification",
    pattern: /^(?:please )?(?:tell me )?why (?:is|isn't) (did:[\w.:%-]+) (?:not |un)?verified[?.!]*$/i,
    argument: "did",
  },
  {
    toolName: "get_domain_card",
    pattern: /^(?:please )?tell me about (did:[\w.:%-]*[\w%-])[?.!]*$/i,
    argument: "did",
  },
];

/** Characters; no phrase is longer, and patterns take time on a long text. */
const LONGEST_PHRASE = 2_000;

export function phrasedCall(
  text: string,
  toolNames: ReadonlySet<string>,
): { readonly toolName: string; readonly input: JsonObject } | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_PHRASE) return undefined;
  for (const { toolName, pattern, argument } of phrases) {
    const captured = toolNames.has(toolName) ? pattern.exec(trimmed)?.[1] : undefined;
    if (captured !== undefined) return { toolName, input: { [argument]: captured } };
  }
  return undefined;
}
