/**
 * The commands that show something other than a turn, as text for people. With `--json` the records are printed
 * as they came instead, one line for each reply.
 */
import type { Screen } from "./screen.ts";
import type { MessageRecord, ModelList, ModelRow, SessionRecord } from "./wire.ts";

export function printSessions(
  screen: Screen,
  sessions: readonly SessionRecord[],
  total: number,
  lastId?: string,
): void {
  if (sessions.length === 0) screen.note("No sessions yet.");
  for (const session of sessions) {
    const last = session.sessionId === lastId ? " (--continue goes on with this one)" : "";
    screen.print(`${session.sessionId}  ${session.title}`, ` ${session.lastUpdatedAt}${last}`);
  }
  if (total > sessions.length) screen.note(`... and ${total - sessions.length} older ones.`);
}

export function printTranscript(screen: Screen, messages: readonly MessageRecord[]): void {
  if (messages.length === 0) screen.note("Nothing was said in this session yet.");
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

export function printPreferences(screen: Screen, preferences: Readonly<Record<string, unknown>>): void {
  const fields = Object.entries(preferences);
  if (fields.length === 0) screen.note("No preferences are stored.");
  for (const [field, value] of fields)
    screen.print(`${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}

/** Says which model will answer; a server answers with its default one when it does not know the wanted one. */
export function describeModel(list: ModelList, wanted: string | undefined): string {
  const row = list.models.find((model) => model.id === (wanted ?? list.default));
  if (row !== undefined) return modelName(row);
  const fallback = list.models.find((model) => model.id === list.default);
  const name = fallback === undefined ? list.default : modelName(fallback);
  return wanted === undefined ? name : `${name}, since the server does not know ${wanted}`;
}

/** Nobody should take the model that comes with a fresh checkout for a real one (contract/oracle.md section 10.6). */
function modelName(row: ModelRow): string {
  return row.id === "local" ? "local, the built-in development model" : row.label;
}
