import type { LookupFunction } from 'node:net';
import * as z from 'zod/mini';
import { type BatchLimits, batchShape } from '../batches/options.js';
import { type Duration, duration } from '../support/duration.js';
import type { Process } from '../worker/index.js';
import { type Answers, answersSchema } from './answers.js';
import type { AllowedAddresses } from './private-addresses.js';
import type { SecretsSource } from './signing.js';

/** @inline */
export type Method = 'POST' | 'PUT' | 'PATCH';

/**
 * A value, or a function that gets it for each attempt: one that asks over the network should remember the answer.
 *
 * @inline
 */
export type HeaderValue = string | (() => string | Promise<string>);

/** Options of `deliverByHttp`. Only `url` is required. */
export interface HttpDeliveryOptions {
  /** https, or http to this very machine. */
  readonly url: string;
  /** Default POST. */
  readonly method?: Method | undefined;
  /** Further headers. Those that the delivery sets itself are refused. */
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
  /**
   * The secret that signs each request by Standard Webhooks: `whsec_` and base64, or the raw text, of at least 16 bytes.
   * Give several while they change. Default: no signature.
   */
  readonly secret?: SecretsSource | undefined;
  /** Statuses whose meaning differs from the default. */
  readonly answers?: Answers | undefined;
  /** Time for connecting and the answer's headers, up to 900 s. Default: the attempt's own time alone. */
  readonly requestTimeout?: Duration | undefined;
  /** Sends several records in one request, and reads a result for each from its answer. Default: one record a request. */
  readonly batch?: DeliveryBatch | undefined;
  /** An answer longer than this is cut off. Default 65,536; with `batch` 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Addresses that may be delivered to, in addition to public ones: `true` for private networks (RFC 1918, 100.64.0.0/10,
   * fc00::/7), or a list such as `["10.1.0.0/16"]`. Only a list can allow link-local and other special ones. The address
   * that a name leads to is checked when a connection is made. A URL that names this machine itself is allowed anywhere
   * except in Lambda. Default false.
   */
  readonly allowPrivateAddresses?: AllowedAddresses | undefined;
  /** Finds the addresses of a name, for tests. Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
  /**
   * Real time, epoch milliseconds, that signatures contain and a `Retry-After` with a date counts from. Default: the
   * system's.
   */
  readonly now?: (() => number) | undefined;
}

/** A `process` that can be made ready before a run. */
export interface HttpDelivery extends Process {
  /**
   * Gets the secrets, and throws if one cannot be read or is invalid: then no record need pay for it by an attempt.
   * `backlogHandler` and the built-in handlers call it before each run.
   */
  prepare(): Promise<void>;
}

/**
 * Several records in one request.
 *
 * @typeParam Length how lengths of time are written: in seconds, as text, or as the CDK's `Duration`
 */
export interface DeliveryBatch<Length = Duration> extends BatchLimits<Length> {
  /** The body: `json` is a JSON array, `ndjson` one JSON text in each line. Default: `json`. */
  readonly format?: 'json' | 'ndjson' | undefined;
}

const batchSchema = z.strictObject({
  ...batchShape,
  maxBytes: z._default(batchShape.maxBytes, 900_000),
  format: z._default(z.enum(['json', 'ndjson']), 'json'),
});

/** Options that can also be given as data, in the CDK app and the handlers' environment. */
export const deliveryShape = {
  method: z.optional(z.enum(['POST', 'PUT', 'PATCH'])),
  answers: z.optional(answersSchema),
  requestTimeout: z.optional(duration({ above: 0, most: 900 })),
  batch: z.optional(batchSchema),
  allowPrivateAddresses: z.optional(
    z.union([z.boolean(), z.array(z.string())], {
      error: 'expected true, false, or a list of networks such as "10.0.0.0/8"',
    }),
  ),
};

const aFunction = <T>() =>
  z.optional(z.custom<T>((value) => typeof value === 'function', 'expected a function'));

export const optionsSchema = z.strictObject({
  url: z.string(),
  ...deliveryShape,
  headers: z.optional(
    z.record(
      z.string(),
      z.custom<HeaderValue>(
        (value) => typeof value === 'string' || typeof value === 'function',
        'expected a text, or a function that gives one',
      ),
    ),
  ),
  secret: z.optional(z.unknown()),
  maxResponseBytes: z.optional(z.int().check(z.minimum(1))),
  lookup: aFunction<LookupFunction>(),
  now: aFunction<() => number>(),
});
