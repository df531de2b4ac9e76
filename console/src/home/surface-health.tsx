/** One card for each surface that this host serves: whether it works, what is wrong if not, and the way to its screen. */
import { Link } from "wouter";
import type { SurfaceName } from "../api/page-settings.ts";
import { useHealth, type Health } from "../api/use-health.ts";
import { Badge } from "../kit/badge.tsx";
import { Icon } from "../kit/icon.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { screenLinks } from "../shell/screen-links.ts";
import { homeTexts } from "../texts/home.ts";
import { surfaceState } from "./surface-state.ts";

const order: readonly SurfaceName[] = ["registry", "ussd", "oracle", "query-gateway"];

export function SurfaceHealth() {
  const health = useHealth();
  const { surfaces } = usePageSettings();
  return (
    <section className="stack" aria-labelledby="home-health">
      <h2 id="home-health">{homeTexts.health}</h2>
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
  const texts = homeTexts.surfaces[name];
  const { isWorking, details } = surfaceState(name, health);
  const link = screenLinks.find(({ surface }) => surface === name);
  return (
    <article className="card">
      <div className="row spread top">
        <h3>{texts.title}</h3>
        <Badge tone={isWorking ? "ok" : "danger"}>{isWorking ? homeTexts.healthy : homeTexts.unhealthy}</Badge>
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
          {homeTexts.reference} <Icon name="external" />
        </a>
      </p>
    </article>
  );
}
