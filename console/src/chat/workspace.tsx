/** The conversation with its panels: next to it on a wide screen, instead of it on a narrow one. Each state is an address. */
import { useOracleSessions } from "@twinedge/sdk";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { apiHooks } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { MoreButton } from "../kit/cursor-pages.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { EmptyState, Skeleton } from "../kit/loaded.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { usePaletteCommands } from "../shell/palette.tsx";
import { chatTexts } from "../texts/chat.ts";
import { kitTexts } from "../texts/kit.ts";
import { type ChatPlace, type PanelName, aboutOf, chatHref, panelNames, panelOf } from "./chat-address.ts";
import { ownOracle, useChatParts } from "./chat-context.ts";
import { Conversation, type FirstMessage } from "./conversation.tsx";
import { drafts } from "./drafts.ts";
import { asApiFailure, failureFacts, isUnreached } from "./failure-facts.ts";
import { FailureNotice } from "./failure-notice.tsx";
import type { PanelProps } from "./panel-props.ts";
import type { AboutDomain } from "./suggested.ts";
import { attachedFiles } from "./use-attachments.ts";
import { usePlugins } from "./use-oracle.ts";

const commands = {
  start: "Chat: new conversation",
  panel: (name: string) => `Chat: ${name}`,
};

const OpenPanel = lazyPart(() => import("./open-panel.tsx"));

/** By conversation; outside the component, which the user may leave while the conversation is being created. */
const firstMessages = new Map<string, FirstMessage>();

/** Runs outside the component as well: a user who returns meanwhile finds it in progress. */
const creation = { isRunning: false };

function takeFirst(sessionId: string): FirstMessage | undefined {
  const first = firstMessages.get(sessionId);
  firstMessages.delete(sessionId);
  return first;
}

/** Where a first message is stored while its conversation is being created. */
const unsentPlace = (draftPlace: string): string => `${draftPlace} unsent`;

/** A restored message, followed by the text that was typed since. */
const withSince = (text: string, since: string): string => (since === "" ? text : `${text}\n${since}`);

export function Workspace() {
  const { oracleDid, identity } = useChatParts();
  const { did } = identity.signer;
  const [location, navigate] = useLocation();
  const [{ panel: panelText, model, about: aboutText }] = useUrlState({ panel: "", model: "", about: "" });
  const sessionId = decodeURIComponent(/^\/chat\/([^/]+)/.exec(location)?.[1] ?? "");
  const panel = panelOf(panelText);
  const place = useMemo<ChatPlace>(() => ({ sessionId, panel, model }), [sessionId, panel, model]);
  const sessions = useOracleSessions(oracleDid, ownOracle);
  const { createSession } = sessions;

  const aboutDid = sessionId === "" ? aboutOf(aboutText) : undefined;
  const about = useAboutDomain(aboutDid);
  const draftPlace = sessionId === "" ? (aboutDid ?? "new") : sessionId;
  useEffect(() => drafts.keepOnly(did), [did]);

  // The page was left while its conversation was being created.
  useEffect(() => {
    const unsent = drafts.read(did, unsentPlace(draftPlace));
    if (unsent === "" || creation.isRunning) return;
    drafts.keep(did, unsentPlace(draftPlace), "");
    drafts.keep(did, draftPlace, withSince(unsent, drafts.read(did, draftPlace)));
  }, [did, draftPlace]);
  const [failure, setFailure] = useState<unknown>();
  const begin = useCallback(
    async ({ text, files }: FirstMessage): Promise<void> => {
      const putBack = (): void => {
        attachedFiles.add(draftPlace, files);
        drafts.keep(did, draftPlace, withSince(text, drafts.read(did, draftPlace)));
      };
      if (creation.isRunning) return putBack();
      creation.isRunning = true;
      setFailure(undefined);
      // Stored until its conversation exists: it survives a reload.
      drafts.keep(did, unsentPlace(draftPlace), text);
      try {
        const created = await createSession();
        firstMessages.set(created.sessionId, { text, files });
        // Text that was typed meanwhile continues there.
        drafts.keep(did, created.sessionId, drafts.read(did, draftPlace));
        drafts.keep(did, draftPlace, "");
        navigate(chatHref({ sessionId: created.sessionId, panel, model }));
      } catch (error) {
        putBack();
        // Without a network, the page's notice explains why the message is in its field again.
        if (navigator.onLine || !isUnreached(error)) setFailure(error);
      } finally {
        drafts.keep(did, unsentPlace(draftPlace), "");
        creation.isRunning = false;
      }
    },
    [createSession, navigate, did, draftPlace, panel, model],
  );
  /** A panel's message in the user's name, in the open conversation or in a new one. */
  const [spoken, setSpoken] = useState<{ readonly sessionId: string; readonly at: number }>();
  const say = useCallback(
    (text: string): void => {
      if (sessionId === "") return void begin({ text, files: [] });
      firstMessages.set(sessionId, { text, files: [] });
      setSpoken({ sessionId, at: Date.now() });
    },
    [sessionId, begin],
  );

  usePaletteCommands(
    useMemo(
      () => [
        { id: "chat-new", title: commands.start, run: () => navigate(chatHref({ sessionId: "", model })) },
        ...panelNames.map((name) => ({
          id: `chat-${name}`,
          title: commands.panel(chatTexts.panels[name]),
          run: () => navigate(chatHref({ sessionId, panel: name, model })),
        })),
      ],
      [navigate, sessionId, model],
    ),
  );

  const { data: plugins = [] } = usePlugins();
  const shownPanels = panelNames.filter((name) => name !== "credits" || name === panel || plugins.includes(name));
  const title = sessions.sessions.find((session) => session.sessionId === sessionId)?.title;
  // It gets its title with its first answer.
  const isNew = sessionId === "" || title === chatTexts.sessions.untitled;
  return (
    <div className={panel === undefined ? "chat" : "chat with-panel"}>
      <ScreenHeader title={isNew ? "New conversation" : (title ?? chatTexts.title)} />
      <nav className="tabs chat-views" aria-label={chatTexts.views}>
        {shownPanels.map((name) => (
          <Link
            key={name}
            href={chatHref({ ...place, panel: name })}
            aria-current={name === (panel ?? "sessions") ? "page" : undefined}
          >
            {chatTexts.panels[name]}
          </Link>
        ))}
      </nav>
      <div className="chat-body">
        <div className="chat-main">
          {sessionId === "" && failure !== undefined && <FailureNotice facts={failureFacts(failure)} place={place} />}
          <Conversation
            key={`${did} ${sessionId}`}
            place={place}
            about={about}
            spokenAt={spoken?.sessionId === sessionId ? spoken.at : 0}
            takeFirst={takeFirst}
            draftPlace={draftPlace}
            onFirst={(first) => void begin(first)}
          />
        </div>
        <aside className="chat-panel" aria-label={chatTexts.panels[panel ?? "sessions"]}>
          {panel !== undefined && (
            <Link className="trail chat-back" href={chatHref({ ...place, panel: undefined })}>
              <Icon name="back" />
              Back to the conversation
            </Link>
          )}
          <Panel name={panel ?? "sessions"} place={place} sessions={sessions} onSay={say} />
        </aside>
      </div>
    </div>
  );
}

function Panel({ name, ...props }: PanelProps & { readonly name: PanelName }) {
  if (name === "sessions") return <SessionsPanel {...props} />;
  return <OpenPanel name={name} {...props} />;
}

/** Undefined during the request, so that no suggestion contradicts the domain's state. */
function useAboutDomain(did: string | undefined): AboutDomain | undefined {
  const { data, isPending } = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}",
    { params: { path: { id: did ?? "" } } },
    { enabled: did !== undefined },
  );
  if (did === undefined || (data === undefined && isPending)) return undefined;
  if (data === undefined) return { did };
  return { did, name: data.name ?? undefined, isVerified: data.verificationStatus === "Verified" };
}

/** The conversations of this identity: open, create, delete, show older ones. */
function SessionsPanel({ place, sessions: list }: PanelProps) {
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
