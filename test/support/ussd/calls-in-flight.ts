/** Counts the unanswered calls to a port: how long work on a thread takes depends on the machine. */
export interface CallsInFlight {
  readonly count: number;
  /** The port, with its calls counted. */
  watch<Port extends object>(port: Port): Port;
}

export function createCallsInFlight(): CallsInFlight {
  let count = 0;
  return {
    get count() {
      return count;
    },
    watch: (port) =>
      new Proxy(port, {
        get(target, name, receiver) {
          const member: unknown = Reflect.get(target, name, receiver);
          if (typeof member !== "function") return member;
          return async (...parameters: readonly unknown[]) => {
            count += 1;
            try {
              return await (Reflect.apply(member, target, parameters) as unknown);
            } finally {
              count -= 1;
            }
          };
        },
      }),
  };
}
