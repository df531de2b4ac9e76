/** Where else this host explains what can be asked. */
import { Icon } from "../kit/icon.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { queriesTexts as texts } from "../texts/queries.ts";
import { DOCUMENT_PATH } from "./use-catalogue.ts";

export function ReferenceLinks() {
  const { surfaces } = usePageSettings();
  const links = [
    ...(surfaces.includes("registry") ? [["/graphql", texts.graphiql] as const] : []),
    ["/docs", texts.reference] as const,
    [DOCUMENT_PATH, texts.document] as const,
  ];
  return (
    <section className="card" aria-labelledby="queries-links">
      <h2 id="queries-links">{texts.links}</h2>
      <ul className="plain-list">
        {links.map(([address, title]) => (
          <li key={address}>
            <a href={address} target="_blank" rel="noreferrer" className="row">
              {title} <Icon name="external" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
