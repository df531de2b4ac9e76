/** Slack text in the form for the model: Slack's markup in angle brackets becomes plain text. */

/** `botUser`: mentions of this user only address the oracle, and are removed. */
export function plainText(text: string, botUser: string | undefined): string {
  const mention = botUser === undefined ? "" : `<@${botUser}>`;
  const asked = mention === "" ? text : text.replaceAll(mention, " ");
  return asked
    .replaceAll(/<([^<>\n]{1,4000})>/g, (_, mark: string) => wordsOf(mark))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/[ \t]{2,}/g, " ")
    .trim();
}

/** `@U024BE7LH`, `#C024BE7LR|general`, `!here`, `!subteam^S1|@team`, `!date^…|fallback`, `https://…|label`. */
function wordsOf(mark: string): string {
  const bar = mark.indexOf("|");
  const [target, label] = bar < 0 ? [mark, ""] : [mark.slice(0, bar), mark.slice(bar + 1)];
  if (target.startsWith("@")) return label === "" ? target : `@${label}`;
  if (target.startsWith("#")) return label === "" ? target : `#${label}`;
  if (target.startsWith("!")) return label === "" ? `@${target.slice(1)}` : label;
  const address = target.replace(/^mailto:|^tel:/, "");
  return label === "" || label === address || address.endsWith(`//${label}`) ? address : `${label} (${address})`;
}

export interface Said {
  readonly text: string;
  readonly files: number;
  /** The author, if it is not the person who started the thread. */
  readonly by?: string | undefined;
}

/** The message of a turn. Files are only counted, since they are not read. */
export function messageOf(said: Said): string {
  const files = said.files === 0 ? "" : `[attached files that cannot be read here: ${said.files}]`;
  const message = [said.text, files].filter((part) => part !== "").join("\n");
  return said.by === undefined ? message : `<@${said.by}> writes in this thread:\n${message}`;
}
