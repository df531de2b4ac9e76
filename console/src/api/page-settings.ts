/** What the Worker says of this host in the page itself, so that no request is needed before the first screen. */
export type SurfaceName = "registry" | "ussd" | "oracle" | "query-gateway";

export interface PageSettings {
  /** `development`, `production`, or what the operator calls it. */
  readonly environment: string;
  readonly surfaces: readonly SurfaceName[];
  /** Whether `POST /console/development-sign-in` hands out this machine's own keys. */
  readonly developmentSignIn: boolean;
}

const everything: PageSettings = {
  environment: "production",
  surfaces: ["registry", "ussd", "oracle", "query-gateway"],
  developmentSignIn: false,
};

export function readPageSettings(page: Document): PageSettings {
  const content = page.querySelector<HTMLMetaElement>('meta[name="twinedge-settings"]')?.content ?? "{}";
  return { ...everything, ...(JSON.parse(content) as Partial<PageSettings>) };
}
