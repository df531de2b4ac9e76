/** State that the resolvers of one request share, and fields that charge their values to its budget. */
import type { Database } from "../../../platform/database/database.ts";
import type { GraphQLFieldConfig } from "graphql";
import type { RowMeter } from "../lists/row-budget.ts";
import type { AnswerBudget } from "./answer-budget.ts";
import type { DomainLoads } from "./domain-loads.ts";
import type { PageSizes } from "./paging.ts";

export interface GraphqlContext {
  readonly database: Database;
  readonly budget: AnswerBudget;
  readonly meter: RowMeter;
  /** Notes in the response about how the request was interpreted. */
  readonly notes: Set<string>;
  readonly loads: DomainLoads;
  readonly pageSizes: PageSizes;
}

/** Wraps fields so that each value is charged before it enters the response. */
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
