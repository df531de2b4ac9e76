/**
 * Spans of the platform's traces (docs/runbook.md). The platform itself traces requests, databases and objects; these
 * spans name the work in between. Attributes hold no personal data: no text of a user, no phone number, no DID, no
 * address. Names of the GenAI attributes come from the semantic conventions semconv-genai 0.1.0.
 */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TraceSpan {
  setAttributes(attributes: Attributes): unknown;
}

type EnterSpan = <Value>(name: string, work: (span: TraceSpan) => Value) => Value;

const untraced: TraceSpan = { setAttributes: () => undefined };
let enter: EnterSpan = (_name, work) => work(untraced);

/** Called once by the Worker, with the platform's tracing; elsewhere, work runs without spans. */
export function traceWith(tracing: { readonly enterSpan: EnterSpan }): void {
  enter = (name, work) => tracing.enterSpan(name, work);
}

/** Runs the work in a span, which ends with it, or when the promise that it returns settles. */
export function traced<Value>(name: string, attributes: Attributes, work: (span: TraceSpan) => Value): Value {
  return enter(name, (span) => {
    span.setAttributes(attributes);
    return work(span);
  });
}
