import { ConfigurationError } from 'dynamo-backlog';
import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod/mini';

/** Prices in US dollars, without free tiers and discounts. */
export interface Prices {
  /** The day on which AWS listed them. */
  readonly asOf: string;
  readonly region: string;
  /** DynamoDB on demand, per million write units. */
  readonly writeUnits: number;
  /** Per million read units. */
  readonly readUnits: number;
  /** The table, per GB and month. */
  readonly tableStorage: number;
  /** Point-in-time recovery, per GB and month. */
  readonly backup: number;
  /** Lambda, per million requests. */
  readonly lambdaRequests: number;
  /** Lambda on Arm, per million GB-seconds. */
  readonly lambdaTime: number;
  /** Lambda on x86, per million GB-seconds. */
  readonly lambdaTimeX86: number;
  /** CloudWatch Logs, per GB that is written. */
  readonly logs: number;
  /** A custom metric, per month. */
  readonly metric: number;
  /** A metric that an alarm reads, per month. */
  readonly alarm: number;
  readonly compositeAlarm: number;
  readonly dashboard: number;
  /** SQS, per million requests to a standard queue. */
  readonly sqsRequests: number;
  /** Step Functions Standard, per million state transitions. */
  readonly transitions: number;
  /** Step Functions Express, per million requests. */
  readonly expressRequests: number;
  /** Step Functions Express, per million GB-seconds. */
  readonly expressTime: number;
  /** Lambda durable functions, per million operations. */
  readonly durableOperations: number;
}

/** The list of us-east-1. Sources: the pricing pages of DynamoDB, Lambda, CloudWatch, SQS and Step Functions. */
export const US_EAST_1: Prices = {
  asOf: '2026-11-26',
  region: 'us-east-1',
  writeUnits: 0.625,
  readUnits: 0.125,
  tableStorage: 0.25,
  backup: 0.2,
  lambdaRequests: 0.2,
  lambdaTime: 13.3334,
  lambdaTimeX86: 16.6667,
  logs: 0.5,
  metric: 0.3,
  alarm: 0.1,
  compositeAlarm: 0.5,
  dashboard: 3,
  sqsRequests: 0.4,
  transitions: 25,
  expressRequests: 1,
  expressTime: 16.67,
  durableOperations: 8,
};

const price = z.number().check(z.nonnegative());
const texts = { asOf: z.optional(z.string()), region: z.optional(z.string()) };
const numbers = Object.fromEntries(
  Object.keys(US_EAST_1)
    .filter((name) => !(name in texts))
    .map((name) => [name, z.optional(price)]),
);
const pricesSchema = z.strictObject({ ...texts, ...numbers });

/**
 * The prices of us-east-1 with those of a file in their place.
 *
 * @param text JSON, an object of prices by name
 * @throws ConfigurationError for what is no JSON, an unknown name, or a value that is no price
 */
export function pricesWith(text: string, name: string): Prices {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`${name}: expected JSON: ${(error as Error).message}`);
  }
  const own = parseOptions(pricesSchema, given, name) as Partial<Prices>;
  return { ...US_EAST_1, asOf: 'as given', region: 'as given', ...own };
}
