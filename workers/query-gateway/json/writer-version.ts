/**
 * The version of what the writer prints, part of every key under which an answer is kept. Raise it with each change after which
 * the same message prints differently; a test notices.
 */
export const WRITER_VERSION = 2;
