/** The imports before, newest first: who began them and when, and how to continue one. */
import { apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { DidText } from "../../kit/did-text.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { importTexts } from "../../texts/registry-import.ts";

/** Imports on a page. */
const PAGE = 10;

export function EarlierImports({ onChoose }: { readonly onChoose: (id: string) => void }) {
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const query = apiHooks.useQuery("get", "/v1/imports", {
    params: { query: { limit: PAGE, ...(cursor === "" ? {} : { cursor }) } },
  });
  return (
    <section className="card" aria-labelledby="earlier-heading">
      <h2 id="earlier-heading">{importTexts.earlier}</h2>
      <Loaded query={query} showsAge={false}>
        {({ data, page }) =>
          data.length === 0 ? (
            <p className="muted">{importTexts.noEarlier}</p>
          ) : (
            <div className="stack tight">
              <p className="muted small">{importTexts.earlierHint}</p>
              <ul className="plain items">
                {data.map(({ id, createdAt, createdBy }) => (
                  <li key={id}>
                    <button type="button" className="link wraps" onClick={() => onChoose(id)}>
                      {id}
                    </button>
                    <p className="row wrap small muted">
                      <Age at={createdAt} /> <DidText id={createdBy} />
                    </p>
                  </li>
                ))}
              </ul>
              <p className="row wrap">
                {cursor !== "" && (
                  <button type="button" className="small" onClick={() => change({ cursor: "" })}>
                    {importTexts.newest}
                  </button>
                )}
                {page.nextCursor !== null && (
                  <button type="button" className="small" onClick={() => change({ cursor: page.nextCursor ?? "" })}>
                    {importTexts.older}
                  </button>
                )}
              </p>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
