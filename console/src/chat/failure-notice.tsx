/** A failure in the conversation: the reason, the next step, the request id, and a link. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { RequestId } from "../kit/loaded.tsx";
import { useIsOnline } from "../kit/use-is-online.ts";
import { chatTexts } from "../texts/chat.ts";
import { kitTexts } from "../texts/kit.ts";
import { type ChatPlace, chatHref } from "./chat-address.ts";
import type { FailureFacts } from "./failure-facts.ts";

export interface FailureNoticeProps {
  readonly facts: FailureFacts;
  readonly place: ChatPlace;
  /** Buttons, such as "Send again". */
  readonly children?: ReactNode;
}

export function FailureNotice({ facts, place, children }: FailureNoticeProps) {
  const { sentence, advice, requestId, way, isUnreached = false } = facts;
  const isOnline = useIsOnline();
  if (isUnreached && !isOnline) return <p className="muted">{kitTexts.waitsForNetwork}</p>;
  return (
    <div className="notice danger" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          <strong>{sentence}</strong>
        </p>
        <p>{advice}</p>
        <p className="row wrap">
          {children}
          {way === "credits" && (
            <Link className="button" href={chatHref({ ...place, panel: "credits" })}>
              {chatTexts.failures.seeCredits}
            </Link>
          )}
          {way === "new" && (
            <Link className="button" href={chatHref({ ...place, sessionId: "", panel: undefined })}>
              {chatTexts.failures.startNew}
            </Link>
          )}
          {requestId !== undefined && <RequestId id={requestId} />}
        </p>
      </div>
    </div>
  );
}
