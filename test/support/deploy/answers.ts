/** Answers of Cloudflare's API: a result or a refusal, in the envelope that every route has. */

export interface Refusal {
  readonly refused: { readonly status: number; readonly code: number; readonly message: string };
}

export type Answer = { readonly result: unknown; readonly status?: number } | Refusal;

export function refuse(status: number, code: number, message: string): Refusal {
  return { refused: { status, code, message } };
}

export const authenticationError = refuse(403, 10_000, "Authentication error");
export const workerNotFound = refuse(404, 10_007, "This Worker does not exist on your account.");
export const serviceNotFound = refuse(404, 10_090, "workers.api.error.service_not_found");

export function noSuchRoute(path: string): Refusal {
  return refuse(404, 7003, `Could not route to /client/v4${path}, perhaps your object identifier is invalid?`);
}

export function envelope(answer: Answer): Response {
  if ("refused" in answer) {
    const { status, code, message } = answer.refused;
    return Response.json({ success: false, errors: [{ code, message }], messages: [], result: null }, { status });
  }
  const { result, status = 200 } = answer;
  const info = Array.isArray(result) ? { result_info: { page: 1, per_page: 100, count: result.length } } : {};
  return Response.json({ success: true, errors: [], messages: [], result, ...info }, { status });
}
