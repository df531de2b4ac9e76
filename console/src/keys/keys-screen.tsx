/** The screen below /console/keys: API keys, and webhooks. */
import { Route, Switch } from "wouter";
import { NotFound } from "../shell/not-found.tsx";
import { IssuePage } from "./api-keys/issue-page.tsx";
import { KeyList } from "./api-keys/key-list.tsx";
import { KeyPage } from "./api-keys/key-page.tsx";
import { CreatePage } from "./webhooks/create-page.tsx";
import { EditPage } from "./webhooks/edit-page.tsx";
import { WebhookList } from "./webhooks/webhook-list.tsx";
import { WebhookPage } from "./webhooks/webhook-page.tsx";

export default function KeysScreen() {
  return (
    <Switch>
      <Route path="/keys">
        <KeyList />
      </Route>
      <Route path="/keys/new">
        <IssuePage />
      </Route>
      <Route path="/keys/webhooks">
        <WebhookList />
      </Route>
      <Route path="/keys/webhooks/new">
        <CreatePage />
      </Route>
      <Route path="/keys/webhooks/:webhookId/edit">
        {({ webhookId }) => <EditPage key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/keys/webhooks/:webhookId">
        {({ webhookId }) => <WebhookPage key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/keys/:keyId">{({ keyId }) => <KeyPage key={keyId} keyId={keyId} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
