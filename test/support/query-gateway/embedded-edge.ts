/** A gateway over the embedded node, with three domains. */
import { domainRecord } from "../registry/domain-records.ts";
import { entitiesInNode } from "./entities-in-node.ts";
import { gatewayEdge } from "./gateway-edge.ts";
import { ixoImage } from "./gateway-fixture.ts";

export const image = ixoImage();

/** Their ids end in a, b and c. */
export const domains = [0xa, 0xb, 0xc].map((number) => domainRecord(number));

export function edge(deployment: object = {}, records = domains, env: object = {}) {
  const source = entitiesInNode(records);
  return { ...gatewayEdge({ image, source, deployment, env }), source };
}
