/**
 * Executes operations: limits before anything runs, the cost of an operation in its response, and errors that carry a code
 * and the request's id but nothing of the inside.
 */
import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  NoUnusedVariablesRule,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { RefusedQuery, refusedQuery } from "../store/refused-query.ts";
import { variablesWithFieldForms, withFieldForms } from "./field-forms.ts";
import type { PageSizes } from "./paging.ts";
import { excessOf, measureOperation, TOKENS } from "./query-limits.ts";
import type { GraphqlContext } from "./request-context.ts";
import { createRegistrySchema } from "./schema.ts";
import { GRAPHQL_TYPE, type GraphqlOperation } from "./transport.ts";

/** What the engine is given with each request. */
export interface EngineRequest extends GraphqlContext {
  readonly operation: GraphqlOperation;
  readonly requestId: string;
  readonly log: Logger;
}

export interface EngineSettings {
  readonly pageSizes: PageSizes;
  /** Off: no introspection, and no hints at what names there are. */
  readonly introspection: boolean;
}

export interface Engine {
  /** The answer in the media type `accept`, one of the two that GraphQL has over HTTP. */
  answer(request: EngineRequest, accept: string): Promise<Response>;
}

export function createEngine(settings: EngineSettings): Engine {
  const schema = createRegistrySchema();
  const prepare = createPreparation(schema, settings);
  return {
    async answer(request, accept) {
      const { extensions, errors, ...data } = await run(prepare(request.operation.query), schema, request);
      const shown = errors?.map((error) => presented(error, request, settings.introspection));
      const body = {
        ...(shown === undefined ? {} : { errors: shown.map(({ error }) => error) }),
        ...data,
        ...(extensions === undefined ? {} : { extensions }),
      };
      return new Response(JSON.stringify(body), responseInit(shown ?? [], "data" in data, accept));
    },
  };
}

type Prepared = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] };

/** Parses and validates, and remembers the outcome of small documents. */
function createPreparation(schema: GraphQLSchema, { introspection }: EngineSettings): (text: string) => Prepared {
  // Clients in the field declare variables that they do not use, which does no harm.
  const used = specifiedRules.filter((rule) => rule !== NoUnusedVariablesRule);
  const rules = introspection ? used : [...used, NoSchemaIntrospectionCustomRule];
  const known = createDocumentCache<Prepared>();

  function prepared(text: string): Prepared {
    try {
      const document = parseBounded(text);
      const errors = validate(schema, document, rules);
      return errors.length > 0 ? { errors } : { document };
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
  }

  return (text) => {
    const outcome = known.get(text) ?? prepared(text);
    known.set(text, outcome);
    return outcome;
  };
}

function parseBounded(source: string): DocumentNode {
  try {
    return withFieldForms(parse(source, { maxLexicalTokens: TOKENS }));
  } catch (error) {
    if (!/more than \d+ tokens/.test(describeThrown(error))) throw error;
    throw refusedDocument(`The document has more than ${TOKENS} tokens; send lists as variables`);
  }
}

function refusedDocument(message: string): GraphQLError {
  return new GraphQLError(message, { cause: refusedQuery("query_too_costly", message) });
}

async function run(prepared: Prepared, schema: GraphQLSchema, request: EngineRequest): Promise<ExecutionResult> {
  if ("errors" in prepared) return prepared;
  const { document } = prepared;
  const { operationName, variables = {} } = request.operation;
  const operation = getOperationAST(document, operationName);
  // Without one the executor says what is wrong.
  const execution = { schema, document, operationName, contextValue: request };
  if (operation === null || operation === undefined) return execute({ ...execution, variableValues: variables });
  const variableValues = variablesWithFieldForms(operation, variables);
  const measure = measureOperation(document, operation, variableValues, request.pageSizes);
  const excess = excessOf(measure);
  if (excess !== undefined) return { errors: [refusedDocument(excess)] };
  const result = await execute({ ...execution, variableValues });
  const { meter, notes } = request;
  const extensions = { cost: measure.cost, rowCost: meter.used, ...(notes.size === 0 ? {} : { notes: [...notes] }) };
  return { ...result, extensions };
}

interface PresentedError {
  readonly error: GraphQLError;
  /** What a refusal asks for. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The greatest status that a refusal asks for. A document that is wrong is 400 in GraphQL's own media type; in the older
 * one such an answer has status 200.
 */
function responseInit(errors: readonly PresentedError[], hasData: boolean, accept: string): ResponseInit {
  const asked = errors.flatMap(({ status }) => (status === undefined ? [] : [status]));
  const usual = errors.length > 0 && !hasData && accept === GRAPHQL_TYPE ? 400 : 200;
  const headers = Object.assign({}, ...errors.map((each) => each.headers)) as Record<string, string>;
  return {
    status: asked.length > 0 ? Math.max(...asked) : usual,
    headers: { "Content-Type": `${accept}; charset=utf-8`, ...headers },
  };
}

/** `code` and `requestId` for every error; of what nobody foresaw nothing else, the log has the rest. */
function presented(error: GraphQLError, { requestId, log }: EngineRequest, introspection: boolean): PresentedError {
  const { message, nodes, source, positions, path } = error;
  const thrown = innermost(error);
  const failure = thrown instanceof RefusedQuery ? thrown.failure : undefined;
  const foreseen = failure !== undefined || thrown instanceof GraphQLError;
  if (!foreseen) log.error("graphql-failed", { reason: describeThrown(thrown) });
  const shown = foreseen ? (introspection ? message : withoutHints(message)) : "Internal server error";
  // The library's own errors have one word in the registry's table.
  const code = foreseen ? (failure?.reason ?? "validation_failed") : "internal";
  return {
    error: new GraphQLError(shown, { nodes, source, positions, path, extensions: { code, requestId } }),
    status: failure && wireMeaningOf(failure.code).status,
    headers: failure?.retryAfter === undefined ? {} : { "Retry-After": String(failure.retryAfter) },
  };
}

/** What a resolver threw, below the errors that the library puts around it. */
function innermost(error: GraphQLError): unknown {
  let thrown: unknown = error;
  while (thrown instanceof GraphQLError && thrown.cause !== undefined && thrown.cause !== null) thrown = thrown.cause;
  return thrown;
}

/** Names of the schema that are like the one asked for. */
function withoutHints(message: string): string {
  return message.replace(/ Did you mean .*$/s, "");
}

export interface DocumentCache<Value> {
  get(text: string): Value | undefined;
  set(text: string, value: Value): void;
}

/** Documents remembered at once; the one that came first leaves first. */
export const KEPT_DOCUMENTS = 200;
/** Characters of a document that is worth keeping. */
export const KEPT_LENGTH = 4_096;

export function createDocumentCache<Value>(): DocumentCache<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (text) => kept.get(text),
    set(text, value) {
      if (text.length > KEPT_LENGTH || kept.has(text)) return;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_DOCUMENTS && oldest !== undefined) kept.delete(oldest);
      kept.set(text, value);
    },
  };
}
