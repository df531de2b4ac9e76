/** The answer to an invalid command line: one sentence about the error, and the command that explains the rest. */

/** The exit code that every `--help` promises for it. */
export const WRONG_USAGE = 2;

/** Node's advice on words that begin with a dash: usually it was a misspelt option. */
const ADVICE = /[.\n]+\s*(?:To specify|Did you forget)[^]*$/;

/** Without the advice, which does not help users of these commands. */
export function firstSentence({ message }: Error): string {
  return message.replace(ADVICE, "");
}

/** Two lines for standard error; `command` is the user's command, such as `npm run keys`. */
export function wrongUsage(command: string, error: Error): string {
  const separator = command.startsWith("npm ") ? " --" : "";
  return `${command}: ${firstSentence(error)}\nSee ${command}${separator} --help\n`;
}
