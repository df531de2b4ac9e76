/** The database does not answer. Nothing was written, or it is unknown whether it was; the caller may try again. */
export class DatabaseUnreachable extends Error {
  /** `reason` contains no address and no password. */
  constructor(reason: string) {
    super(`the database is unreachable: ${reason}`);
    this.name = "DatabaseUnreachable";
  }
}
