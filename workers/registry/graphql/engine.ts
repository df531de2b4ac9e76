/**
 * Executes operations: checks limits before execution, reports the cost of an operation in its response, and returns
 * errors with a code and the request id but no internal details.
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
import type { Failure } from "../../../platform/failure.ts";
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { failureOfThrown } from "../failures.ts";
import { RefusedQuery, refusedQuery } from "../store/refused-query.ts";
import { variablesWithFieldForms, withFieldForms } from "./field-forms.ts";
import type { PageSizes } from "./paging.ts";
import { excessOf, measureOperation, TOKENS } from "./query-limits.ts";
import type { GraphqlContext } from "./request-context.ts";
import { createRegistrySchema } from "./schema.ts";
import { GRAPHQL_TYPE, type GraphqlOperation } from "./transport.ts";

/** The input of the engine for each request. */
export interface EngineRequest extends GraphqlContext {
  readonly operation: GraphqlOperation;
  readonly requestId: string;
  readonly log: Logger;
}

export interface EngineSettings {
  readonly pageSizes: PageSizes;
  /** If off, introspection and suggestions of names are disabled. */
  readonly introspection: boolean;
}

export interface Engine {
  /** The response in the media type `accept`, one of the two of GraphQL over HTTP. */
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

/** Parses and validates documents, and caches the result for small ones. */
function createPreparation(schema: GraphQLSchema, { introspection }: EngineSettings): (text: string) => Prepared {
  // Existing clients declare variables that they do not use, which is harmless.
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
  // If there is no operation, the executor reports the error.
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
  /** The HTTP status of a refusal, if it has one. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The highest status among the errors. An invalid document is 400 in GraphQL's media type; in the older media type it
 * has status 200.
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

/** Every error has `code` and `requestId`. An unexpected error discloses nothing else; the log contains the details. */
function presented(error: GraphQLError, { requestId, log }: EngineRequest, introspection: boolean): PresentedError {
  const { message, nodes, source, positions, path } = error;
  const thrown = innermost(error);
  const foreseen = thrown instanceof RefusedQuery || thrown instanceof GraphQLError;
  if (!foreseen) log.error("graphql-failed", { reason: describeThrown(thrown) });
  const failure = failureBehind(thrown);
  const foreseenText = introspection ? message : withoutHints(message);
  const shown = foreseen ? foreseenText : (failure?.message ?? "Internal server error");
  // The library's own errors share one code in the registry's table.
  const code = failure?.reason ?? (foreseen ? "validation_failed" : "internal");
  return {
    error: new GraphQLError(shown, { nodes, source, positions, path, extensions: { code, requestId } }),
    status: failure && wireMeaningOf(failure.code).status,
    headers: failure?.retryAfter === undefined ? {} : { "Retry-After": String(failure.retryAfter) },
  };
}

/** The refusal, or the failure of an unreachable database; undefined for errors of the document, and for bugs. */
function failureBehind(thrown: unknown): Failure | undefined {
  if (thrown instanceof RefusedQuery) return thrown.failure;
  if (thrown instanceof GraphQLError) return undefined;
  const failure = failureOfThrown(thrown);
  return failure.code === "internal" ? undefined : failure;
}

/** The error that a resolver threw, without the library's wrappers. */
function innermost(error: GraphQLError): unknown {
  let thrown: unknown = error;
  while (thrown instanceof GraphQLError && thrown.cause !== undefined && thrown.cause !== null) thrown = thrown.cause;
  return thrown;
}

/** Removes suggestions of similar names in the schema. */
function withoutHints(message: string): string {
  return message.replace(/ Did you mean .*$/s, "");
}

export interface DocumentCache<Value> {
  get(text: string): Value | undefined;
  set(text: string, value: Value): void;
}

/** Maximum cached documents; the oldest is evicted first. */
export const KEPT_DOCUMENTS = 200;
/** Maximum characters of a cached document. */
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
