/**
 * Shows a run on the terminal: the answer on standard output as it arrives, and everything about it (tool calls, reasoning, errors,
 * notes) on standard error, so that a pipe receives only the answer.
 */
import { runNoticeCodes } from "../../protocol/error-codes.ts";
import type { FrameData, RunEvent } from "../../protocol/frames.ts";
import type { AnswerChange } from "./answer-change.ts";

export interface Terminal {
  /** Standard output; `colours` as in `note`. */
  answer(text: string): void;
  /** Standard error. */
  note(text: string): void;
  /** Whether each of the two may be coloured: a terminal, and NO_COLOR unset. */
  readonly colours: { readonly answer: boolean; readonly note: boolean };
}

export interface Screen {
  /** Shows one event of a run, with its effect on the answer. */
  show(event: RunEvent, change: AnswerChange): void;
  /** A dim line about what the client does. */
  note(text: string): void;
  error(text: string): void;
  /** A line of a listing on standard output; the part in `details` is dim. */
  print(text: string, details?: string): void;
}

/** The text before the cursor while its line is unfinished; a tool call is finished on its own line if possible. */
type OpenLine = "none" | "answer" | "reasoning" | `call ${string}`;

/** The server's placeholder until the model's thinking arrives. */
const placeholder = "Thinking...";

/** Maximum characters of a tool's arguments or output on its line. */
const excerptLength = 120;

export function createScreen(terminal: Terminal): Screen {
  const dim = (text: string) => (terminal.colours.note ? `\u001b[2m${text}\u001b[22m` : text);
  const red = (text: string) => (terminal.colours.note ? `\u001b[31m${text}\u001b[39m` : text);
  let open: OpenLine = "none";

  function closeLine(): void {
    // Never on standard output: the line break belongs to the screen, not to the answer.
    if (open !== "none") terminal.note("\n");
    open = "none";
  }

  function note(text: string): void {
    closeLine();
    terminal.note(`${dim(printable(text))}\n`);
  }

  function error(text: string): void {
    closeLine();
    terminal.note(`${red(printable(text))}\n`);
  }

  function answer(text: string): void {
    if (text === "") return;
    if (open !== "answer") closeLine();
    terminal.answer(printable(text));
    open = text.endsWith("\n") ? "none" : "answer";
  }

  function showChange(change: AnswerChange): void {
    if (change.kind === "addition") answer(change.text);
    if (change.kind !== "replacement") return;
    closeLine();
    // The marker is part of the answer, because the reader of a pipe must also know which text was withdrawn.
    const withdrawn = printable(excerpt(change.withdrawn));
    terminal.answer(`\n--- withdrawn: "${withdrawn}". The answer so far: ---\n`);
    answer(change.text);
  }

  function showCall(id: string, call: Omit<FrameData<"tool_call">, "eventId">): void {
    const { toolName: _, ...args } = call.args;
    const name = `* ${call.toolName} ${excerpt(JSON.stringify(args))}`;
    if (call.status === "isRunning") {
      closeLine();
      terminal.note(dim(printable(`${name} ...`)));
      open = `call ${id}`;
      return;
    }
    const outcome =
      call.status === "done" ? `done: ${excerpt(call.output ?? "")}` : `error: ${excerpt(call.error ?? "")}`;
    if (open === `call ${id}`) {
      terminal.note(dim(printable(` ${outcome}`)));
      closeLine();
    } else {
      note(`${name} ${outcome}`);
    }
  }

  /** A notice is complete in itself; an error also shows its code and whether to retry. */
  function showError(data: FrameData<"error">): void {
    if (notices.has(data.code)) note(data.error);
    else error(`${data.error} (${data.code}${hope(data)})`);
  }

  return {
    note,
    error,
    show(event, change) {
      if (event.event === "reasoning" && event.data.reasoning === placeholder) note(placeholder);
      else if (event.event === "reasoning" && event.data.reasoning !== "") {
        if (open !== "reasoning") closeLine();
        terminal.note(dim(printable(event.data.reasoning)));
        open = "reasoning";
      }
      if (event.event === "tool_call") showCall(event.data.eventId, event.data);
      if (event.event === "action_call") showCall(event.data.toolCallId, event.data);
      if (event.event === "error") showError(event.data);
      if (event.event === "run" && event.data.resumed === true) {
        note("The server was restarted and continues the answer.");
      }
      showChange(change);
      if (event.event !== "done") return;
      // An answer always ends with a line break.
      if (open === "answer") terminal.answer("\n");
      else closeLine();
      open = "none";
      const ending = endings[event.data.status];
      if (ending !== undefined) error(ending);
      if (event.data.delegationRequired === true) note("The oracle needed a permission that it does not have.");
    },
    print(text, details) {
      const dimmed = details === undefined ? "" : ` ${printable(details)}`;
      terminal.answer(`${printable(text)}${terminal.colours.answer ? `\u001b[2m${dimmed}\u001b[22m` : dimmed}\n`);
    },
  };
}

const notices: ReadonlySet<string> = new Set(Object.keys(runNoticeCodes));

const endings = {
  finished: undefined,
  aborted: "The answer was stopped.",
  interrupted: "The server was restarted too often, so it gave up this answer.",
  failed: "The run failed.",
} as const;

function hope({ retryable, retryAfterMs }: { retryable: boolean; retryAfterMs?: number | undefined }): string {
  if (!retryable) return "";
  return retryAfterMs === undefined ? ", may pass" : `, may pass in ${Math.ceil(retryAfterMs / 1000)} s`;
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > excerptLength ? `${line.slice(0, excerptLength - 1)}…` : line;
}

/** Removes control characters: a model's text must not move the cursor, rename the window or hide earlier text. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, "");
}
