/**
 * Prints messages as a Cosmos node's REST endpoint does, byte for byte. A message type is compiled once, at first use, into a list
 * of functions, one per member; printing walks them and builds one string.
 */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { fail } from "../../../platform/failure.ts";
import { success, type Result } from "../../../platform/result.ts";
import { fieldOptionsReader } from "./field-options.ts";
import { memberWriters, valueOfField, type Fields } from "./member-writers.ts";
import { anyWriter, wellKnownWriter } from "./well-known.ts";
import type { Writing, WriterSettings } from "./writing.ts";

interface Written {
  /** Compact JSON, no newline. */
  readonly text: string;
  /** Fields from a newer chain that this registry does not know: not printed, but logged. */
  readonly unknownFields: number;
}

export interface MessageWriter {
  /** @returns the document, or an `internal` failure for a value without a JSON form. */
  readonly write: (type: DescMessage, message: Message) => Result<Written>;
  /** Like `write`, for one field of the message: the document of a route with `response_body`. */
  readonly writeField: (field: DescField, message: Message) => Result<Written>;
}

export function createMessageWriter(settings: WriterSettings): MessageWriter {
  const writing = compiler(settings);
  const fields = new Map<DescField, (message: Fields) => string>();
  const written = (print: () => string): Result<Written> => {
    const { state } = writing;
    Object.assign(state, { unknownFields: 0, anyDepth: 0, error: undefined });
    const text = print();
    return state.error === undefined
      ? success({ text, unknownFields: state.unknownFields })
      : fail("internal", state.error);
  };
  return {
    write: (type, message) => written(() => writing.messageOf(type)(message)),
    writeField: (field, message) => {
      const write = fields.get(field) ?? valueOfField(field, writing);
      fields.set(field, write);
      // A oneof with another case has no value, but a document must have one.
      return written(() => write(message) || "null");
    },
  };
}

function compiler(settings: WriterSettings): Writing {
  const members = new Map<DescMessage, (message: unknown) => string>();
  const messages = new Map<DescMessage, (message: unknown) => string>();
  const writing: Writing = {
    settings,
    optionsOf: fieldOptionsReader(settings.registry),
    membersOf: (type) => members.get(type) ?? compileMembers(type),
    messageOf: (type) => messages.get(type) ?? compileMessage(type),
    state: { unknownFields: 0, anyDepth: 0 },
  };

  function compileMembers(type: DescMessage): (message: unknown) => string {
    let writers: ReturnType<typeof memberWriters> = [];
    const write = (message: unknown): string => {
      const fields = message as Fields;
      if (fields.$unknown !== undefined) writing.state.unknownFields += fields.$unknown.length;
      let text = "";
      for (const writer of writers) {
        const member = writer(fields);
        if (member !== "") text = text === "" ? member : `${text},${member}`;
      }
      return text;
    };
    // Registered before its fields are compiled, because a type may contain itself.
    members.set(type, write);
    writers = memberWriters(type, writing);
    return write;
  }

  function compileMessage(type: DescMessage): (message: unknown) => string {
    const special = type.typeName === "google.protobuf.Any" ? anyWriter(writing) : wellKnownWriter(type, writing.state);
    const write = special ?? braced(type);
    messages.set(type, write);
    return write;
  }

  function braced(type: DescMessage): (message: unknown) => string {
    const write = writing.membersOf(type);
    return (message) => `{${write(message)}}`;
  }

  return writing;
}

export const WRITER_VERSION = 2;
