/** Request ids in tests. */

/** The generated id of a request without one: a UUID of version 4. */
export const NEW_REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
