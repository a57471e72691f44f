import type { ReadBudget } from 'dynamo-backlog/overview';

/** The budget of a page in AWS. With what a look at the queues costs, a page stays below 50 read units. */
export const PAGE_BUDGET: ReadBudget = { records: 50, units: 25, entries: 400 };
/** The budget of a page on the local runtime, whose embedded database bills nothing. */
export const LOCAL_BUDGET: ReadBudget = {
  records: 300,
  units: Number.POSITIVE_INFINITY,
  entries: 5_000,
};
/** The budget of a page when an operator asks for more. */
export const LARGE_BUDGET: ReadBudget = { records: 1_000, units: 500, entries: 20_000 };
