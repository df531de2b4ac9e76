/** The first screen: the state of this host, the next steps, and recent changes. */
import { Link } from "wouter";
import { apiHooks, tabStorage } from "../api/api.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import { isBlocked } from "../api/page-storage.ts";
import { useDomainNamesOrWait } from "../api/use-domain-names.ts";
import { type Health, useHealth } from "../api/use-health.ts";
import { domainHref } from "../kit/addresses.ts";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyState, ErrorPanel, Loaded, Skeleton, useSignInRequest } from "../kit/loaded.tsx";
import { Actor, ShortId, useKnowsPeople } from "../kit/person.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useOnce } from "../kit/use-once.ts";
import { useCredentials } from "../session/use-caller.ts";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { screenLinks } from "../shell/screen-links.ts";
import { developmentKeys, useSignIn } from "../shell/use-sign-in.ts";
import { changeInSentence } from "../texts/changes.ts";
import { shellTexts } from "../texts/shell.ts";
import { FirstSteps } from "./first-steps.tsx";
import { LastDay } from "./last-day.tsx";
import { Overview } from "./overview.tsx";
import { surfaceState } from "./surface-state.ts";

const surfacesTexts = {
  registry: {
    title: "Domain registry",
    lead: "Digital twins, their verification and votes",
    open: "Open the registry",
  },
  ussd: { title: "Phone gateway", lead: "Menus for simple phones", open: "Open a phone" },
  oracle: { title: "Oracle chat", lead: "Streamed answers with tools", open: "Open the chat" },
  "query-gateway": { title: "Chain queries", lead: "The chain's query services over HTTP", open: "Open queries" },
};

export function HomeScreen() {
  const { surfaces } = usePageSettings();
  const { apiKey, operatorToken } = useCredentials();
  const hasRegistry = surfaces.includes("registry");
  return (
    <>
      <ScreenHeader title="Home" lead="The registry in numbers, your open tasks and the latest changes." />
      {hasRegistry && apiKey !== undefined && <Overview />}
      <div className="columns home-columns">
        <div className="stack loose">
          {hasRegistry && apiKey === undefined && <SignInCard />}
          <FirstSteps />
          <SurfaceHealth />
          {operatorToken !== undefined && <LastDay />}
        </div>
        {hasRegistry && apiKey !== undefined && <RecentChanges />}
      </div>
    </>
  );
}

/** On a development machine, one click signs in with the machine's own keys. */
function SignInCard() {
  const requestSignIn = useSignInRequest();
  const { developmentSignIn } = usePageSettings();
  const { isBusy, refused, failure, signIn } = useSignIn();
  return (
    <section className="card" aria-labelledby="home-sign-in">
      <h2 id="home-sign-in">Sign in to see domains and votes</h2>
      <p className="muted">
        Reading and changing the registry needs an API key. Phone, chat and chain queries work without one.{" "}
        {isBlocked(tabStorage) && shellTexts.keepsNothing}
      </p>
      <p className="row wrap">
        {developmentSignIn && (
          <button type="button" className="primary" aria-disabled={isBusy} onClick={() => void signIn(developmentKeys)}>
            {shellTexts.developmentSignIn}
          </button>
        )}
        <button type="button" className={developmentSignIn ? "" : "primary"} onClick={requestSignIn}>
          {developmentSignIn ? "Enter other keys" : shellTexts.signIn}
        </button>
      </p>
      {refused.map((name) => (
        <p key={name} className="field-error">
          {shellTexts.refused[name]}
        </p>
      ))}
      {failure !== undefined && <ErrorPanel error={failure} />}
    </section>
  );
}

const order: readonly SurfaceName[] = ["registry", "ussd", "oracle", "query-gateway"];

/** One card per surface of this host: its state, its errors, and a link to its screen. */
function SurfaceHealth() {
  const health = useHealth();
  const { surfaces } = usePageSettings();
  return (
    <section className="stack" aria-labelledby="home-health">
      <h2 id="home-health">Health</h2>
      <Loaded query={health} loading={<div className="health-space" />}>
        {(state) => (
          <div className="grid">
            {order
              .filter((name) => surfaces.includes(name))
              .map((name) => (
                <SurfaceCard key={name} name={name} health={state} />
              ))}
          </div>
        )}
      </Loaded>
    </section>
  );
}

function SurfaceCard({ name, health }: { readonly name: SurfaceName; readonly health: Health }) {
  const texts = surfacesTexts[name];
  const { isWorking, details } = surfaceState(name, health);
  const link = screenLinks.find(({ surface }) => surface === name);
  return (
    <article className="card">
      <div className="row spread top">
        <h3>{texts.title}</h3>
        <Badge tone={isWorking ? "ok" : "danger"}>{isWorking ? "Working" : "Needs attention"}</Badge>
      </div>
      <p className="muted">{texts.lead}</p>
      {details.map((detail) => (
        <p key={detail} className="small">
          {detail}
        </p>
      ))}
      <p className="row wrap small">
        {link !== undefined && <Link href={link.href}>{texts.open}</Link>}
        <a href="/docs" target="_blank" rel="noreferrer" className="row">
          API reference <Icon name="external" />
        </a>
      </p>
    </article>
  );
}

/** Maximum entries shown. */
const SHOWN = 20;

interface Entry {
  readonly seq: number;
  readonly domainId: string;
  readonly action: string;
  readonly actor: string;
  readonly at: string;
}

/** The newest entries of the change feed, newest first, each with its age. New entries appear while the page is open. */
function RecentChanges() {
  const feed = apiHooks.useQuery("get", "/v1/changes", { params: { query: { latest: SHOWN } } });
  return (
    <section className="card" aria-labelledby="home-recent">
      <h2 id="home-recent">Recent changes</h2>
      <Loaded query={feed}>
        {(page) => <EntryList entries={typeof page === "object" ? page.data.toReversed() : []} />}
      </Loaded>
    </section>
  );
}

function EntryList({ entries }: { readonly entries: readonly Entry[] }) {
  const names = useDomainNamesOrWait(entries.map(({ domainId }) => domainId));
  const knowsPeople = useKnowsPeople(entries.map(({ actor }) => actor));
  const isDrawn = useOnce(entries.length > 0 && names !== undefined && knowsPeople);
  if (entries.length === 0)
    return <EmptyState title="No changes yet. Changes to domains appear here within seconds." />;
  // A DID that turns into a name would shift the content below it.
  if (!isDrawn) return <Skeleton />;
  return (
    <ol className="changes">
      {entries.map(({ seq, domainId, action, actor, at }) => (
        <li key={seq}>
          <div className="grow">
            <Link href={domainHref(domainId)}>{names?.get(domainId) ?? <ShortId id={domainId} />}</Link>{" "}
            {changeInSentence(action)}
            <p className="muted small">
              by <Actor did={actor} />
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
