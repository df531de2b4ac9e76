/** A request as a curl command for a POSIX shell, one option per line. */
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
    // Not `--data`, which would read a value that begins with @ as a file name.
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Only a single quote is special inside single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
