/** What a server sent, as a test looks into it: a test that meets another shape fails where it looks. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type Received = any;
