/** The screen below /console/queries: one query, its answer, and this tab's history. The address contains the query. */
import { type SubmitEvent, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { navigate, useSearch } from "wouter/use-browser-location";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { Badge } from "../kit/badge.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../kit/loaded.tsx";
import { saveFile } from "../kit/save-file.ts";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { usePaletteCommands } from "../shell/palette.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import { nextKeyOf } from "./answer-facts.ts";
import { AnswerNotices } from "./answer-notices.tsx";
import { AnswerView } from "./answer-view.tsx";
import type { ChainAnswer } from "./ask-gateway.ts";
import { examplesOf } from "./example-queries.ts";
import type { Catalogue } from "./gateway-catalogue.ts";
import { requestOf } from "./gateway-request.ts";
import { QueryCard } from "./query-card.tsx";
import {
  type QueryForm,
  emptyForm,
  formOfSearch,
  formOfText,
  isSent,
  parametersOf,
  problemsOf,
  searchOfForm,
} from "./query-form.ts";
import type { AskedQuery } from "./query-history.ts";
import { tabHistory, useTabHistory } from "./tab-history.ts";
import { type AskedRequest, useAnswer } from "./use-answer.ts";
import { DOCUMENT_PATH, useCatalogue } from "./use-catalogue.ts";

export default function QueriesScreen() {
  const loaded = useCatalogue();
  const { catalogue } = loaded;
  const { form, isSent, view, edit, send } = useQueryForm();
  const search = useSearch();
  const announce = useAnnounce();
  const [showsProblems, setShowsProblems] = useState(false);
  const parameters = parametersOf(form, catalogue);
  const problems = problemsOf(form, parameters);
  const isRight = form.path !== "" && Object.keys(problems).length === 0;
  const current = isSent && isRight && loaded.state !== "loading" ? askedOf(form, catalogue) : undefined;
  /** The last sent query: its answer stays while the form is edited. */
  const [last, setLast] = useState<AskedRequest>();
  const shown = current ?? last;
  if (current !== undefined && current.search !== last?.search) setLast(current);
  const { answer, failure, isAsking, ask, stop } = useAnswer(shown);
  const result = useRef<HTMLElement>(null);

  const sendForm = async (next: QueryForm): Promise<void> => {
    const fields = parametersOf(next, catalogue);
    const isComplete = next.path !== "" && Object.keys(problemsOf(next, fields)).length === 0;
    setShowsProblems(!isComplete);
    if (!isComplete) return;
    send(next);
    const received = await ask(askedOf(next, catalogue));
    if (received === undefined) return;
    announce(texts.summary(received.status, received.duration, received.bytes.byteLength), "screen-readers");
    result.current?.scrollIntoView({ block: "nearest" });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isAsking) void sendForm(form);
  };
  const change = (next: QueryForm): void => {
    setShowsProblems(false);
    edit(next);
  };
  const nextPage = (of: ChainAnswer): (() => void) | undefined => {
    const key = nextKeyOf(of);
    if (key === undefined || current === undefined) return undefined;
    // The gateway refuses a key together with an offset.
    const { "pagination.offset": _, ...values } = form.values;
    return () => void sendForm({ ...form, values: { ...values, "pagination.key": [key] } });
  };
  const hrefOfForm = (next: QueryForm): string => `/queries?${searchOfForm(next, true)}`;

  const isLoading = loaded.state === "loading";
  const examples = useMemo(() => examplesOf(catalogue, isLoading), [catalogue, isLoading]);
  const latestSend = useRef(sendForm);
  useEffect(() => {
    latestSend.current = sendForm;
  });
  usePaletteCommands(
    useMemo(
      () => [
        ...examples.map((example) => ({
          id: `queries-${example.form.path}`,
          title: `Query: ${example.title}`,
          run: () => void latestSend.current(example.form),
        })),
        { id: "queries-clear", title: "Queries: clear the history", run: () => tabHistory.clear() },
      ],
      [examples],
    ),
  );

  return (
    <>
      <ScreenHeader
        title="Queries"
        lead="Ask the chain's query services over HTTP. Choose a path, fill in its parameters, and take the request with you."
      />
      <div className="columns">
        <div className="stack loose">
          <QueryCard
            form={form}
            loaded={loaded}
            parameters={parameters}
            problems={showsProblems ? problems : {}}
            isPathMissing={showsProblems && form.path === ""}
            isAsking={isAsking}
            needsKey={answer?.status === 401}
            examples={examples}
            onChange={change}
            onSubmit={submit}
            onSend={(next) => void sendForm(next)}
            onStop={() => {
              stop();
              announce("The query was stopped.");
            }}
          />
          <section className="stack" ref={result} aria-labelledby="queries-answer" aria-busy={isAsking}>
            <div className="row wrap spread">
              <h2 id="queries-answer">{texts.answer}</h2>
              {answer !== undefined && (
                <div className="row wrap">
                  {nextPage(answer) !== undefined && (
                    <button type="button" className="small" onClick={nextPage(answer)}>
                      Next page
                    </button>
                  )}
                  <button type="button" className="small" onClick={() => downloadAnswer(answer)}>
                    Download
                  </button>
                </div>
              )}
            </div>
            {answer !== undefined && current === undefined && (
              <p className="muted small">The query has changed since this answer.</p>
            )}
            {failure !== undefined && !isAsking && <ErrorPanel error={failure} onRetry={() => sendForm(form)} />}
            {answer === undefined && isAsking && (
              <div role="status" aria-label="Asking the gateway">
                <Skeleton rows={6} />
              </div>
            )}
            {answer === undefined && failure === undefined && !isAsking && (
              <EmptyState title="Nothing asked yet">
                <p>Choose a path above, or start with an example.</p>
              </EmptyState>
            )}
            {answer !== undefined && failure === undefined && (
              <>
                <AnswerNotices
                  answer={answer}
                  hrefOf={(target) => hrefOfForm(formOfText(target, emptyForm, catalogue))}
                  onRetry={() => void sendForm(form)}
                />
                <AnswerView
                  answer={answer}
                  view={view}
                  hrefOfView={(each) => {
                    const next = new URLSearchParams(search);
                    next.set(VIEW, each);
                    return `/queries?${next}`;
                  }}
                />
              </>
            )}
          </section>
        </div>
        <aside className="stack loose">
          <HistoryList
            onReplay={({ search: replayed }) =>
              void ask(askedOf(formOfSearch(new URLSearchParams(replayed)), catalogue))
            }
          />
          <ReferenceLinks />
        </aside>
      </div>
    </>
  );
}

function askedOf(form: QueryForm, catalogue: Catalogue): AskedRequest {
  return {
    request: requestOf(form, parametersOf(form, catalogue)),
    search: String(searchOfForm(form, true)),
  };
}

/** Saves an answer as a file, byte for byte. */
function downloadAnswer({ request, bytes, headers, json }: ChainAnswer): void {
  const type = headers.get("Content-Type") ?? "application/octet-stream";
  saveFile(fileName(request.target, json !== undefined), type, bytes);
}

/** Maximum characters of the path in a file name. */
const LONGEST = 80;

function fileName(target: string, isJson: boolean): string {
  const [path = ""] = target.split("?");
  const name = path
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(-LONGEST);
  return `${name}${isJson ? ".json" : ""}`;
}

/** This host's other references for queries. */
function ReferenceLinks() {
  const { surfaces } = usePageSettings();
  const links = [
    ...(surfaces.includes("registry") ? [["/graphql", "GraphiQL of the registry"] as const] : []),
    ["/docs", "API reference"] as const,
    [DOCUMENT_PATH, "OpenAPI document"] as const,
  ];
  return (
    <section className="card" aria-labelledby="queries-links">
      <h2 id="queries-links">Links</h2>
      <ul className="plain-list">
        {links.map(([address, title]) => (
          <li key={address}>
            <a href={address} target="_blank" rel="noreferrer" className="row">
              {title} <Icon name="external" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AddressedForm {
  readonly form: QueryForm;
  readonly isSent: boolean;
  /** The view of the answer. */
  readonly view: string;
  readonly edit: (form: QueryForm) => void;
  readonly send: (form: QueryForm) => void;
}

/** The form in the screen's address, and how to change it: typing replaces the history entry, sending adds one. */
const VIEW = "view";

function useQueryForm(): AddressedForm {
  const text = useSearch();
  const search = useMemo(() => new URLSearchParams(text), [text]);
  const form = useMemo(() => formOfSearch(search), [search]);
  const sent = isSent(search);
  const show = (next: QueryForm, willBeSent: boolean, replace: boolean): void => {
    const after = searchOfForm(next, willBeSent);
    const view = search.get(VIEW);
    if (view !== null) after.set(VIEW, view);
    if (String(after) !== String(search)) navigate(`${location.pathname}?${after.toString()}`, { replace });
  };
  return {
    form,
    isSent: sent,
    view: search.get(VIEW) ?? "tree",
    // A sent query keeps its entry, so that the back button shows its answer again.
    edit: (next) => show(next, false, !sent),
    send: (next) => show(next, true, false),
  };
}

/** @param onReplay called even if the address is the current one, which the link alone would not send again. */
function HistoryList({ onReplay }: { readonly onReplay: (asked: AskedQuery) => void }) {
  const asked = useTabHistory();
  return (
    <section className="card" aria-labelledby="queries-history">
      <div className="row spread">
        <h2 id="queries-history">Asked in this tab</h2>
        {asked.length > 0 && (
          <button type="button" className="ghost small" onClick={() => tabHistory.clear()}>
            Clear
          </button>
        )}
      </div>
      {asked.length === 0 ? (
        <p className="muted small">
          Your queries appear here so that you can send them again. They are deleted when you close the tab.
        </p>
      ) : (
        <ol className="query-history">
          {asked.map((each) => (
            <li key={each.search}>
              <Link href={`/queries?${each.search}`} onClick={() => onReplay(each)}>
                {each.method !== "GET" && `${each.method} `}
                {each.target}
              </Link>
              <span className="row small muted">
                <Badge tone={each.status < 400 ? "ok" : "danger"}>{each.status}</Badge>
                {texts.timeOf(each.duration)}
                <Age at={each.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
