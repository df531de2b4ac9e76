/** The failures of a menu's effects. An actor reports them only through inspection. */

export function createFaultInspector(report: (fault: unknown) => void) {
  let lastFault: unknown;
  return {
    lastFault: () => lastFault,
    inspect(inspected: { readonly type: string; readonly event?: { readonly type: string } }): void {
      const event = inspected.type === "@xstate.event" ? inspected.event : undefined;
      if (event?.type.startsWith("xstate.error.") !== true || !("error" in event)) return;
      lastFault = event.error;
      report(lastFault);
    },
  };
}
