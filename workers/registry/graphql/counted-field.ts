/** Fields whose values count towards the size of the answer (answer-budget.ts). */
import type { GraphQLFieldConfig } from "graphql";
import type { GraphqlContext } from "./request-context.ts";

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
