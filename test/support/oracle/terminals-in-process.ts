/** A user who runs `npm run chat` inside the test's own process, in one terminal or several, against the oracle on a port. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runChat } from "../../../scripts/chat/run-chat.ts";
import { openStateFile } from "../../../scripts/chat/state-file.ts";
import { startOracleOnAPort, type OraclePortOptions } from "./oracle-on-a-port.ts";
import { createGate, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

/** Seed of the user's key, in `ucan.ts` and the oracle's edge. */
const alice = 1;

/** A user with a home directory and a terminal, connected to an oracle. */
export async function userOf(options: OraclePortOptions & { readonly now?: () => number } = {}) {
  const oracle = await startOracleOnAPort(options);
  onTestFinished(oracle.close);
  const waits: number[] = [];
  const paths = () => oracle.requests.map(({ method, path }) => `${method} ${path}`);

  /** A user may have several terminals. */
  function terminal() {
    const home = temporaryDirectory();
    /** `onOutput` sees the terminal after each write, and may interrupt. */
    async function chat(words: readonly string[], onOutput?: (all: string, interrupt: () => void) => void) {
      let answer = "";
      let notes = "";
      const interruption = new AbortController();
      const write = () => onOutput?.(answer + notes, () => interruption.abort());
      const code = await runChat(["--url", oracle.url, ...words], {
        environment: { TWINEDGE_HOME: home },
        projectDirectory: home,
        terminal: {
          answer: (text) => {
            answer += text;
            write();
          },
          note: (text) => {
            notes += text;
            write();
          },
          colours: { answer: false, note: false },
        },
        fetch,
        now: options.now ?? Date.now,
        wait: async (milliseconds) => {
          waits.push(milliseconds);
          await Promise.resolve();
          interruption.signal.throwIfAborted();
        },
        randomSeed: () => new Uint8Array(32).fill(alice),
        interrupted: interruption.signal,
      });
      return { code, answer, notes };
    }
    return { chat, state: () => openStateFile(join(home, "chat")).read() };
  }

  const forget = (sessionId: string) => oracle.edge.call("DELETE", `/sessions/${sessionId}`, { as: alice });
  return { oracle, waits, paths, terminal, forget, ...terminal() };
}

/** A step that sends the words one by one, each after the first when its gate opens. */
export function gatedStep(first: string, ...words: readonly string[]) {
  const gates = words.map(() => createGate());
  const rest = words.flatMap((word, index): Beat[] => {
    const wait = gates[index];
    return wait === undefined ? [] : [{ wait }, word];
  });
  const open = (index: number) => () => gates[index]?.open();
  return { steps: [[first, ...rest]] as const, open };
}
