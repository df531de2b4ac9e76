/** A small faithful server of another service's protocol, for tests, the tour and `npm run peers`. */
export interface Peer {
  /** As `npm run peers` prints it. */
  readonly name: string;
  /** Its address on this machine. */
  readonly url: string;
  /** What the Worker has to be given to use it, by the names of docs/configuration.md. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}
