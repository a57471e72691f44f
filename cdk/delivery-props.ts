import type { Duration } from 'aws-cdk-lib';
import type { ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IStringParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Answers } from '../src/delivery/settings.js';

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
  /** Of Secrets Manager, or a parameter of the Parameter Store. */
  readonly secret: AnySecret;
  /** The name of the field. */
  readonly field: string;
}

/** The value of a header that ends with a secret. */
export interface HeaderSecret {
  /** Of Secrets Manager, or a parameter of the Parameter Store. */
  readonly secret: AnySecret;

  /**
   * The field of a secret that is a JSON object.
   *
   * @default - all of the secret
   */
  readonly field?: string | undefined;

  /**
   * Such as `"Bearer "`.
   *
   * @default - nothing
   */
  readonly prefix?: string | undefined;
}

/** A delivery by HTTP. */
export interface DeliveryProps {
  /** `https`, or `http` to this machine. Readable in the function's configuration: put no secret in it. */
  readonly url: string;

  /**
   * What a payload is sent by.
   *
   * @default 'POST'
   */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | undefined;

  /**
   * Headers beside those that the delivery sets by itself. What gives access comes from a secret: the function reads
   * it, and nobody else, five minutes at a time.
   *
   * @default - none
   */
  readonly headers?: Readonly<Record<string, string | AnySecret | HeaderSecret>> | undefined;

  /**
   * Signs each delivery by Standard Webhooks: a secret of Secrets Manager (its current version and the one before sign
   * both) or a parameter of the Parameter Store, with `whsec_` and base64, or any text, of 16 bytes or more in it.
   *
   * @default - no signature
   */
  readonly secret?: AnySecret | SecretField | undefined;

  /**
   * Answers that are not to be taken as usual: a status, or all of a class such as `"4xx"`. A status comes before its
   * class, and what is in no list means what it always does.
   *
   * @default - 2xx is success; 408, 425, 429 and 5xx are tried again; others are dead
   */
  readonly answers?: Answers | undefined;

  /**
   * Time for connecting and the answer's headers; no more than the attempt's.
   *
   * @default - the attempt's time alone
   */
  readonly timeout?: Duration | undefined;

  /**
   * What may be delivered to beside public addresses: `true` for private networks (RFC 1918, 100.64.0.0/10,
   * fc00::/7), or a list such as `["10.1.0.0/16"]`, which alone can allow others. The address that a name leads to is
   * checked when a connection is made. The local runtime allows this machine.
   *
   * @default false
   */
  readonly allowPrivateAddresses?: boolean | readonly string[] | undefined;
}
