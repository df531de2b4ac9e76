/** The links to the screens; those of surfaces that this host does not serve are left out. */
import { Link, useLocation } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { screenLinks } from "./screen-links.ts";

export function Navigation({ onFollowed }: { readonly onFollowed: () => void }) {
  const [location] = useLocation();
  const { surfaces } = usePageSettings();
  const [, current = ""] = location.split("/");
  return (
    <nav aria-label={shellTexts.mainNavigation}>
      <ul>
        {screenLinks
          .filter(({ surface }) => surface === undefined || surfaces.includes(surface))
          .map(({ name, href, icon }) => (
            <li key={name}>
              <Link href={href} aria-current={href === `/${current}` ? "page" : undefined} onClick={onFollowed}>
                <Icon name={icon} />
                {shellTexts.screens[name]}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
