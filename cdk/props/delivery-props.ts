import type { Duration } from 'aws-cdk-lib';
import type { ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IStringParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Answers, DeliveryBatch } from '../../src/delivery/settings.js';

/**
 * The classes as well: under `exactOptionalPropertyTypes` they may not fit the CDK's own interfaces.
 *
 * @inline
 */
type AnySecret = ISecret | Secret | IStringParameter | StringParameter;

/**
 * One field of a secret that is a JSON object.
 *
 * @inline
 */
export interface SecretField {
  /** A secret of Secrets Manager, or a parameter of the Parameter Store. */
  readonly secret: AnySecret;
  /** The name of the field. */
  readonly field: string;
}

/** The value of a header that ends with a secret. */
export interface HeaderSecret {
  /** A secret of Secrets Manager, or a parameter of the Parameter Store. */
  readonly secret: AnySecret;

  /**
   * The field of a secret that is a JSON object.
   *
   * @default - all of the secret
   */
  readonly field?: string | undefined;

  /**
   * The text before the secret, such as `"Bearer "`.
   *
   * @default - nothing
   */
  readonly prefix?: string | undefined;
}

/** A delivery by HTTP. */
export interface DeliveryProps {
  /** The URL: `https`, or `http` to this machine. Readable in the function's configuration: put no secret in it. */
  readonly url: string;

  /**
   * The HTTP method that sends a payload.
   *
   * @default 'POST'
   */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | undefined;

  /**
   * Headers beside those of the delivery and of the connection, one line of visible ASCII each. Those that give access
   * (`Authorization`, `Cookie`, `X-Api-Key`, ...) come from a secret.
   *
   * Only the function reads a secret, and keeps it for five minutes.
   *
   * @default - none
   */
  readonly headers?: Readonly<Record<string, string | AnySecret | HeaderSecret>> | undefined;

  /**
   * The key that signs each delivery by Standard Webhooks, in Secrets Manager or the Parameter Store.
   *
   * It holds `whsec_` and base64, or any text, of 16 bytes or more. The current version of a secret and the one before both
   * sign.
   *
   * @default - no signature
   */
  readonly secret?: AnySecret | SecretField | undefined;

  /**
   * Lists `success`, `notReady`, `retry` and `dead` of answers that do not have their usual meaning: a status, or a class such
   * as `"4xx"`. A status comes before its class. Redirects are never followed.
   *
   * Answers of the list `notReady` say "not yet", whatever `Retry-After` they have: the record waits as its policy says, and
   * that is no failure.
   *
   * @default - 2xx is success; 408, 425, 429 and 5xx are tried again; others are dead
   */
  readonly answers?: Answers | undefined;

  /**
   * Time for connecting and the answer's headers; at most the time of the attempt.
   *
   * @default - the attempt's time alone
   */
  readonly requestTimeout?: Duration | undefined;

  /**
   * Several records in one request, whose answer has a result for each.
   *
   * A run sends no more records at once than the queue's `concurrency`.
   *
   * @default - one record a request
   */
  readonly batch?: DeliveryBatch<Duration> | undefined;

  /**
   * Addresses that may be delivered to, in addition to public ones: `true` for private networks, or a list such as
   * `["10.1.0.0/16"]`.
   *
   * Private networks are those of RFC 1918, 100.64.0.0/10 and fc00::/7. Only a list can allow other special addresses. The
   * address that a name leads to is checked when a connection is made. The local runtime allows this machine.
   *
   * @default false
   */
  readonly allowPrivateAddresses?: boolean | readonly string[] | undefined;
}
