/** A request as a curl command for a POSIX shell, one option a line. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export function curlText({ method, url, headers = {}, body }: CurlRequest): string {
  const isImplied = method === (body === undefined ? "GET" : "POST");
  return [
    `curl ${isImplied ? "" : `-X ${/^[A-Z]+$/.test(method) ? method : quoted(method)} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    // Not `--data`: it would take a value that begins with @ for the name of a file.
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** In single quotes nothing is special but their end. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
