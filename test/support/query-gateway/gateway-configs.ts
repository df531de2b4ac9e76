/** The problems of a gateway's configuration, over the compiled image. */
import { entitiesInNode } from "./entities-in-node.ts";
import { ixoImage } from "./gateway-fixture.ts";
import type { ConfigProblem } from "../../../platform/config.ts";
import { parseGatewayConfig } from "../../../workers/query-gateway/deployments/config.ts";

export const image = ixoImage();
export const source = entitiesInNode();

export const parse = (config: unknown, env: object = {}) =>
  parseGatewayConfig({ GATEWAY_CONFIG: typeof config === "string" ? config : JSON.stringify(config), ...env });

export function problemsOf(parsed: ReturnType<typeof parseGatewayConfig>): readonly ConfigProblem[] {
  if (!parsed.ok) return parsed.error;
  return [...parsed.value.broken.flatMap((each) => each.problems), ...parsed.value.problems];
}
