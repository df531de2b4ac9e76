/** The correlation id of a request: echoed when the caller's is printable ASCII, minted otherwise. */
export const REQUEST_ID_HEADER = "X-Request-Id";

const ACCEPTABLE = /^[\x21-\x7E]{1,200}$/;

export function requestIdOf(request: Request, mint: () => string = () => crypto.randomUUID()): string {
  const given = request.headers.get(REQUEST_ID_HEADER);
  return given !== null && ACCEPTABLE.test(given) ? given : mint();
}
