/** A small faithful mock server of another service's protocol, for tests, the tour and `npm run peers`. */
export interface Peer {
  /** The name that `npm run peers` prints. */
  readonly name: string;
  /** Its local address. */
  readonly url: string;
  /** Variables with which the Worker uses it, by the names of docs/configuration.md. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}
