/** The operator's view of the phone gateway: live sessions, customers' accounts, statistics. */
import { Route, Switch, useLocation } from "wouter";
import { BackLink } from "../../kit/back-link.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { operatorTexts } from "../../texts/phone-operator.ts";
import { CustomersView, type CustomersViewProps } from "./customers-view.tsx";
import { SessionRecord } from "./session-record.tsx";
import { SessionsView } from "./sessions-view.tsx";
import { StatisticsView } from "./statistics-view.tsx";
import { Tabs } from "../../kit/tabs.tsx";

const ROOT = "/phone/operator";
const tabs = [
  { name: "sessions", title: operatorTexts.tabs.sessions, href: ROOT },
  { name: "customers", title: operatorTexts.tabs.customers, href: `${ROOT}/customers` },
  { name: "statistics", title: operatorTexts.tabs.statistics, href: `${ROOT}/statistics` },
] as const;

export default function OperatorScreen({ pins, onPins }: CustomersViewProps) {
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
        <Tabs label={operatorTexts.views} tabs={tabs} current={current} />
        <Switch>
          <Route path="/phone/operator/customers">
            <CustomersView pins={pins} onPins={onPins} />
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
