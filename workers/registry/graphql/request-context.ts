/** What the resolvers of one request share. */
import type { AnswerBudget } from "./answer-budget.ts";
import type { DomainLoads } from "./domain-loads.ts";
import type { PageSizes } from "./paging.ts";
import type { RowMeter } from "../lists/row-budget.ts";

export interface GraphqlContext {
  readonly database: D1Database;
  readonly budget: AnswerBudget;
  readonly meter: RowMeter;
  /** What an answer tells of how it understood the request. */
  readonly notes: Set<string>;
  readonly loads: DomainLoads;
  readonly pageSizes: PageSizes;
}
