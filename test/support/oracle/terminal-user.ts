/** A user at a terminal: runs `scripts/chat.ts` as a child process, with a separate identity and home directory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { temporaryDirectory } from "../server/temporary-directory.ts";

const program = resolve(import.meta.dirname, "../../../scripts/chat.ts");

export interface ChatEnd {
  readonly code: number | null;
  /** Standard output. */
  readonly answer: string;
  /** Standard error. */
  readonly notes: string;
}

export interface RunningChat {
  /** Resolves as soon as standard output contains `text`; rejects when the client ends without it. */
  answered(text: string): Promise<void>;
  /** Resolves as soon as standard error contains `text`; rejects when the client ends without it. */
  noted(text: string): Promise<void>;
  signal(name: "SIGINT" | "SIGKILL"): void;
  readonly end: Promise<ChatEnd>;
}

export interface ChatUser {
  start(...words: readonly string[]): RunningChat;
  /** Runs the client to its end. */
  chat(...words: readonly string[]): Promise<ChatEnd>;
}

export function createChatUser(url: string): ChatUser {
  const home = temporaryDirectory();

  function start(...words: readonly string[]): RunningChat {
    const child = spawn(process.execPath, [program, "--url", url, ...words], {
      env: { ...process.env, TWINEDGE_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { answer: "", notes: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.answer += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.notes += text;
    });
    const end = once(child, "close").then(([code]): ChatEnd => ({ code: code as number | null, ...output }));

    async function holds(name: keyof typeof output, text: string): Promise<void> {
      const stream = name === "answer" ? child.stdout : child.stderr;
      while (!output[name].includes(text)) {
        const ended = await Promise.race([once(stream, "data").then(() => undefined), end]);
        if (ended !== undefined && !output[name].includes(text)) {
          throw new Error(`the client ended without "${text}": ${JSON.stringify(ended)}`);
        }
      }
    }

    return {
      answered: (text) => holds("answer", text),
      noted: (text) => holds("notes", text),
      signal: (name) => void child.kill(name),
      end,
    };
  }

  return { start, chat: async (...words) => await start(...words).end };
}
