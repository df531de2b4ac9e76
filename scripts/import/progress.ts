/** What a long task shows of itself: a line that is rewritten on a terminal, now and then a new one elsewhere. */

export interface Progress {
  /** How far it is; `total` is unknown for an export. */
  show(done: number, total: number | undefined, failures: number): void;
  /** The last word, with the time and the rate. */
  end(done: number, failures: number): string;
}

export interface ProgressParts {
  readonly terminal: { readonly isTTY?: boolean; write(text: string): unknown };
  /** Milliseconds from any origin. */
  readonly now: () => number;
}

/** Milliseconds between two looks, on a terminal and in a log. */
const TERMINAL_INTERVAL = 100;
const LOG_INTERVAL = 5_000;
const number = new Intl.NumberFormat("en");

export function createProgress({ terminal, now }: ProgressParts): Progress {
  const interval = terminal.isTTY === true ? TERMINAL_INTERVAL : LOG_INTERVAL;
  let began: number | undefined;
  let first = 0;
  let shown = Number.NEGATIVE_INFINITY;

  /** Lines of this run in a second; what an earlier run did is not counted. */
  const rate = (done: number): number => {
    const seconds = (now() - (began ?? now())) / 1000;
    return seconds > 0 ? Math.round((done - first) / seconds) : 0;
  };

  return {
    show(done, total, failures) {
      const isFirst = began === undefined;
      if (isFirst) [began, first] = [now(), done];
      if (now() - shown < interval && done !== total) return;
      shown = now();
      const share =
        total === undefined || total === 0 ? "" : ` of ${number.format(total)} (${Math.floor((done / total) * 100)} %)`;
      const line = `${number.format(done)}${share} lines, ${number.format(rate(done))} a second, ${number.format(failures)} failed`;
      terminal.write(terminal.isTTY === true ? `\r\u001B[K${line}` : `${line}\n`);
    },
    end(done, failures) {
      if (terminal.isTTY === true) terminal.write("\r\u001B[K");
      const seconds = (now() - (began ?? now())) / 1000;
      return `${number.format(done - first)} lines in ${seconds.toFixed(1)} s, ${number.format(rate(done))} a second, ${number.format(failures)} failed`;
    },
  };
}
