/**
 * Stands in for the types of `@whatwg-node/fetch` (tsconfig.base.json), which graphql-yoga names: theirs bring the whole
 * of the browser's library into the Worker's types. Only what yoga's own types ask for; at run time it is theirs.
 */
export const Response: typeof globalThis.Response;
export const createFetch: () => {
  readonly fetch: typeof globalThis.fetch;
  readonly Request: typeof globalThis.Request;
  readonly Response: typeof globalThis.Response;
  readonly Headers: typeof globalThis.Headers;
  readonly FormData: typeof globalThis.FormData;
  readonly ReadableStream: typeof globalThis.ReadableStream;
  readonly WritableStream: typeof globalThis.WritableStream;
  readonly TransformStream: typeof globalThis.TransformStream;
  readonly Blob: typeof globalThis.Blob;
  readonly File: typeof globalThis.File;
  readonly crypto: typeof globalThis.crypto;
  readonly btoa: typeof globalThis.btoa;
  readonly TextDecoder: typeof globalThis.TextDecoder;
  readonly TextEncoder: typeof globalThis.TextEncoder;
  readonly URL: typeof globalThis.URL;
  readonly URLSearchParams: typeof globalThis.URLSearchParams;
};
