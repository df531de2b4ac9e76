/** Notices above an answer: an error in words, the successor of a path of an older release, and the request id of a refusal. */
import { Link } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { RequestId } from "../kit/loaded.tsx";
import { kitTexts } from "../texts/kit.ts";
import { queriesTexts as texts } from "../texts/queries.ts";
import { utcDayWords } from "../texts/time.ts";
import { rpcStatusOf, successionOf } from "./answer-facts.ts";
import type { ChainAnswer } from "./ask-gateway.ts";

const deprecated = (since: string | undefined) =>
  since === undefined
    ? "This path is deprecated. Its successor is"
    : `This path is deprecated since ${since}. Its successor is`;

export interface AnswerNoticesProps {
  readonly answer: ChainAnswer;
  /** Address of the screen for another path and query. */
  readonly hrefOf: (target: string) => string;
  readonly onRetry: () => void;
}

export function AnswerNotices({ answer, hrefOf, onRetry }: AnswerNoticesProps) {
  const succession = successionOf(answer.headers);
  return (
    <>
      {answer.status >= 400 && <Refusal answer={answer} onRetry={onRetry} />}
      {succession !== undefined && (
        <div className="notice warn">
          <Icon name="clock" />
          <p>
            {deprecated(succession.since === undefined ? undefined : utcDayWords(new Date(succession.since)))}{" "}
            {succession.target !== undefined && <Link href={hrefOf(succession.target)}>{succession.target}</Link>}
          </p>
        </div>
      )}
    </>
  );
}

function Refusal({ answer, onRetry }: { readonly answer: ChainAnswer; readonly onRetry: () => void }) {
  const rpc = rpcStatusOf(answer);
  const requestId = answer.headers.get("X-Request-Id");
  const wait = Number(answer.headers.get("Retry-After") ?? Number.NaN);
  return (
    <div className="notice danger" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          <strong>{rpc === undefined ? texts.status(answer.status) : texts.code(rpc.code)}</strong>
          {rpc !== undefined && <>: {rpc.message}</>}
        </p>
        <p>{rpc === undefined ? kitTexts.failed(answer.status) : texts.codeMeaning(rpc.code)}</p>
        {Number.isFinite(wait) && <p>{kitTexts.waitFor(wait)}</p>}
        <p className="row wrap">
          <button type="button" onClick={onRetry}>
            {kitTexts.retry}
          </button>
          {requestId !== null && <RequestId id={requestId} />}
        </p>
      </div>
    </div>
  );
}
