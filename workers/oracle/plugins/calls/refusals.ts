/** Responses of this plugin's routes that refuse: in the oracle's form, and for Matrix clients in theirs. */

interface Refused {
  readonly status: number;
  /** The reason phrase. */
  readonly error: string;
  readonly message: string;
  /** Which request it answers, as the logs name it. */
  readonly requestId: string;
}

export function refusal({ status, error, message, requestId }: Refused): Response {
  return Response.json({ statusCode: status, message, error, requestId }, { status });
}

/** `error` is the sentence there. */
export function matrixRefusal(of: Omit<Refused, "error"> & { readonly errcode: string }): Response {
  const { status, errcode, message, requestId } = of;
  return Response.json({ errcode, error: message, statusCode: status, message, requestId }, { status });
}

export function unknownCall(requestId: string): Response {
  return refusal({ status: 404, error: "Not Found", message: "Call not found", requestId });
}
