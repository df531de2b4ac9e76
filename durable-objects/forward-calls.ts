/**
 * Makes an object class offer the calls of another class over its binding, so that a call is declared once, where it is
 * implemented. Only methods of the prototype are reachable over RPC.
 */
export function forwardCalls<Target extends object, Calls extends object>(
  target: { readonly prototype: Target },
  calls: { readonly prototype: Calls },
  callsOf: (target: Target) => Calls,
): void {
  for (const name of Object.getOwnPropertyNames(calls.prototype)) {
    if (name === "constructor") continue;
    Object.defineProperty(target.prototype, name, {
      value(this: Target, ...parameters: readonly unknown[]): unknown {
        const object = callsOf(this);
        return Reflect.apply(
          Reflect.get(object, name) as (...given: readonly unknown[]) => unknown,
          object,
          parameters,
        );
      },
    });
  }
}
