/** The built-in model's answers about domains and about itself. */
import { examplesIn, FORGET_ALL_TOOL, type OfferedTool } from "./phrases.ts";

/** The answer to "What is a domain?". */
export const DOMAIN_EXPLAINED = [
  "A **domain** is the digital twin of something real, such as a stove project, a household or a stove. It has a DID, a type, controllers, and statements about itself.",
  "",
  "A **clean cooking domain** is one whose class is the protocol `did:ixo:protocol/clean-cooking`. A domain's statements about itself are unchecked until a vote of the registry has verified it.",
].join("\n");

/** Sentences that the local model understands, by the tool that they need. */
const known: readonly (readonly [tool: string, sentence: string])[] = [
  ["get_domain_card", "Tell me about Kibera Clean Stoves"],
  ["explain_verification", "Why is Kibera Clean Stoves not verified?"],
  ["search_domains", "Find clean cooking"],
  ["remember", "Remember that my stove is a Kiboko 2"],
  ["search_memory", "What do you remember?"],
  [FORGET_ALL_TOOL, "Forget everything you remember"],
  ["set_user_preferences", "Call me Amina"],
];
/** Example sentences of other tools that `/help` lists. */
const MOST_EXAMPLES = 12;

/** The answer to `/help`: sentences for the tools that the model is offered. */
export function helpAnswer(tools: readonly OfferedTool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const examples = tools.flatMap(({ description = "" }) => examplesIn(description).map(({ sentence }) => sentence));
  const sentences = [
    "What is a domain?",
    ...known.flatMap(([tool, sentence]) => (names.has(tool) ? [sentence] : [])),
    ...examples.slice(0, MOST_EXAMPLES),
  ];
  return [
    "I am the built-in development model. I understand sentences such as these, and repeat any other:",
    "",
    ...sentences.map((sentence) => `- ${sentence}`),
    "",
    "Commands for tests:",
    "",
    '- `/tool search_domains {"query":"stoves"}` calls a tool by its name',
    "- `/slow 20 100` answers in 20 parts, 100 milliseconds apart",
    "- `/think about stoves` thinks first",
    "- `/fail server` fails as a model service does",
    "",
    "Set `LLM_PROVIDER` for a model that answers your own questions.",
  ].join("\n");
}
