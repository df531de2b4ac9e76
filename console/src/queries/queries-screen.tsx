/** The screen below /console/queries: one query, its answer, and what was asked in this tab. The address holds the query. */
import { useEffect, useMemo, useRef, useState, type SubmitEvent } from "react";
import { useSearch } from "wouter/use-browser-location";
import { useAnnounce } from "../kit/announcer.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { usePaletteCommands } from "../shell/palette-commands.tsx";
import { queriesTexts as texts } from "../texts/queries.ts";
import { nextKeyOf } from "./answer-facts.ts";
import { AnswerNotices } from "./answer-notices.tsx";
import { AnswerView } from "./answer-view.tsx";
import type { GatewayAnswer } from "./ask-gateway.ts";
import { downloadAnswer } from "./download.ts";
import { examplesOf } from "./example-queries.ts";
import type { Catalogue } from "./gateway-catalogue.ts";
import { requestOf } from "./gateway-request.ts";
import { HistoryList } from "./history-list.tsx";
import {
  emptyForm,
  formOfSearch,
  formOfText,
  parametersOf,
  problemsOf,
  searchOfForm,
  type QueryForm,
} from "./query-form.ts";
import { QueryCard } from "./query-card.tsx";
import { ReferenceLinks } from "./reference-links.tsx";
import { tabHistory } from "./tab-history.ts";
import { useAnswer, type AskedRequest } from "./use-answer.ts";
import { useCatalogue } from "./use-catalogue.ts";
import { useQueryForm, VIEW } from "./use-query-form.ts";

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
  /** The last query that was sent: its answer stays while the form is changed. */
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
  const nextPage = (of: GatewayAnswer): (() => void) | undefined => {
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
          title: texts.commandExample(example.title),
          run: () => void latestSend.current(example.form),
        })),
        { id: "queries-clear", title: texts.commandClear, run: () => tabHistory.clear() },
      ],
      [examples],
    ),
  );

  return (
    <>
      <ScreenHeader title={texts.title} lead={texts.lead} />
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
              announce(texts.stopped);
            }}
          />
          <section className="stack" ref={result} aria-labelledby="queries-answer" aria-busy={isAsking}>
            <div className="row wrap spread">
              <h2 id="queries-answer">{texts.answer}</h2>
              {answer !== undefined && (
                <div className="row wrap">
                  {nextPage(answer) !== undefined && (
                    <button type="button" className="small" onClick={nextPage(answer)}>
                      {texts.nextPage}
                    </button>
                  )}
                  <button type="button" className="small" onClick={() => downloadAnswer(answer)}>
                    {texts.download}
                  </button>
                </div>
              )}
            </div>
            {answer !== undefined && current === undefined && <p className="muted small">{texts.changed}</p>}
            {failure !== undefined && !isAsking && <ErrorPanel error={failure} onRetry={() => sendForm(form)} />}
            {answer === undefined && isAsking && (
              <div role="status" aria-label={texts.sending}>
                <Skeleton rows={6} />
              </div>
            )}
            {answer === undefined && failure === undefined && !isAsking && (
              <EmptyState title={texts.nothingAsked}>
                <p>{texts.nothingAskedHint}</p>
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
