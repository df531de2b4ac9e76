/** The newest entries of the change feed, the newest first, each with its age. They come by themselves while the page is open. */
import { Link } from "wouter";
import { apiHooks } from "../api/api.ts";
import { useDomainNamesOrWait } from "../api/use-domain-names.ts";
import { domainHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { ShortId } from "../kit/did-text.tsx";
import { Actor } from "../kit/person.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { changeInSentence } from "../texts/changes.ts";
import { homeTexts } from "../texts/home.ts";

/** Entries shown. */
const SHOWN = 20;

interface Entry {
  readonly seq: number;
  readonly domainId: string;
  readonly action: string;
  readonly actor: string;
  readonly at: string;
}

export function RecentChanges() {
  const feed = apiHooks.useQuery("get", "/v1/changes", { params: { query: { latest: SHOWN } } });
  return (
    <section className="card" aria-labelledby="home-recent">
      <h2 id="home-recent">{homeTexts.recent}</h2>
      <Loaded query={feed}>
        {(page) => <EntryList entries={typeof page === "object" ? page.data.toReversed() : []} />}
      </Loaded>
    </section>
  );
}

function EntryList({ entries }: { readonly entries: readonly Entry[] }) {
  const names = useDomainNamesOrWait(entries.map(({ domainId }) => domainId));
  if (entries.length === 0) return <EmptyState title={homeTexts.recentEmpty} />;
  // A DID that turns into a name moves what is below it.
  if (names === undefined) return <Skeleton />;
  return (
    <ol className="changes">
      {entries.map(({ seq, domainId, action, actor, at }) => (
        <li key={seq}>
          <div className="grow">
            <Link href={domainHref(domainId)}>{names.get(domainId) ?? <ShortId id={domainId} />}</Link>{" "}
            {changeInSentence(action)}
            <p className="muted small">
              {homeTexts.by} <Actor did={actor} />
            </p>
          </div>
          <span className="muted small">
            <Age at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
