/** The way back to what a page belongs to, above its title. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Icon } from "./icon.tsx";

export function BackLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="trail">
      <Icon name="back" />
      {children}
    </Link>
  );
}
