/** The progress of a long task: a line that is rewritten on a terminal, or a new line from time to time elsewhere. */

export interface Progress {
  /** Shows the progress; `total` is unknown for an export. */
  show(done: number, total: number | undefined, failures: number): void;
  /** Removes the line from a terminal, so that the next text starts at its beginning. */
  clear(): void;
  /** The final line, with the time and the rate. */
  end(done: number, failures: number): string;
}

export interface ProgressParts {
  readonly terminal: { readonly isTTY?: boolean; write(text: string): unknown };
  /** Milliseconds from any origin. */
  readonly now: () => number;
}

/** Milliseconds between two lines, on a terminal and in a log. */
const TERMINAL_INTERVAL = 100;
const LOG_INTERVAL = 5_000;
/** Seconds after which a rate is meaningful. */
const RATED_SECONDS = 1;
const number = new Intl.NumberFormat("en");
const lines = (count: number): string => `${number.format(count)} ${count === 1 ? "line" : "lines"}`;

export function createProgress({ terminal, now }: ProgressParts): Progress {
  const interval = terminal.isTTY === true ? TERMINAL_INTERVAL : LOG_INTERVAL;
  let began: number | undefined;
  let first = 0;
  let shown = 0;

  const seconds = (): number => (now() - (began ?? now())) / 1000;
  /** Lines per second of this run, without an earlier run's. */
  const rate = (done: number): string =>
    seconds() < RATED_SECONDS ? "" : `, ${number.format(Math.round((done - first) / seconds()))} a second`;

  const clear = (): void => {
    if (terminal.isTTY === true) terminal.write("\r\u001B[K");
  };

  return {
    show(done, total, failures) {
      if (began === undefined) {
        [began, first, shown] = [now(), done, now()];
        return;
      }
      if (now() - shown < interval) return;
      shown = now();
      const share =
        total === undefined || total === 0 ? "" : ` of ${number.format(total)} (${Math.floor((done / total) * 100)} %)`;
      const line = `${share === "" ? lines(done) : `${number.format(done)}${share} lines`}${rate(done)}, ${number.format(failures)} failed`;
      terminal.write(terminal.isTTY === true ? `\r\u001B[K${line}` : `${line}\n`);
    },
    clear,
    end(done, failures) {
      clear();
      return `${lines(done - first)} in ${seconds().toFixed(1)} s${rate(done)}, ${number.format(failures)} failed`;
    },
  };
}
