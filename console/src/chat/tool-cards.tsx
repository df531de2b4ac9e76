/** Renders tool calls: the action and its progress, with expandable arguments and result; failures; registry cards. */
import type { UIComponents } from "@twinedge/sdk";
import { useContext, useState, type ReactNode } from "react";
import { parsedJson } from "../../../shared/json-members.ts";
import { Badge, type Tone } from "../kit/badge.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Icon } from "../kit/icon.tsx";
import { jsonText } from "../kit/json-text.ts";
import { lazyPart } from "../kit/lazy-part.tsx";
import { chatTexts } from "../texts/chat.ts";
import { OpenCalls } from "./chat-context.ts";
import { adviceForKind } from "./failure-facts.ts";
import { calledWords, toolWords } from "./tool-names.ts";

const RegistryCard = lazyPart(() => import("./registry-cards.tsx"), { Waiting: () => null, isOptional: true });

interface CallProps {
  readonly id?: string;
  readonly toolName?: string;
  readonly args?: unknown;
  readonly output?: string;
  readonly status?: "isRunning" | "done" | "error";
}

const tones: Readonly<Record<NonNullable<CallProps["status"]>, Tone>> = {
  isRunning: "info",
  done: "ok",
  error: "danger",
};

/** The oracle's text for a call that its user refused, or did not answer in time: nothing failed. */
const NOT_RUN = / was not run: /;

function ToolCall(props: CallProps & { readonly shown?: ReactNode }) {
  const { id = "", toolName = "", args, output, status = "done", shown } = props;
  const openCalls = useContext(OpenCalls);
  const [isOpen, setIsOpen] = useState(() => openCalls.has(id));
  const open = (isOpen: boolean): void => {
    if (isOpen) openCalls.add(id);
    else openCalls.delete(id);
    setIsOpen(isOpen);
  };
  const words = chatTexts.tool;
  const called = calledWords(toolName);
  return (
    <div className="tool-card">
      {shown}
      {/* The browser reports "toggle" in a later task, and the stored answer can replace this element before that. */}
      <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
        <summary
          onClick={(event) => {
            event.preventDefault();
            open(!isOpen);
          }}
        >
          <span className="grow">
            {called} {called !== toolWords(toolName) && <code className="muted small">{toolName}</code>}
          </span>
          {status === "error" && NOT_RUN.test(output ?? "") ? (
            <Badge>{words.notRun}</Badge>
          ) : (
            <Badge tone={tones[status]}>{words[status]}</Badge>
          )}
        </summary>
        {isOpen && (
          <div className="stack tight">
            <Value name={words.arguments} text={jsonText(args ?? {}, 2)} />
            {output !== undefined && <Value name={words.result} text={indented(output)} />}
          </div>
        )}
      </details>
    </div>
  );
}

function Value({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div className="stack tight">
      <p className="row spread small muted">
        {name} <CopyButton text={text} label={`${name}: ${chatTexts.code}`} />
      </p>
      <pre tabIndex={0} role="region" aria-label={name}>
        {text}
      </pre>
    </div>
  );
}

function indented(output: string): string {
  const value = parsedJson(output);
  if (value === undefined) return output;
  return typeof value === "string" ? value : jsonText(value, 2);
}

function DomainCardCall(props: CallProps) {
  return <ToolCall {...props} shown={<RegistryCard kind="domain" output={props.output} />} />;
}

function SearchCall(props: CallProps) {
  return <ToolCall {...props} shown={<RegistryCard kind="found" output={props.output} />} />;
}

function ExplanationCall(props: CallProps) {
  return <ToolCall {...props} shown={<RegistryCard kind="explanation" output={props.output} />} />;
}

function Failure({ output, payload }: { readonly output?: string; readonly payload?: unknown }) {
  const { kind } = (payload ?? {}) as { readonly kind?: unknown };
  return (
    <div className="notice danger" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          <strong>{output}</strong>
        </p>
        <p>{adviceForKind(String(kind))}</p>
      </div>
    </div>
  );
}

export const toolCards: UIComponents = {
  ToolCall,
  Error: Failure,
  get_domain_card: DomainCardCall,
  search_domains: SearchCall,
  explain_verification: ExplanationCall,
  // The call's own card shows the domain too, and survives a reload.
  DomainCard: () => null,
};
