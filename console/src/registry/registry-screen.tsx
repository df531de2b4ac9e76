/** The addresses below /console/registry, each with its page. Pages that are opened rarely are loaded on demand. */
import { Route, Switch } from "wouter";
import { lazyPart } from "../kit/lazy-part.tsx";
import { NotFound } from "../shell/not-found.tsx";
import { DomainList } from "./list/domain-list.tsx";

const DomainPage = lazyPart(() => import("./domain/domain-page.tsx"));
const CreatePage = lazyPart(() => import("./form/create-page.tsx"));
const EditPage = lazyPart(() => import("./form/edit-page.tsx"));
const ImportPage = lazyPart(() => import("./import/import-page.tsx"));

export default function RegistryScreen() {
  return (
    <Switch>
      <Route path="/registry">
        <DomainList />
      </Route>
      <Route path="/registry/new">
        <CreatePage />
      </Route>
      <Route path="/registry/import">
        <ImportPage />
      </Route>
      <Route path="/registry/domains/:did">{({ did }) => <DomainPage key={did} id={decodeURIComponent(did)} />}</Route>
      <Route path="/registry/domains/:did/edit">
        {({ did }) => <EditPage key={did} id={decodeURIComponent(did)} />}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
