import * as z from 'zod/mini';
import { createDynamoDbClient, type DynamoDBClient } from './store/index.js';
import { type Clock, systemClock } from './support/clock.js';
import { type Random, systemRandom } from './support/random.js';

/** The connection of a client or an operator to its tables. */
export interface ConnectionOptions {
  /** A DynamoDB client of your own, in place of `endpoint` and `region`. Default: a new one. */
  readonly client?: DynamoDBClient | undefined;
  /** URL of the local runtime or another emulator. Default: AWS, or `AWS_ENDPOINT_URL_DYNAMODB`. */
  readonly endpoint?: string | undefined;
  /** The AWS region. Default: the environment's; `us-east-1` with an `endpoint`. */
  readonly region?: string | undefined;
  /** The clock, for tests. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** The random numbers, for tests. Default: Node's cryptographic ones. */
  readonly random?: Random | undefined;
}

export const tableName = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_.:/-]{3,1011}$/, 'expected the name of a DynamoDB table'));

/** The part of an options' schema that is the connection. Its check is `clientAlone`. */
export const connectionShape = {
  client: z.optional(withMethod<DynamoDBClient>('send', 'DynamoDBClient')),
  endpoint: z.optional(z.url({ protocol: /^https?$/ })),
  region: z.optional(z.string().check(z.minLength(1))),
  clock: z._default(withMethod<Clock>('now', 'Clock'), () => systemClock),
  random: z._default(
    z.custom<Random>((value) => typeof value === 'function', 'expected a function'),
    () => systemRandom,
  ),
};

export const clientAlone = z.refine<Pick<ConnectionOptions, 'client' | 'endpoint' | 'region'>>(
  ({ client, endpoint, region }) => !client || (endpoint === undefined && region === undefined),
  'expected either client, or endpoint and region',
);

/** A schema for objects that are known by one of their methods. */
export function withMethod<Type>(method: keyof Type & string, expected: string) {
  return z.custom<Type>((value) => hasMethod(value, method), `expected a ${expected}`);
}

/** A schema for stores, which are known by one of the methods of their records. */
export function storeWith<Type>(method: string) {
  return z.custom<Type>(
    (value) => hasMethod((value as { records?: unknown } | null)?.records, method),
    'expected a store',
  );
}

function hasMethod(value: unknown, method: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[method] === 'function';
}

export function clientFor({
  client,
  endpoint,
  region,
}: Pick<ConnectionOptions, 'client' | 'endpoint' | 'region'>): DynamoDBClient {
  return client ?? createDynamoDbClient({ endpoint, region });
}
