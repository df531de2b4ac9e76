/**
 * How the application is called: an answer that comes later keeps the object awake until it has come, and what is thrown
 * is logged and harms nobody.
 */
import type { ServerPorts } from "./ports.ts";

/** @param event names the callback in the log. */
export type Call = (event: string, callback: () => Promise<void> | void) => void;

export function createCall({ background, log }: Pick<ServerPorts, "background" | "log">): Call {
  function failed(event: string, thrown: unknown): void {
    log("error", "socketio.callback-failed", { callback: event, error: describe(thrown) });
  }

  return (event, callback) => {
    try {
      const work = callback();
      if (work !== undefined) background(work.catch((thrown: unknown) => failed(event, thrown)));
    } catch (thrown) {
      failed(event, thrown);
    }
  };
}

export function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
