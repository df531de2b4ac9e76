/**
 * graphql-yoga with what the registry adds (contract/registry.md section 7.4): limits before anything runs, the cost of
 * an operation in its answer, and errors that tell a code and the request's id but nothing of the inside.
 */
import {
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  NoUnusedVariablesRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionArgs,
} from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { createDocumentCache } from "./document-cache.ts";
import { variablesWithFieldForms, withFieldForms } from "./field-forms.ts";
import type { GraphqlOperation } from "./operation.ts";
import type { PageSizes } from "./paging.ts";
import { excessOf, measureOperation, TOKENS } from "./query-limits.ts";
import { refusal } from "./refusal.ts";
import type { GraphqlContext } from "./request-context.ts";
import { createRegistrySchema } from "./schema.ts";

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
  const yoga = createYoga<EngineRequest>({
    schema: createRegistrySchema(),
    graphqlEndpoint: ENDPOINT,
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    logging: false,
    // The errors of the whole answer are masked below, those that never reached a resolver too.
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: createDocumentCache<DocumentNode>(),
      errorCache: createDocumentCache<Error>(),
    },
    plugins: [operationPlugin, limitsPlugin(settings), errorsPlugin(settings)],
  });
  return {
    answer: async (request, accept) =>
      // The operation is already read and travels beside; this request only names what is accepted.
      yoga.fetch(new Request(`http://engine${ENDPOINT}`, { method: "POST", headers: { Accept: accept } }), request),
  };
}

const ENDPOINT = "/graphql";

type RegistryPlugin = Plugin<EngineRequest, EngineRequest>;

const operationPlugin: RegistryPlugin = {
  onRequestParse({ serverContext, setRequestParser }) {
    const { query, operationName, variables, extensions } = serverContext.operation;
    setRequestParser(() => ({ query, operationName, variables, extensions }));
  },
};

function limitsPlugin({ introspection, pageSizes }: EngineSettings): RegistryPlugin {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseBounded);
    },
    onValidate({ addValidationRule, setValidationFn }) {
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      // Clients in the field declare variables that they do not use, which does no harm.
      setValidationFn((...validation: Parameters<typeof validate>) => {
        const [schema, document, rules = specifiedRules, ...more] = validation;
        return validate(
          schema,
          document,
          rules.filter((rule) => rule !== NoUnusedVariablesRule),
          ...more,
        );
      });
    },
    onExecute({ args }) {
      const execution = args as { -readonly [Member in keyof ExecutionArgs]: ExecutionArgs[Member] };
      const { document, operationName } = execution;
      const operation = getOperationAST(document, operationName);
      // Without one the executor says what is wrong.
      if (operation === null || operation === undefined) return undefined;
      const variables = variablesWithFieldForms(operation, execution.variableValues ?? {});
      execution.variableValues = variables;
      const measure = measureOperation(document, operation, variables, pageSizes);
      const excess = excessOf(measure);
      if (excess !== undefined) throw refusal("query_too_costly", excess);
      return {
        onExecuteDone({ result, setResult }) {
          if (!isSingle(result)) return;
          const { meter, notes } = args.contextValue as GraphqlContext;
          const told = { cost: measure.cost, rowCost: meter.used, ...(notes.size === 0 ? {} : { notes: [...notes] }) };
          setResult({ ...result, extensions: { ...result.extensions, ...told } });
        },
      };
    },
  };
}

function parseBounded(source: string): DocumentNode {
  try {
    return withFieldForms(parse(source, { maxLexicalTokens: TOKENS }));
  } catch (error) {
    if (!/more than \d+ tokens/.test(describeThrown(error))) throw error;
    throw refusal("query_too_costly", `The document has more than ${TOKENS} tokens; send lists as variables`);
  }
}

function errorsPlugin({ introspection }: EngineSettings): RegistryPlugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!isSingle(result) || result.errors === undefined) return;
      const errors = result.errors.map((error) => presented(error, serverContext, introspection));
      setResult({ ...result, errors });
    },
  };
}

/** `code` and `requestId` for every error; of what nobody foresaw nothing else, the log has the rest. */
function presented(error: GraphQLError, { requestId, log }: EngineRequest, introspection: boolean): GraphQLError {
  const { message, nodes, source, positions, path, extensions, cause } = error;
  const foreseen = isForeseen(cause);
  if (!foreseen) log.error("graphql-failed", { reason: describeThrown(cause) });
  const { code, http } = extensions;
  const isOurs = isRegistryCode(code);
  return new GraphQLError(foreseen ? (introspection ? message : withoutHints(message)) : "Internal server error", {
    nodes,
    source,
    positions,
    path,
    extensions: {
      // The library's own codes are in capitals; the registry's table has one word for a document that is wrong.
      code: foreseen ? (isOurs ? code : "validation_failed") : "internal",
      requestId,
      // `spec`: with the older media type such an answer has status 200.
      ...(typeof http === "object" ? { http: { ...http, spec: !isOurs } } : {}),
    },
  });
}

/** A GraphQL error all the way down: one that was made to be read. */
function isForeseen(thrown: unknown): boolean {
  if (thrown === undefined || thrown === null) return true;
  return thrown instanceof GraphQLError && isForeseen(thrown.cause);
}

function isRegistryCode(code: unknown): code is string {
  return typeof code === "string" && /^[a-z_]+$/.test(code);
}

/** Names of the schema that are like the one asked for. */
function withoutHints(message: string): string {
  return message.replace(/ Did you mean .*$/s, "");
}

interface SingleResult {
  readonly errors?: readonly GraphQLError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

function isSingle(result: unknown): result is SingleResult {
  return typeof result === "object" && result !== null && !Array.isArray(result) && !(Symbol.asyncIterator in result);
}
