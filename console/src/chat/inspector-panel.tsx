/** The traffic between this page and the oracle: the run, the socket, frames and requests as they arrive, without tokens. */
import { useChat } from "@twinedge/sdk";
import type { KeptEntry } from "@twinedge/sdk/devtools";
import { useState, useSyncExternalStore } from "react";
import { Badge } from "../kit/badge.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Fact } from "../kit/fact.tsx";
import { Field } from "../kit/field.tsx";
import { chatTexts } from "../texts/chat.ts";
import { ownOracle, recorder, useChatParts } from "./chat-context.ts";
import type { PanelProps } from "./panel-props.ts";
import { lastSocketEvent, parsed, requestFacts, runFacts } from "./run-facts.ts";
import { toolCards } from "./tool-cards.tsx";

const words = chatTexts.inspector;
type Kind = keyof typeof words.kinds;
const kinds = Object.keys(words.kinds) as Kind[];
/** Maximum rows shown; the recorder keeps more, which can be copied. */
const MOST_ROWS = 100;

export function InspectorPanel({ place: { sessionId } }: PanelProps) {
  const all = useSyncExternalStore(recorder.subscribe, recorder.getSnapshot);
  const [shown, setShown] = useState<Kind | "">("");
  const own = all.filter((entry) => entry.sessionId === undefined || entry.sessionId === sessionId);
  const chosen = own.filter(({ kind }) => shown === "" || kind === shown).toReversed();
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      {sessionId !== "" && <Now sessionId={sessionId} entries={own} />}
      <Field label={words.show}>
        {(ids) => (
          <select
            {...ids}
            value={shown}
            onChange={({ target }) => setShown(kinds.find((kind) => kind === target.value) ?? "")}
          >
            <option value="">{words.all}</option>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {words.kinds[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="row wrap spread">
        <CopyButton text={() => asJson(chosen)} label={words.copy} showsLabel />
        <button type="button" className="ghost small" onClick={recorder.clear}>
          {words.clear}
        </button>
      </div>
      {chosen.length === 0 ? (
        <p className="muted">{words.empty}</p>
      ) : (
        <p className="muted small">{words.newest(Math.min(MOST_ROWS, chosen.length), chosen.length)}</p>
      )}
      <ol className="chat-entries">
        {chosen.slice(0, MOST_ROWS).map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The current run and socket. */
function Now({ sessionId, entries }: { readonly sessionId: string; readonly entries: readonly KeptEntry[] }) {
  const { oracleDid } = useChatParts();
  const { run, isRealTimeConnected, status } = useChat({
    oracleDid,
    sessionId,
    overrides: ownOracle,
    uiComponents: toolCards,
    streamingMode: "throttled",
    onPaymentRequiredError: () => undefined,
  });
  const facts = runFacts(entries);
  const socket = lastSocketEvent(entries);
  const state = facts === undefined ? undefined : (facts.ended ?? words.running);
  return (
    <dl className="facts">
      <Fact name={words.run}>
        {facts === undefined ? (
          <span className="muted">{words.none}</span>
        ) : (
          <>
            <Badge tone={facts.ended === "finished" ? "ok" : facts.ended === undefined ? "info" : "warn"}>
              {state}
            </Badge>{" "}
            <span className="muted small">{status}</span>
          </>
        )}
      </Fact>
      {run.runId !== null && (
        <Fact name={words.id}>
          <code className="chat-did">{run.runId}</code>
        </Fact>
      )}
      {facts !== undefined && (
        <>
          <Fact name={words.took}>{words.milliseconds(facts.tookMs)}</Fact>
          <Fact name={words.calls}>{facts.toolCalls}</Fact>
          <Fact name={words.frames}>{facts.frames}</Fact>
        </>
      )}
      {run.resumed > 0 && <Fact name={words.resumed}>{run.resumed}</Fact>}
      <Fact name={words.socket}>
        <Badge tone={isRealTimeConnected ? "ok" : "warn"}>
          {isRealTimeConnected ? words.connected : words.notConnected}
        </Badge>{" "}
        {socket !== undefined && <span className="muted small">{socket.name}</span>}
      </Fact>
    </dl>
  );
}

function Entry({ entry }: { readonly entry: KeptEntry }) {
  const { at, kind, name, count, detail } = entry;
  const request = requestFacts(entry);
  const line = (
    <>
      <span className="muted">{new Date(at).toISOString().slice(11, 23)}</span> <Badge>{kind}</Badge>{" "}
      <span>{name}</span>
      {count > 1 && ` ×${count}`}
      {request !== undefined && <span className="muted"> {words.status(request.status, request.ms)}</span>}
    </>
  );
  if (detail === "") return <p>{line}</p>;
  return (
    <details>
      <summary>{line}</summary>
      <pre tabIndex={0} role="region" aria-label={name}>
        {detail}
      </pre>
    </details>
  );
}

function asJson(entries: readonly KeptEntry[]): string {
  return JSON.stringify(
    entries.map(({ at, kind, name, sessionId, count, detail }) => {
      const value = parsed(detail);
      return {
        at: new Date(at).toISOString(),
        kind,
        name,
        sessionId,
        count,
        detail: Object.keys(value).length === 0 ? detail : value,
      };
    }),
    null,
    2,
  );
}
