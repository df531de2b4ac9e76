/**
 * Reads the documents that an oracle's entity links to. Documents in Matrix are read from the user's own homeserver,
 * and only this server gets the user's access token. All other addresses are read without a token.
 */
import type { LinkedResource, OracleEntity } from "./chain-records.ts";
import { requestJson } from "./json-request.ts";

export interface DocumentReader {
  /** The user's homeserver and their account there. */
  readonly matrix: { readonly homeServerUrl: string; readonly accessToken: string };
  readonly fetch?: typeof fetch | undefined;
}

/** The first resource that has an address and whose id ends in `suffix`, such as `#fee`. */
export function findResource(entity: OracleEntity, suffix: string): LinkedResource | undefined {
  return entity.resources.find(({ id, serviceEndpoint }) => id.endsWith(suffix) && serviceEndpoint !== "");
}

/** Parsed JSON. Throws if the address belongs to neither a web server nor Matrix, or cannot be read. */
export async function readDocument(resource: LinkedResource, { matrix, fetch }: DocumentReader): Promise<unknown> {
  const service = `The server of ${resource.id}`;
  const media = mediaPath(resource.serviceEndpoint);
  if (media !== undefined)
    return requestJson(`${matrix.homeServerUrl}/_matrix/client/v1/media/download/${media}`, {
      accessToken: matrix.accessToken,
      service,
      fetch,
    });
  if (!/^https?:\/\//.test(resource.serviceEndpoint)) throw new Error(`${resource.id} has no address that can be read`);
  return requestJson(resource.serviceEndpoint, { service, fetch });
}

/** A homeserver's address or `mxc:`; older homeservers have another path. */
const MEDIA =
  /^(?:mxc:\/\/|https?:\/\/[^/]+\/_matrix\/(?:media|client)\/(?:[^/]+\/)*download\/)([^/?#.][^/?#]*\/[^/?#.][^/?#]*)/;

/** `<server>/<media id>` of a file in Matrix. */
function mediaPath(address: string): string | undefined {
  return MEDIA.exec(address)?.[1];
}
