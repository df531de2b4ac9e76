/** The Worker's settings of this host, in the page itself, so that the first screen needs no request for them. */
export type SurfaceName = "registry" | "ussd" | "oracle" | "query-gateway";

export interface PageSettings {
  /** `development`, `production`, or the operator's own name. */
  readonly environment: string;
  readonly surfaces: readonly SurfaceName[];
  /** Whether `POST /console/development-sign-in` returns this machine's own keys. */
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
