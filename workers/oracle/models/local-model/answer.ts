/**
 * The local model's mind: one pure function from a prompt to a script (contract/oracle.md section 10.6; the name in
 * front of an echo is docs/decisions/002-local-model-shows-preferences.md).
 */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { commandScript } from "./commands.ts";
import { readConversation } from "./conversation.ts";
import { wishedPreferences } from "./preference-phrases.ts";
import { preferenceSection, readPreferences, type Preferences } from "./prompt-preferences.ts";
import { speak, type Script } from "./script.ts";

const PREFERENCES_TOOL = "set_user_preferences";

export function answer(options: LanguageModelV4CallOptions): Script {
  const conversation = readConversation(options);
  const { userText, toolResults, toolNames, attachmentTexts } = conversation;
  if (toolResults.length > 0)
    return speak(toolResults.map(({ toolName, output }) => `Tool ${toolName} returned: ${output}`).join("\n"));

  const script = commandScript(userText, toolNames);
  if (script !== undefined) return script;

  const section = preferenceSection(conversation.systemPrompt);
  if (/\bwhat are my preferences\b/i.test(userText)) return speak(section ?? "You have not set any preferences.");

  const preferences = readPreferences(section);
  const wish = toolNames.has(PREFERENCES_TOOL) ? wishedPreferences(userText) : undefined;
  if (wish !== undefined) {
    const { customInstructions } = wish;
    const input =
      customInstructions === undefined
        ? { ...wish }
        : { ...wish, customInstructions: extend(preferences.customInstructions, customInstructions) };
    return [{ type: "call", toolName: PREFERENCES_TOOL, input }];
  }
  return speak([`${salutation(preferences)}You said: ${userText}`, ...attachmentTexts].join("\n"));
}

function salutation({ agentName, userName }: Preferences): string {
  return (agentName === undefined ? "" : `${agentName}: `) + (userName === undefined ? "" : `${userName}, `);
}

/** The tool replaces a field as a whole, so that what is to be kept must be said again. */
function extend(known: string | undefined, added: string): string {
  if (known === undefined || known === "") return added;
  return known.includes(added) ? known : `${known}\n${added}`;
}
