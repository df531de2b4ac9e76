/** The address forms of attachments, validated before any request. */
import { failure, success, type Result } from "../../../platform/result.ts";

export type FileSource =
  | { readonly kind: "matrix"; readonly server: string; readonly mediaId: string }
  | { readonly kind: "link"; readonly url: URL };

/**
 * A name or an address with an optional port. It neither begins nor ends with a dot, so that it cannot be a path segment such as
 * `..`.
 */
const SERVER_NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const MEDIA_ID = /^[A-Za-z0-9_-]{1,255}$/;

/** The error says why, as the end of "could not be read: ...". */
export function parseFileSource(address: string): Result<FileSource, string> {
  const matrix = /^mxc:\/\/([^/]*)\/(.*)$/s.exec(address);
  if (matrix !== null) {
    const [, server = "", mediaId = ""] = matrix;
    if (!SERVER_NAME.test(server)) return failure("its mxc address does not name a server");
    if (!MEDIA_ID.test(mediaId)) return failure("its mxc address has no valid media id");
    return success({ kind: "matrix", server, mediaId });
  }
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return failure("its address is neither an mxc nor an https one");
  return success({ kind: "link", url });
}
