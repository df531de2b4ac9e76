/** How calls of tools are drawn: a separate card for `find_stove`, one for all others, and one for failures. */
import type { UIComponents } from "@twinedge/sdk";

interface CallProps {
  readonly toolName?: string;
  readonly args?: unknown;
  readonly output?: string;
  readonly status?: "isRunning" | "done" | "error";
  readonly isLoading?: boolean;
}

const words = { isRunning: "Working", done: "Done", error: "Failed" } as const;

/** `book_visit` is read as "Book visit". */
export function toolWords(toolName: string): string {
  const words = toolName.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ToolCall({ toolName = "Tool", args, output, status = "done" }: CallProps) {
  return (
    <details className={`card ${status}`}>
      <summary>
        <span className="card-name">{toolWords(toolName)}</span>
        <span className="badge">{words[status]}</span>
      </summary>
      <h3>Asked</h3>
      <pre tabIndex={0}>{JSON.stringify(args ?? {}, null, 2)}</pre>
      {output !== undefined && (
        <>
          <h3>Answered</h3>
          <pre tabIndex={0}>{output}</pre>
        </>
      )}
    </details>
  );
}

interface Stove {
  readonly id: string;
  readonly model: string;
  readonly household: string;
  readonly cookedHours: number;
  readonly savedKilograms: number;
}

/** A tool's output is text or JSON text; what is no stove is shown as any other call. */
function readStove(output: string | undefined): Stove | undefined {
  try {
    const value: unknown = JSON.parse(output ?? "");
    return typeof value === "object" && value !== null && "household" in value ? (value as Stove) : undefined;
  } catch {
    return undefined;
  }
}

function StoveCard(props: CallProps) {
  const stove = readStove(props.output);
  if (stove === undefined) return <ToolCall {...props} />;
  return (
    <section className="card stove" aria-label={`Stove ${stove.id}`}>
      <h3>
        {stove.model} <span className="badge">{stove.id}</span>
      </h3>
      <dl>
        <div>
          <dt>Household</dt>
          <dd>{stove.household}</dd>
        </div>
        <div>
          <dt>Cooked this month</dt>
          <dd>{stove.cookedHours} hours</dd>
        </div>
        <div>
          <dt>CO₂ saved</dt>
          <dd>{stove.savedKilograms} kg</dd>
        </div>
      </dl>
    </section>
  );
}

function Failure({ output }: { readonly output?: string }) {
  return (
    <p className="card error" role="alert">
      {output}
    </p>
  );
}

export const toolCards: UIComponents = { ToolCall, Error: Failure, find_stove: StoveCard };
