/** The operator's view of the phone gateway: live sessions, customers' accounts, statistics. */
import { Link, Route, Switch, useLocation } from "wouter";
import { BackLink } from "../../kit/back-link.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { CustomersView } from "./customers-view.tsx";
import { SessionRecord } from "./session-record.tsx";
import { SessionsView } from "./sessions-view.tsx";
import { StatisticsView } from "./statistics-view.tsx";

const ROOT = "/phone/operator";
const tabs = [
  { name: "sessions", href: ROOT },
  { name: "customers", href: `${ROOT}/customers` },
  { name: "statistics", href: `${ROOT}/statistics` },
] as const;

export default function OperatorScreen() {
  const [location] = useLocation();
  const current = tabs.find(({ name }) => location.startsWith(`${ROOT}/${name}`))?.name ?? "sessions";
  return (
    <>
      <ScreenHeader
        title={operatorTexts.title}
        lead={operatorTexts.lead}
        trail={<BackLink href="/phone">{operatorTexts.back}</BackLink>}
      />
      <div className="stack loose">
        <nav className="tabs" aria-label={operatorTexts.views}>
          {tabs.map(({ name, href }) => (
            <Link key={name} href={href} aria-current={name === current ? "page" : undefined}>
              {operatorTexts.tabs[name]}
            </Link>
          ))}
        </nav>
        <Switch>
          <Route path="/phone/operator/customers">
            <CustomersView />
          </Route>
          <Route path="/phone/operator/statistics">
            <StatisticsView />
          </Route>
          <Route path="/phone/operator/sessions/:sessionId">
            {({ sessionId }) => <SessionRecord sessionId={decodeURIComponent(sessionId)} />}
          </Route>
          <Route>
            <SessionsView />
          </Route>
        </Switch>
      </div>
    </>
  );
}
