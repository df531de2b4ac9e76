/** The imports before, newest first: who began them and when, and how to continue one. */
import { keepPreviousData } from "@tanstack/react-query";
import { apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { Person } from "../../kit/person.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { importTexts } from "../../texts/registry-import.ts";

/** Imports on a page. */
const PAGE = 10;

export function EarlierImports({ onChoose }: { readonly onChoose: (id: string) => void }) {
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const query = apiHooks.useQuery(
    "get",
    "/v1/imports",
    { params: { query: { limit: PAGE, ...(cursor === "" ? {} : { cursor }) } } },
    { placeholderData: keepPreviousData },
  );
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
                      <Age at={createdAt} /> <Person did={createdBy} />
                    </p>
                  </li>
                ))}
              </ul>
              <CursorPages
                cursor={cursor}
                next={page.nextCursor}
                isOld={query.isPlaceholderData}
                labels={{ first: importTexts.newest, next: importTexts.older }}
                onChange={(next) => change({ cursor: next })}
              />
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
