/**
 * Records as readable text: sessions, a transcript, models, preferences. With `--json` they are printed unchanged, one line per
 * response.
 */
import type { MessageRecord, ModelList, ModelRecord, PreferencesRecord, SessionList } from "../../protocol/records.ts";
import type { Screen } from "./screen.ts";

export function printSessions(screen: Screen, { sessions, total }: SessionList, lastId: string | undefined): void {
  if (sessions.length === 0) screen.note("No sessions yet.");
  for (const session of sessions) {
    const last = session.sessionId === lastId ? " (--continue uses this one)" : "";
    screen.print(`${session.sessionId}  ${session.title}`, ` ${session.lastUpdatedAt}${last}`);
  }
  if (total > sessions.length) screen.note(`... and ${total - sessions.length} older ones.`);
}

export function printTranscript(screen: Screen, messages: readonly MessageRecord[]): void {
  if (messages.length === 0) screen.note("This session has no messages yet.");
  for (const message of messages) {
    const calls = message.toolCalls?.map((call) => `${call.name}: ${call.status}`).join(", ") ?? "";
    screen.print(
      `${message.type === "human" ? "you" : "oracle"}> ${message.content}`,
      calls === "" ? undefined : `[${calls}]`,
    );
  }
}

export function printModels(screen: Screen, { models, default: defaultId }: ModelList): void {
  for (const model of models) {
    screen.print(
      `${model.id}  ${modelName(model)}`,
      ` ${model.costLabel} ${model.blurb}${model.id === defaultId ? " (default)" : ""}`,
    );
  }
}

export function printPreferences(screen: Screen, preferences: PreferencesRecord): void {
  const fields = Object.entries(preferences);
  if (fields.length === 0) screen.note("No preferences are stored.");
  for (const [field, value] of fields) screen.print(`${field}: ${value}`);
}

/** Which model will answer; the server uses its default for an unknown model. */
export function describeModel(list: ModelList, wanted: string | undefined): string {
  const row = list.models.find((model) => model.id === (wanted ?? list.default));
  if (row !== undefined) return modelName(row);
  const fallback = list.models.find((model) => model.id === list.default);
  const name = fallback === undefined ? list.default : modelName(fallback);
  return wanted === undefined ? name : `${name}, because the server does not know ${wanted}`;
}

/** The built-in model must not be taken for a real one. */
function modelName(row: ModelRecord): string {
  return row.id === "local" ? "local, the built-in development model" : row.label;
}
