/** A server's response, untyped: a test that receives a different shape fails where it reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type Received = any;
