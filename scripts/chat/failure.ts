/**
 * How the terminal client ends. What stops a command early is thrown as a `ChatFailure` and caught once, in
 * `run-chat.ts`, which prints its message and answers with its exit code; anything else thrown is a bug.
 */

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = {
  ok: 0,
  turnFailed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export class ChatFailure extends Error {
  readonly exitCode: ExitCode;
  /** The HTTP status, when the server refused. */
  readonly status: number | undefined;

  constructor(exitCode: ExitCode, message: string, status?: number) {
    super(message);
    this.name = "ChatFailure";
    this.exitCode = exitCode;
    this.status = status;
  }
}
