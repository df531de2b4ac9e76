/** The oracle's memory of this user: list it, delete one fact, delete everything. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { MoreButton } from "../kit/cursor-pages.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyState, Loaded } from "../kit/loaded.tsx";
import { chatTexts } from "../texts/chat.ts";
import { useChatParts } from "./chat-context.ts";
import { useOracleRequest, usePlugins } from "./use-oracle.ts";

interface Fact {
  readonly id: string;
  readonly fact: string;
  readonly rememberedAt: string;
}

interface Page {
  readonly memories: readonly Fact[];
  readonly cursor?: string;
}

const words = chatTexts.memory;

export function MemoryPanel() {
  const plugins = usePlugins();
  return (
    <div className="stack">
      <p className="muted">{words.lead}</p>
      <Loaded query={plugins} showsAge={false}>
        {(loaded) =>
          loaded.includes("memory") ? (
            <Facts />
          ) : (
            <p>The “memory” plugin is off on this host, so there is nothing to show.</p>
          )
        }
      </Loaded>
    </div>
  );
}

function Facts() {
  const { identity } = useChatParts();
  const request = useOracleRequest();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [isClearing, setIsClearing] = useState(false);
  const [doomed, setDoomed] = useState<Fact>();
  const query = useInfiniteQuery({
    queryKey: ["chat", identity.signer.did, "/memory"],
    queryFn: ({ pageParam }) => request<Page>(pageParam === "" ? "/memory" : `/memory?cursor=${pageParam}`),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => (cursor === undefined ? undefined : encodeURIComponent(cursor)),
  });
  const changed = () => queries.invalidateQueries({ queryKey: ["chat"] });
  const forget = async (path: string, said: string): Promise<void> => {
    await request(path, "DELETE");
    announce(said);
    await changed();
  };
  return (
    <>
      <Loaded query={query}>
        {({ pages }) => {
          const facts = pages.flatMap(({ memories }) => memories);
          if (facts.length === 0) return <EmptyState title={words.empty}>{words.emptyLead}</EmptyState>;
          return (
            <div className="stack">
              <ul className="chat-facts">
                {facts.map((fact) => (
                  <li key={fact.id} className="row top">
                    <span className="grow">
                      {fact.fact}{" "}
                      <span className="muted small">
                        <Age at={fact.rememberedAt} />
                      </span>
                    </span>
                    <button
                      type="button"
                      className="ghost"
                      aria-label={words.delete(fact.fact)}
                      title={words.delete(fact.fact)}
                      onClick={() => setDoomed(fact)}
                    >
                      <Icon name="trash" />
                    </button>
                  </li>
                ))}
              </ul>
              <div className="row wrap">
                <MoreButton query={query}>{words.more}</MoreButton>
                <button type="button" onClick={() => setIsClearing(true)}>
                  {words.deleteAll}
                </button>
              </div>
            </div>
          );
        }}
      </Loaded>
      {doomed !== undefined && (
        <ConfirmDialog
          title={words.deleteTitle}
          effect={words.deleteEffect(doomed.fact)}
          action={words.deleteAction}
          onConfirm={() => forget(`/memory/${encodeURIComponent(doomed.id)}`, words.deleted)}
          onClose={() => setDoomed(undefined)}
        />
      )}
      {isClearing && (
        <ConfirmDialog
          title={words.deleteAllTitle}
          effect={words.deleteAllEffect}
          action={words.deleteAll}
          onConfirm={() => forget("/memory", words.deletedAll)}
          onClose={() => setIsClearing(false)}
        />
      )}
    </>
  );
}
