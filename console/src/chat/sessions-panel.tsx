/** The conversations of this identity: open, begin, delete, show older ones. */
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { Icon } from "../kit/icon.tsx";
import { MoreButton } from "../kit/more-button.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { chatTexts } from "../texts/chat.ts";
import { chatHref } from "./chat-address.ts";
import { useChatParts } from "./chat-context.ts";
import { drafts } from "./drafts.ts";
import { asApiFailure, failureFacts } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";
import type { PanelProps } from "./panel-props.ts";
import { kitTexts } from "../texts/kit.ts";

export function SessionsPanel({ place, sessions: list }: PanelProps) {
  const words = chatTexts.sessions;
  const { sessions, isLoading, error, deleteSession, refetch } = list;
  const { identity } = useChatParts();
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const [doomed, setDoomed] = useState<{ readonly sessionId: string; readonly title: string }>();
  const remove = async (sessionId: string): Promise<void> => {
    try {
      await deleteSession(sessionId);
    } catch (thrown) {
      throw asApiFailure(thrown);
    }
    drafts.forget(identity.signer.did, sessionId);
    announce(words.deleted);
    if (sessionId === place.sessionId) navigate(chatHref({ ...place, sessionId: "" }));
  };
  const empty = !isLoading && error === null && sessions.length === 0;
  return (
    <div className="stack">
      <Link className="button primary" href={chatHref({ ...place, sessionId: "", panel: undefined })}>
        <Icon name="plus" />
        {words.start}
      </Link>
      {error !== null && (
        <FailureNotice facts={failureFacts(error)} place={place}>
          <button type="button" onClick={() => void refetch()}>
            {kitTexts.retry}
          </button>
        </FailureNotice>
      )}
      {isLoading && <Skeleton rows={5} />}
      {empty && <EmptyState title={words.empty}>{words.emptyLead}</EmptyState>}
      <ul className="chat-sessions">
        {sessions.map(({ sessionId, title: given, lastUpdatedAt }) => {
          const title = given === "" ? words.untitled : given;
          return (
            <li key={sessionId} className="row">
              <Link
                className="grow"
                href={chatHref({ ...place, sessionId, panel: undefined })}
                aria-current={sessionId === place.sessionId ? "page" : undefined}
              >
                <span className="chat-title">{title}</span>
                <span className="muted small">
                  <Age at={lastUpdatedAt} />
                </span>
              </Link>
              <button
                type="button"
                className="ghost"
                aria-label={words.delete(title)}
                title={words.delete(title)}
                onClick={() => setDoomed({ sessionId, title })}
              >
                <Icon name="trash" />
              </button>
            </li>
          );
        })}
      </ul>
      <MoreButton query={list}>{words.older}</MoreButton>
      {doomed !== undefined && (
        <ConfirmDialog
          title={words.deleteTitle}
          effect={words.deleteEffect(doomed.title)}
          action={words.deleteAction}
          onConfirm={() => remove(doomed.sessionId)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </div>
  );
}
