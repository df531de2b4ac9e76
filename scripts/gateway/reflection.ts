/**
 * gRPC server reflection (grpc.reflection.v1, and v1alpha where a server is older): which services a server has, and the
 * files that describe them. https://grpc.io/docs/guides/reflection/
 */
import { create, createFileRegistry, type DescMethodBiDiStreaming, type Message } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  type FieldDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";

/** The newest first. */
export const REFLECTION_PACKAGES = ["grpc.reflection.v1", "grpc.reflection.v1alpha"] as const;

export interface Reflection {
  readonly services: readonly string[];
  /** The file that defines the symbol, and the imports that the server adds; empty for an unknown symbol. */
  readonly fileOf: (symbol: string) => Promise<readonly Uint8Array[]>;
  /** The file by the name of an import. */
  readonly fileNamed: (name: string) => Promise<readonly Uint8Array[]>;
}

/** An answer as protobuf-es represents it. */
interface ReflectionResponse extends Message {
  readonly messageResponse:
    | {
        readonly case: "fileDescriptorResponse";
        readonly value: { readonly fileDescriptorProto: readonly Uint8Array[] };
      }
    | {
        readonly case: "listServicesResponse";
        readonly value: { readonly service: readonly { readonly name: string }[] };
      }
    | { readonly case: "errorResponse"; readonly value: { readonly errorCode: number; readonly errorMessage: string } }
    | { readonly case: undefined };
}

/** @throws ConnectError of the server or the connection; `Unimplemented` if there is no reflection. */
export async function openReflection(
  transport: Transport,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reflection> {
  let missing: unknown;
  for (const packageName of REFLECTION_PACKAGES) {
    const method = reflectionMethod(packageName);
    const ask = async (request: Record<string, unknown>) =>
      await askOnce(transport, method, request, { timeoutMs, signal });
    try {
      const listed = (await ask({ messageRequest: { case: "listServices", value: "*" } })).messageResponse;
      if (listed.case !== "listServicesResponse") throw new ConnectError("it lists no services", Code.Unimplemented);
      const files = async (request: Record<string, unknown>) => {
        const { messageResponse: answer } = await ask({ messageRequest: request });
        return answer.case === "fileDescriptorResponse" ? answer.value.fileDescriptorProto : [];
      };
      return {
        services: listed.value.service.map(({ name }) => name),
        fileOf: (symbol) => files({ case: "fileContainingSymbol", value: symbol }),
        fileNamed: (name) => files({ case: "fileByFilename", value: name }),
      };
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unimplemented) throw error;
      missing = error;
    }
  }
  throw missing;
}

/** A stream with one question: a server that closes streams early then affects nothing else. */
async function askOnce(
  transport: Transport,
  method: DescMethodBiDiStreaming,
  request: Record<string, unknown>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ReflectionResponse> {
  async function* questions(): AsyncGenerator<Message> {
    yield create(method.input, request);
  }
  const { message } = await transport.stream(method, signal, timeoutMs, undefined, questions());
  for await (const answer of message) return answer as ReflectionResponse;
  throw new ConnectError("the server closed the stream without an answer", Code.Internal);
}

/** `ServerReflectionInfo` of a package; both have the same messages. */
export function reflectionMethod(packageName: string): DescMethodBiDiStreaming {
  const file = create(FileDescriptorProtoSchema, reflectionFile(packageName));
  const [method] =
    createFileRegistry(file, () => undefined).getService(`${packageName}.ServerReflection`)?.methods ?? [];
  if (method?.methodKind !== "bidi_streaming") throw new Error("the reflection service has lost its method");
  return method as DescMethodBiDiStreaming;
}

const { STRING, BYTES, INT32, MESSAGE } = FieldDescriptorProto_Type;
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;

/** The used part of the service: names, numbers and types of its public definition. */
function reflectionFile(packageName: string): MessageInitShape<typeof FileDescriptorProtoSchema> {
  const field = (
    name: string,
    number: number,
    more: MessageInitShape<typeof FieldDescriptorProtoSchema> = {},
  ): MessageInitShape<typeof FieldDescriptorProtoSchema> => ({ name, number, type: STRING, label: OPTIONAL, ...more });
  const message = (name: string) => ({ type: MESSAGE, typeName: `.${packageName}.${name}` });
  const choice = { oneofIndex: 0 };
  return {
    name: `${packageName.replaceAll(".", "/")}/reflection.proto`,
    package: packageName,
    syntax: "proto3",
    messageType: [
      {
        name: "ServerReflectionRequest",
        oneofDecl: [{ name: "message_request" }],
        field: [
          field("host", 1),
          field("file_by_filename", 3, choice),
          field("file_containing_symbol", 4, choice),
          field("list_services", 7, choice),
        ],
      },
      {
        name: "ServerReflectionResponse",
        oneofDecl: [{ name: "message_response" }],
        field: [
          field("valid_host", 1),
          field("file_descriptor_response", 4, { ...message("FileDescriptorResponse"), ...choice }),
          field("list_services_response", 6, { ...message("ListServiceResponse"), ...choice }),
          field("error_response", 7, { ...message("ErrorResponse"), ...choice }),
        ],
      },
      {
        name: "FileDescriptorResponse",
        field: [field("file_descriptor_proto", 1, { type: BYTES, label: REPEATED })],
      },
      { name: "ListServiceResponse", field: [field("service", 1, { ...message("ServiceResponse"), label: REPEATED })] },
      { name: "ServiceResponse", field: [field("name", 1)] },
      { name: "ErrorResponse", field: [field("error_code", 1, { type: INT32 }), field("error_message", 2)] },
    ],
    service: [
      {
        name: "ServerReflection",
        method: [
          {
            name: "ServerReflectionInfo",
            inputType: `.${packageName}.ServerReflectionRequest`,
            outputType: `.${packageName}.ServerReflectionResponse`,
            clientStreaming: true,
            serverStreaming: true,
          },
        ],
      },
    ],
  };
}
