/** An answer: its result and source, and its body as a tree or unchanged, or its headers. */
import { Fragment, type ReactNode } from "react";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { JsonTree } from "../kit/json-tree.tsx";
import { Tabs } from "../kit/screen-header.tsx";
import { SlicedText } from "../kit/sliced-text.tsx";
import { grouped, sizeWords } from "../texts/number.ts";
import { queriesTexts as texts } from "../texts/queries.ts";
import { cacheFacts } from "./answer-facts.ts";
import type { ChainAnswer } from "./ask-gateway.ts";

const sizeOf = sizeWords;

const cacheStates = {
  kept: "From the cache",
  stale: "From the cache, stale",
  shared: "Shared with identical requests",
  node: "Not used: a node answered",
  none: "Not used",
};

const viewsTexts = { tree: "Tree", raw: "Raw", headers: "Headers" };

/** Levels open initially: the lists of an answer with their items closed. */
const OPEN_DEPTH = 2;

const views = ["tree", "raw", "headers"] as const;

export interface AnswerViewProps {
  readonly answer: ChainAnswer;
  readonly view: string;
  /** Address of the screen with another view of this answer. */
  readonly hrefOfView: (view: string) => string;
}

export function AnswerView({ answer, view, hrefOfView }: AnswerViewProps) {
  const shown = views.find((each) => each === view) ?? "tree";
  return (
    <>
      <Facts answer={answer} />
      <Tabs
        label="Views of the answer"
        current={shown}
        replaces
        tabs={views.map((name) => ({ name, title: viewsTexts[name], href: hrefOfView(name) }))}
      />
      {shown === "headers" ? <HeaderList headers={answer.headers} /> : <Body answer={answer} isRaw={shown === "raw"} />}
    </>
  );
}

function Facts({ answer }: { readonly answer: ChainAnswer }) {
  const { status, headers, duration, waiting, bytes, receivedAt } = answer;
  const { state, age, freshFor } = cacheFacts(headers);
  const cache = [
    ...(age === undefined ? [] : [`${grouped(age)} s old`]),
    ...(freshFor === undefined
      ? []
      : [freshFor >= 0 ? `fresh for ${grouped(freshFor)} s` : `stale for ${grouped(-freshFor)} s`]),
  ].join(", ");
  return (
    <dl className="answer-facts">
      <Fact name="Status" more={texts.statusWord(status)}>
        <Badge tone={status < 400 ? "ok" : "danger"}>{status}</Badge>
      </Fact>
      <Fact name="Time" more={waiting === undefined ? "" : texts.firstByte(waiting)}>
        {texts.timeOf(duration)}
      </Fact>
      <Fact name="Size">{sizeOf(bytes.byteLength)}</Fact>
      <Fact name="Height">{headers.get("X-Cosmos-Block-Height") ?? "not specified"}</Fact>
      <Fact name="Node">{headers.get("X-Gateway-Node") ?? "none"}</Fact>
      <Fact name="Cache" more={cache}>
        {cacheStates[state]}
      </Fact>
      <Fact name="Received">
        <Age at={receivedAt} />
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly more?: string;
  readonly children: ReactNode;
}

function Fact({ name, more = "", children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {more !== "" && <div className="muted small">{more}</div>}
      </dd>
    </div>
  );
}

function Body({ answer, isRaw }: { readonly answer: ChainAnswer; readonly isRaw: boolean }) {
  const { json, text } = answer;
  if (text === "") return <p className="muted">The answer has no body.</p>;
  if (json !== undefined && !isRaw) return <JsonTree value={json.value} label={texts.answer} openDepth={OPEN_DEPTH} />;
  return (
    <div className="stack tight">
      {json === undefined && <p className="muted">The answer is not JSON.</p>}
      <SlicedText text={text} label="The raw answer" />
    </div>
  );
}

function HeaderList({ headers }: { readonly headers: Headers }) {
  return (
    <dl className="card facts answer-headers">
      {[...headers].map(([name, value]) => (
        <Fragment key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
