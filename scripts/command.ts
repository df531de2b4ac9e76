/**
 * One command of `npm run`: its name, its help, its options and its task. `parseArgs` of node:util parses the words; a wrong line
 * gets one sentence (wrong-usage.ts).
 */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** An option of every command. */
const helpOption = { help: { type: "boolean", short: "h", default: false } } as const;

export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  readonly values: ReturnType<typeof parseArgs<{ options: Options }>>["values"];
  /** All words that are not options. */
  readonly words: readonly string[];
  /** The names of the given options. */
  readonly given: readonly string[];
  readonly environment: Environment;
}

interface Definition<Options extends ParseArgsOptionsConfig, Task> {
  /** As the user types it, such as `npm run keys`. */
  readonly name: string;
  readonly usage: string;
  readonly options: Options;
  /** Without it, a word is an error. */
  readonly takesWords?: boolean;
  /** @throws Error with one sentence about a wrong line. */
  readonly read: (line: CommandLine<Options>) => Task;
}

export interface Command<Task> {
  readonly name: string;
  readonly usage: string;
  /** The line's task, a request for help, or a sentence about the error. */
  readonly parse: (words: readonly string[], environment: Environment) => Task | "help" | Error;
}

export function defineCommand<const Options extends ParseArgsOptionsConfig, Task>(
  definition: Definition<Options, Task>,
): Command<Task> {
  const { name, usage, options, takesWords = false, read } = definition;
  return {
    name,
    usage,
    parse(args, environment) {
      try {
        const { values, positionals, tokens } = parseArgs({
          args: [...args],
          options: { ...options, ...helpOption },
          allowPositionals: takesWords,
          tokens: true,
        });
        const given = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
        if (given.includes("help")) return "help";
        return read({ values, words: positionals, given, environment });
      } catch (error) {
        return error as Error;
      }
    },
  };
}

/**
 * Runs this process as the command: prints the help, or a sentence about a wrong line, or runs the task, whose result is the exit
 * code.
 */
export async function runAs<Task>(
  { name, usage, parse }: Command<Task>,
  work: (task: Task) => number | undefined | Promise<number | undefined>,
): Promise<void> {
  const task = parse(process.argv.slice(2), process.env);
  if (task === "help") process.stdout.write(usage);
  else if (task instanceof Error) {
    process.stderr.write(wrongUsage(name, task));
    process.exitCode = WRONG_USAGE;
  } else process.exitCode = await work(task);
}

/** A command without options, whose work throws a sentence if it fails. */
export async function runPlain(name: string, usage: string, work: () => Promise<number | undefined>): Promise<void> {
  const command = defineCommand({ name, usage, options: {}, read: () => undefined });
  await runAs(command, async () => {
    try {
      return await work();
    } catch (error) {
      process.stderr.write(`${name}: ${(error as Error).message}\n`);
      return 1;
    }
  });
}

const HIGHEST_PORT = 65_535;

export function portOf(option: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > HIGHEST_PORT)
    throw new Error(`${option} takes a whole number from 1 to ${HIGHEST_PORT}, not "${text}"`);
  return port;
}

/** NAME=VALUE, split at the first equals sign. */
export function pairOf(option: string, text: string): [string, string] {
  const end = text.indexOf("=");
  if (end < 1) throw new Error(`${option} takes NAME=VALUE, not "${text}"`);
  return [text.slice(0, end), text.slice(end + 1)];
}
