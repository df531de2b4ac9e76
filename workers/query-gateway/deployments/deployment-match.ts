/** Which requests a deployment is for: by host and by mount. The first one that fits answers. */
import * as z from "zod";
import { matchSchema, type DeploymentSettings } from "./settings.ts";

export type DeploymentMatch = DeploymentSettings["match"];

/** A host is named with its port or without. */
export function isFor({ host, mount }: DeploymentMatch, { url }: Request, path: string): boolean {
  if (mount !== undefined && !path.startsWith(`${mount}/`)) return false;
  if (host === undefined) return true;
  const asked = new URL(url).host;
  return host === asked || host === asked.replace(/:\d+$/, "");
}

/** Whether every request that fits `later` fits `earlier` too. */
export function covers(earlier: DeploymentMatch, later: DeploymentMatch): boolean {
  const isSameHost = earlier.host === undefined || earlier.host === later.host;
  const { mount } = earlier;
  return isSameHost && (mount === undefined || later.mount === mount || later.mount?.startsWith(`${mount}/`) === true);
}

export function describeMatch({ host, mount }: DeploymentMatch): string {
  const paths = mount === undefined ? "every path" : `every path below ${mount}`;
  return host === undefined ? `${paths} of every host` : `${paths} of ${host}`;
}

/** What a deployment that is wrong was meant for. Nothing when its match is what is wrong: it then stands in nobody's way. */
export function readMatch(value: unknown): DeploymentMatch | undefined {
  const found = z.object({ match: matchSchema }).safeParse(value);
  return found.success ? found.data.match : undefined;
}
