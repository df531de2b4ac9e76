/** The answer to a command line that cannot be read: one sentence on what is wrong, and the command that explains the rest. */

/** The exit code that every `--help` promises for it. */
export const WRONG_USAGE = 2;

/** Node's advice on words that begin with a dash: a misspelt option is what happens. */
const ADVICE = /[.\n]+\s*(?:To specify|Did you forget)[^]*$/;

/** Without the advice, of which nothing helps a user of these commands. */
export function firstSentence({ message }: Error): string {
  return message.replace(ADVICE, "");
}

/** Two lines for standard error; `command` is what the user typed, as `npm run keys`. */
export function wrongUsage(command: string, error: Error): string {
  const separator = command.startsWith("npm ") ? " --" : "";
  return `${command}: ${firstSentence(error)}\nSee ${command}${separator} --help\n`;
}
