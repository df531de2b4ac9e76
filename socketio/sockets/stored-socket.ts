/** A connection to one namespace, as it is stored. */

export interface StoredSocket {
  readonly id: string;
  readonly sid: string;
  readonly namespace: string;
  readonly pid: string | undefined;
  readonly identity: string | undefined;
  /** JSON of the application's data. */
  readonly data: string;
  readonly request: string;
  readonly connectedAt: number;
  /** Events up to this offset were before its connect. */
  readonly connectedOffset: number;
  readonly lostAt: number | undefined;
}
