/**
 * Reads the user's preferences back out of the system prompt, where the user-preferences plugin wrote them as the
 * section `## User preferences`, one bullet `- <field>: <JSON string>` per set field (contract/oracle.md section 9).
 */
import { parseJson } from "../../../platform/parse-json.ts";

export type PreferenceField =
  | "agentName"
  | "userName"
  | "language"
  | "tone"
  | "length"
  | "format"
  | "formality"
  | "customInstructions";

export type Preferences = { readonly [field in PreferenceField]?: string };

const HEADING = "## User preferences";
const BULLET = /^- (\w+): (".*")\s*$/;

/** The section with its heading, without blank lines at its end; nothing when the prompt has none. */
export function preferenceSection(systemPrompt: string): string | undefined {
  const lines = systemPrompt.split("\n");
  const start = lines.findIndex((line) => line.trim() === HEADING);
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,2} /.test(line));
  return [HEADING, ...(end === -1 ? rest : rest.slice(0, end))].join("\n").trimEnd();
}

/** Unknown fields are kept out by the readers' types; a bullet that is not a JSON string is passed over. */
export function readPreferences(section: string | undefined): Preferences {
  const preferences: Record<string, string> = {};
  for (const line of section?.split("\n") ?? []) {
    const [, field, quoted] = BULLET.exec(line) ?? [];
    const value = quoted === undefined ? undefined : parseJson(quoted);
    if (field !== undefined && value?.ok === true && typeof value.value === "string") preferences[field] = value.value;
  }
  return preferences;
}
