/** A text that PostgreSQL does not store. Surfaces return the message as a fault of the request. */
export class UnstorableText extends Error {
  constructor() {
    super("A text contains the character U+0000, which the database does not store; remove it");
    this.name = "UnstorableText";
  }
}
