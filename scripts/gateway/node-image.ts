/**
 * `npm run gateway -- image`: a descriptor image from a running node, by server reflection. It contains the files of the node's
 * services, of the types in its transactions, and of everything that they import, reduced to the parts that the gateway reads
 * (descriptors/prune.ts). It includes the HTTP rules, since they are in the node's own files.
 */
import {
  create,
  createFileRegistry,
  fromBinary,
  toBinary,
  type DescFile,
  type DescMethodUnary,
  type Message,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import * as wkt from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { pruneDescriptors } from "../descriptors/prune.ts";
import { reasonOf } from "../server-address.ts";
import { routesOf, type ImageRoutes } from "./image-file.ts";
import { openReflection, type Reflection } from "./reflection.ts";

export interface NodeImageOptions {
  readonly transport: Transport;
  /** Contains the files that every chain uses and not every node returns, such as gogoproto/gogo.proto. */
  readonly builtIn: Uint8Array;
  /** For each question. */
  readonly timeoutMs: number;
  readonly limits?: NodeImageLimits;
}

/** A node that answers endlessly must neither fill the memory nor keep the command running. */
export interface NodeImageLimits {
  /** Milliseconds for the whole image. */
  readonly timeMs: number;
  /** Files; also the limit for services plus Any types. */
  readonly names: number;
  /** The size of all files together. */
  readonly bytes: number;
}

export interface NodeImage extends ImageRoutes {
  readonly image: Uint8Array;
}

/** Requests in flight. */
const AT_ONCE = 8;
/** A chain's image takes seconds, and has some hundred files of some kB each. */
const LIMITS: NodeImageLimits = { timeMs: 120_000, names: 5_000, bytes: 50_000_000 };
/** Bytes of one answer: a file, its imports if the node includes them, or a list of names. */
export const NODE_ANSWER_BYTES_MAX = 16_000_000;

/** A node that sends more than a descriptor set can need. */
class TooMuch extends Error {}
/** Services of gRPC itself, which are not part of a chain. */
const OF_GRPC = /^grpc\./;

const wellKnown = Object.values(wkt).filter((each): each is DescFile => "kind" in each && each.kind === "file");

/** The descriptor set, or a sentence that explains why there is none. */
export async function imageOfNode(node: string, parts: NodeImageOptions): Promise<NodeImage | string> {
  const limits = parts.limits ?? LIMITS;
  const signal = AbortSignal.timeout(limits.timeMs);
  let reflection: Reflection;
  let files: Collected;
  try {
    reflection = await openReflection(parts.transport, parts.timeoutMs, signal);
    const symbols = [...reflection.services.filter((name) => !OF_GRPC.test(name)), ...(await anyTypes(parts, signal))];
    files = await collect(reflection, bounded(symbols, limits, "services and types"), parts.builtIn, limits);
  } catch (error) {
    return `${node}: ${signal.aborted ? `it did not finish within ${limits.timeMs} ms` : failureOf(error, parts.timeoutMs)}`;
  }
  try {
    const set = pruneDescriptors(create(FileDescriptorSetSchema, { file: inOrder(files.found) }));
    const image = toBinary(FileDescriptorSetSchema, set);
    const { services, routes } = routesOf(image);
    if (routes === 0) return `${node}: none of its ${reflection.services.length} services has an HTTP rule`;
    return { image, services, routes };
  } catch (error) {
    const absent = [...files.absent].map(([name, by]) => `${name}, which ${by} imports`).join("; ");
    return `${node}: ${absent === "" ? `its files are inconsistent: ${reasonOf(error)}` : `it does not return ${absent}`}`;
  }
}

/** @throws TooMuch */
function bounded<Item>(items: readonly Item[], { names }: NodeImageLimits, name: string): readonly Item[] {
  if (items.length > names) throw new TooMuch(`it has more than ${names} ${name}`);
  return items;
}

function failureOf(error: unknown, timeoutMs: number): string {
  if (error instanceof TooMuch) return error.message;
  const { code, rawMessage } = ConnectError.from(error);
  switch (code) {
    case Code.Unimplemented:
      return "it has no server reflection (grpc.reflection.v1 or v1alpha); on a Cosmos node it is on the gRPC port, often 9090";
    case Code.DeadlineExceeded:
      return `it does not answer within ${timeoutMs} ms`;
    case Code.ResourceExhausted:
      return `it sends more than ${NODE_ANSWER_BYTES_MAX} bytes in one answer, or is asked too often: ${rawMessage}`;
    case Code.Unavailable:
    case Code.Aborted:
    case Code.Canceled:
      return `it cannot be reached, or does not speak gRPC there: ${rawMessage}`;
    default:
      return `it does not speak gRPC there, or failed: ${rawMessage}`;
  }
}

interface Collected {
  readonly found: ReadonlyMap<string, FileDescriptorProto>;
  /** Imports that were not found, with the file that imports each. */
  readonly absent: ReadonlyMap<string, string>;
}

async function collect(
  reflection: Reflection,
  symbols: readonly string[],
  builtIn: Uint8Array,
  limits: NodeImageLimits,
): Promise<Collected> {
  const found = new Map<string, FileDescriptorProto>();
  const defined = new Set<string>();
  let size = 0;
  const take = (bytes: readonly Uint8Array[], askedAs?: string): void => {
    for (const [index, each] of bytes.entries()) {
      const file = fromBinary(FileDescriptorProtoSchema, each);
      // Some nodes name a file differently from its importers.
      if (index === 0 && askedAs !== undefined) file.name = askedAs;
      if (!found.has(file.name)) size += each.byteLength;
      if (size > limits.bytes) throw new TooMuch(`it sends more than ${limits.bytes} bytes of files`);
      if (!found.has(file.name)) found.set(file.name, file);
      for (const name of typesOf(file)) defined.add(name);
    }
  };
  await inParallel(symbols, async (symbol) => {
    if (!defined.has(symbol)) take(await reflection.fileOf(symbol));
  });

  const known = knownFiles(builtIn);
  const absent = new Map<string, string>();
  for (;;) {
    const wanted = new Map<string, string>();
    for (const { name, dependency } of found.values())
      for (const each of dependency) if (!found.has(each) && !absent.has(each)) wanted.set(each, name);
    if (wanted.size === 0) return { found, absent };
    bounded([...found.keys(), ...wanted.keys()], limits, "files");
    await inParallel([...wanted], async ([name, by]) => {
      take(await reflection.fileNamed(name), name);
      const own = found.has(name) ? undefined : known.get(name);
      if (own !== undefined) found.set(name, own);
      else if (!found.has(name)) absent.set(name, by);
    });
  }
}

function knownFiles(builtIn: Uint8Array): ReadonlyMap<string, FileDescriptorProto> {
  const { file } = fromBinary(FileDescriptorSetSchema, builtIn);
  return new Map([...file, ...wellKnown.map(({ proto }) => proto)].map((each) => [withSuffix(each.name), each]));
}

/** The library's own files have their names without it. */
function withSuffix(name: string): string {
  return name.endsWith(".proto") ? name : `${name}.proto`;
}

function typesOf({ package: packageName, messageType, service }: FileDescriptorProto): readonly string[] {
  const below = (scope: string, { name, nestedType }: DescriptorProto): readonly string[] => [
    `${scope}.${name}`,
    ...nestedType.flatMap((each) => below(`${scope}.${name}`, each)),
  ];
  return [
    ...messageType.flatMap((each) => below(packageName, each)),
    ...service.map(({ name }) => `${packageName}.${name}`),
  ];
}

/** Each file after its imports. */
function inOrder(files: ReadonlyMap<string, FileDescriptorProto>): FileDescriptorProto[] {
  const ordered = new Set<FileDescriptorProto>();
  const visited = new Set<string>();
  const visit = (name: string): void => {
    const file = files.get(name);
    if (file === undefined || visited.has(name)) return;
    visited.add(name);
    for (const each of file.dependency) visit(each);
    ordered.add(file);
  };
  for (const name of [...files.keys()].toSorted()) visit(name);
  return [...ordered];
}

/**
 * Types that may be in an Any, as a Cosmos node lists them: transactions' messages, accounts, grants, client states. A node without
 * the list has none; the descriptor set then has only the types of its queries.
 */
async function anyTypes(
  { transport, builtIn, timeoutMs, limits = LIMITS }: NodeImageOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, builtIn));
  const methods = registry.getService("cosmos.base.reflection.v1beta1.ReflectionService")?.method ?? {};
  const ask = async (name: string, request: Record<string, unknown>): Promise<unknown> => {
    const method = methods[name] as DescMethodUnary;
    const { message } = await transport.unary(method, signal, timeoutMs, undefined, create(method.input, request));
    return message;
  };
  try {
    const { interfaceNames } = (await ask("listAllInterfaces", {})) as Message & { interfaceNames: string[] };
    const lists: string[][] = [];
    await inParallel(bounded(interfaceNames, limits, "interfaces"), async (interfaceName) => {
      const answer = (await ask("listImplementations", { interfaceName })) as Message & {
        implementationMessageNames: string[];
      };
      lists.push(answer.implementationMessageNames);
    });
    return [...new Set(lists.flat().map((url) => url.slice(url.lastIndexOf("/") + 1)))].toSorted();
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unimplemented) return [];
    throw error;
  }
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
