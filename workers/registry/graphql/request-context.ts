/** What the resolvers of one request share, and fields that count their values against its budget. */
import type { GraphQLFieldConfig } from "graphql";
import type { RowMeter } from "../lists/row-budget.ts";
import type { AnswerBudget } from "./answer-budget.ts";
import type { DomainLoads } from "./domain-loads.ts";
import type { PageSizes } from "./paging.ts";

export interface GraphqlContext {
  readonly database: D1Database;
  readonly budget: AnswerBudget;
  readonly meter: RowMeter;
  /** What the response reports about how the request was understood. */
  readonly notes: Set<string>;
  readonly loads: DomainLoads;
  readonly pageSizes: PageSizes;
}

/** The same fields, with each value counted before it goes into the answer. */
export function counted<Source>(
  fields: Readonly<Record<string, CountedField<Source>>>,
): Record<string, GraphQLFieldConfig<Source, GraphqlContext>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type, resolve }]) => {
      const resolveCounted: CountedField<Source>["resolve"] = (source, given, context, info) => {
        const value = resolve(source, given, context, info);
        if (!(value instanceof Promise)) return take(value, context);
        return value.then((awaited: unknown) => take(awaited, context));
      };
      return [name, { type, resolve: resolveCounted }];
    }),
  );
}

export type CountedField<Source> = Required<Pick<GraphQLFieldConfig<Source, GraphqlContext>, "type" | "resolve">>;

function take(value: unknown, { budget }: GraphqlContext): unknown {
  budget.answer(value);
  return value;
}
