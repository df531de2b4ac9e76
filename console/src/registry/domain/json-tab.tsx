/** The record as the registry answers it, alone, with what it inherits, or as its card. */
import { apiHooks } from "../../api/api.ts";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { domainTexts } from "../../texts/registry-domain.ts";
import type { Domain } from "../domain-record.ts";

const views = Object.keys(domainTexts.jsonViews) as (keyof typeof domainTexts.jsonViews)[];

export function JsonTab({ domain }: { readonly domain: Domain }) {
  const [{ view }, change] = useUrlState({ view: "domain" });
  return (
    <div className="stack">
      <fieldset className="row wrap choices-row">
        <legend className="hidden-visually">{domainTexts.jsonName}</legend>
        {views.map((name) => (
          <label key={name} className="row">
            <input type="radio" name="view" checked={view === name} onChange={() => change({ view: name })} />
            {domainTexts.jsonViews[name]}
          </label>
        ))}
      </fieldset>
      {view === "composite" || view === "card" ? (
        <OtherView id={domain.id} view={view} />
      ) : (
        <JsonTree value={domain} label={domainTexts.jsonViews.domain} openDepth={2} />
      )}
    </div>
  );
}

function OtherView({ id, view }: { readonly id: string; readonly view: "composite" | "card" }) {
  const init = { params: { path: { id } } };
  const composite = apiHooks.useQuery("get", "/v1/domains/{id}/composite", init, { enabled: view === "composite" });
  const card = apiHooks.useQuery("get", "/v1/domains/{id}/card", init, { enabled: view === "card" });
  return view === "card" ? (
    <Loaded query={card} showsAge={false}>
      {(data) => <JsonTree value={data} label={domainTexts.jsonViews[view]} openDepth={2} />}
    </Loaded>
  ) : (
    <Loaded query={composite} showsAge={false}>
      {(data) => <JsonTree value={data} label={domainTexts.jsonViews[view]} openDepth={2} />}
    </Loaded>
  );
}
