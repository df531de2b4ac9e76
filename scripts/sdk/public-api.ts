/**
 * The exports of the SDK's entries, read from the sources: each name with its docstring, its declaration and its members. The
 * served reference is generated from it (api-reference.ts).
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, type Class, type Comment, type Directive, type Statement, type TSSignature } from "oxc-parser";
import { projectRoot } from "../run-command.ts";
import { readDocstring, type Docstring } from "./docstring.ts";

export interface PublicName {
  readonly name: string;
  readonly kind: "function" | "class" | "interface" | "type" | "constant";
  /** Of the repository. */
  readonly file: string;
  readonly doc: Docstring | undefined;
  /** The declaration without its body. */
  readonly signature: string;
  /** For interfaces, classes and object types. */
  readonly members: readonly PublicMember[];
}

export interface PublicMember {
  /** With `?` if it is optional. */
  readonly name: string;
  readonly type: string;
  readonly doc: Docstring | undefined;
}

type Node = Statement | Directive;
type Declaration = Extract<Node, { type: "ExportNamedDeclaration" }>["declaration"];

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

/** Sorted: functions, classes and constants before types. @param entry its source. */
export function publicNames(entry: string): readonly PublicName[] {
  const names = [...exportsOf(entry)].flatMap(([name, origin]) => describe(name, origin.file, origin.name) ?? []);
  const isType = ({ kind }: PublicName): number => (kind === "interface" || kind === "type" ? 1 : 0);
  return names.toSorted((a, b) => isType(a) - isType(b) || a.name.localeCompare(b.name, "en"));
}

const files = new Map<string, SourceFile>();

function open(path: string): SourceFile {
  let file = files.get(path);
  if (file === undefined) {
    const text = readFileSync(join(projectRoot, path), "utf8");
    const { program, comments } = parseSync(path, text);
    file = { path, text, body: program.body, comments };
    files.set(path, file);
  }
  return file;
}

interface Origin {
  readonly file: string;
  readonly name: string;
}

/** Each exported name, with the file and the name of its declaration. */
function exportsOf(path: string): ReadonlyMap<string, Origin> {
  const found = new Map<string, Origin>();
  const resolve = (source: string): string => join(dirname(path), source);
  for (const node of open(path).body) {
    if (node.type === "ExportAllDeclaration")
      for (const [name, origin] of exportsOf(resolve(node.source.value))) found.set(name, origin);
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const { local, exported } of node.specifiers) {
      const [from, to] = [nameOf(local), nameOf(exported)];
      const origin = node.source === null ? undefined : exportsOf(resolve(node.source.value)).get(from);
      found.set(to, origin ?? { file: path, name: from });
    }
    for (const name of declaredNames(node.declaration)) found.set(name, { file: path, name });
  }
  return found;
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}

function declaredNames(declaration: Declaration): readonly string[] {
  if (declaration === null) return [];
  if (declaration.type === "VariableDeclaration")
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
}

function describe(name: string, path: string, local: string): PublicName | undefined {
  const file = open(path);
  for (const node of file.body) {
    const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : (node as Declaration);
    if (!declaredNames(declaration).includes(local)) continue;
    const shape = shapeOf(declaration, file);
    if (shape !== undefined) return { name, file: path, doc: docBefore(node.start, file), ...shape };
  }
  return undefined;
}

function shapeOf(
  declaration: Declaration,
  file: SourceFile,
): Pick<PublicName, "kind" | "signature" | "members"> | undefined {
  const slice = (start: number, end: number): string => file.text.slice(start, end).trim();
  switch (declaration?.type) {
    case "FunctionDeclaration":
    case "TSDeclareFunction": {
      const end = declaration.body?.start ?? declaration.end;
      const text = slice(declaration.start, end).replace(/^async /, "");
      return { kind: "function", signature: text.replaceAll(/\{[^{}:]*\}(?=: [A-Z])/g, "options"), members: [] };
    }
    case "ClassDeclaration": {
      const signature = slice(declaration.start, declaration.body.start);
      return { kind: "class", signature, members: classMembers(declaration, file) };
    }
    case "TSInterfaceDeclaration": {
      const signature = slice(declaration.start, declaration.body.start);
      return { kind: "interface", signature, members: declaration.body.body.flatMap((part) => memberOf(part, file)) };
    }
    case "TSTypeAliasDeclaration": {
      const signature = slice(declaration.start, declaration.end);
      const { typeAnnotation } = declaration;
      const parts = typeAnnotation.type === "TSTypeLiteral" ? typeAnnotation.members : [];
      return { kind: "type", signature, members: parts.flatMap((part) => memberOf(part, file)) };
    }
    case "VariableDeclaration": {
      const [first] = declaration.declarations;
      if (first === undefined) return undefined;
      const isTyped = first.id.type === "Identifier" && first.id.typeAnnotation !== null;
      const end = isTyped ? first.id.end : declaration.end;
      return { kind: "constant", signature: slice(declaration.start, end).replace(/;$/, ""), members: [] };
    }
    default:
      return undefined;
  }
}

function memberOf(part: TSSignature, file: SourceFile): readonly PublicMember[] {
  const slice = (start: number, end: number): string => file.text.slice(start, end).replace(/[;,]$/, "");
  const doc = docBefore(part.start, file);
  if (part.type === "TSPropertySignature") {
    const type = part.typeAnnotation === null ? "unknown" : part.typeAnnotation.typeAnnotation;
    const name = slice(part.key.start, part.key.end) + (part.optional ? "?" : "");
    return [{ name, type: typeof type === "string" ? type : slice(type.start, type.end), doc }];
  }
  if (part.type === "TSMethodSignature") {
    const name = slice(part.key.start, part.key.end) + (part.optional ? "?" : "");
    return [{ name, type: slice(part.key.end + (part.optional ? 1 : 0), part.end), doc }];
  }
  return [{ name: "", type: slice(part.start, part.end), doc }];
}

function classMembers(declaration: Class, file: SourceFile): readonly PublicMember[] {
  return declaration.body.body.flatMap((part): readonly PublicMember[] => {
    if (part.type !== "PropertyDefinition" && part.type !== "MethodDefinition") return [];
    if (part.accessibility === "private" || part.key.type === "PrivateIdentifier") return [];
    const name = (part.static ? "static " : "") + file.text.slice(part.key.start, part.key.end);
    const doc = docBefore(part.start, file);
    if ("kind" in part) {
      const end = part.value.body?.start ?? part.value.end;
      return [{ name, type: file.text.slice(part.value.start, end).trim(), doc }];
    }
    const type = part.typeAnnotation?.typeAnnotation ?? part.value;
    return [{ name, type: type === null ? "unknown" : file.text.slice(type.start, type.end), doc }];
  });
}

/** The docstring that ends directly before a position. */
function docBefore(position: number, { text, comments }: SourceFile): Docstring | undefined {
  const comment = comments.findLast(({ end }) => end <= position);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return undefined;
  return text.slice(comment.end, position).trim() === "" ? readDocstring(comment.value) : undefined;
}
