import { InvalidArgumentError } from 'commander';
import { ConfigurationError, type Status } from 'dynamo-backlog';
import {
  type Bounds,
  isRegion,
  parseDeliveryUrl,
  parseDuration,
  QUEUE_NAME,
  QUEUE_PATTERN,
  STATUSES,
} from 'dynamo-backlog/engine';
import { pictureFormat } from '../charts/write-picture.js';
import { localEndpoint } from '../local/database/local-endpoint.js';
import { SPEEDS } from '../local/speed.js';
import { MAX_RECORDS } from './simulate-input.js';

/** Pattern of a table's name, or its ARN. */
export const TABLE_NAME = /^[\w.:/-]+$/;

const DURATION = 'Expected a duration with a unit, such as 30s, 90m, 2h or 7d.';
const OUTAGE = 'Expected FROM-TO with units, the earlier first, such as 0s-1h.';

/** Readers of flags: each says what it expects. Commander adds the flag's name and ends with a usage error. */
export const flags = {
  port: wholeNumber(0, 65_535, 'a port from 0 to 65535, 0 for any that is free'),
  limit: wholeNumber(1, 1_000_000_000, 'a whole number from 1'),
  attempts: wholeNumber(1, 10_000, 'a whole number from 1 to 10000'),
  seed: wholeNumber(0, 2 ** 32 - 1, 'a whole number from 0 to 4294967295'),

  records: wholeNumber(1, MAX_RECORDS, `a whole number from 1 to ${MAX_RECORDS}`),
  concurrency: wholeNumber(1, 1000, 'a whole number from 1 to 1000'),
  queueCount: wholeNumber(1, 1000, 'a whole number from 1 to 1000'),
  memory: wholeNumber(128, 10_240, 'whole megabytes from 128 to 10240'),
  tick: (text: string): number =>
    lengthOf(text, { least: 1, most: 86_400, expected: 'Expected a duration from 1s to 1d.' }) / 1000,
  /** An attempt of 30 s is stopped by its own limit. */
  attemptMs: wholeNumber(0, 29_999, 'whole milliseconds from 0 to 29999'),
  probe: wholeNumber(1, 5, 'a whole number from 1 to 5'),
  rate: decimal(0.001, 100_000, 'a number from 0.001 to 100000'),
  share: decimal(0, 1, 'a share from 0 to 1, such as 0.05'),
  scale: decimal(0.001, 1, 'a part from 0.001 to 1, such as 0.1'),
  keyCount: wholeNumber(1, 10_000, 'a whole number from 1 to 10000'),

  /** A number, which the option's own schema checks. Another text stays as it is. */
  unchecked: (text: string): number | string => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),

  segments: wholeNumber(1, 64, 'a whole number from 1 to 64'),

  /** `0s-1h`, in milliseconds. */
  outage(text: string): { readonly fromMs: number; readonly toMs: number } {
    const [fromMs = 0, toMs = 0, ...rest] = text.split('-').map((one) => lengthOf(one, { expected: OUTAGE }));
    if (fromMs < toMs && rest.length === 0) return { fromMs, toMs };
    throw new InvalidArgumentError(OUTAGE);
  },

  /** A flag that may come again. */
  repeated: (text: string, before: readonly string[] = []): readonly string[] => [...before, text],

  speed: decimal(SPEEDS.least, SPEEDS.most, `a number from ${SPEEDS.least} to ${SPEEDS.most}`),

  /** Reads a duration, in milliseconds. */
  duration: (text: string): number => lengthOf(text, { above: 0 }),

  /** Reads a duration from 1s to 1h, in milliseconds. */
  interval: (text: string): number =>
    lengthOf(text, { least: 1, most: 3_600, expected: 'Expected a duration from 1s to 1h.' }),

  /** Reads a duration up to 24h, in milliseconds. */
  attemptTimeout: (text: string): number =>
    lengthOf(text, { above: 0, most: 86_400, expected: 'Expected a duration up to 24h, such as 30m.' }),

  /** Reads a duration from 0s to 1h, in milliseconds. */
  grace: (text: string): number =>
    lengthOf(text, { most: 3_600, expected: 'Expected a duration from 0s to 1h, such as 20s.' }),

  /** Reads a duration, in seconds, or `forever`. */
  retention(text: string): number | 'forever' {
    return text === 'forever'
      ? text
      : lengthOf(text, { expected: 'Expected a duration such as 30d, or "forever".' }) / 1000;
  },

  /** Reads a duration, in seconds. */
  retained: (text: string): number => lengthOf(text, { above: 0 }) / 1000,

  status(text: string): Status {
    const status = STATUSES.find((known) => known === text.toUpperCase());
    if (status) return status;
    throw new InvalidArgumentError(`Expected one of ${STATUSES.join(', ')}.`);
  },

  /** The app's own check, before the app is synthesized. */
  deliveryUrl(text: string): string {
    try {
      return parseDeliveryUrl(text, 'URL');
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new InvalidArgumentError(`${error.message}.`);
    }
  },

  localEndpoint(text: string): string {
    try {
      return localEndpoint(text);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/^--dynamodb-endpoint: e/, 'E')}.`);
    }
  },

  tableNames(text: string): readonly string[] {
    const tables = text.split(',').map((name) => name.trim());
    if (tables.every((name) => TABLE_NAME.test(name))) return tables;
    throw new InvalidArgumentError('Expected names of tables such as Backlog-Control.');
  },

  queue(text: string): string {
    if (QUEUE_PATTERN.test(text)) return text;
    throw new InvalidArgumentError(`Expected the name of a queue: ${QUEUE_NAME}.`);
  },

  queues(text: string): readonly string[] {
    const names = text.split(',').map((name) => name.trim());
    if (names.every((name) => QUEUE_PATTERN.test(name))) return names;
    throw new InvalidArgumentError(`Expected names of queues such as orders,bulk (${QUEUE_NAME}).`);
  },

  picture(file: string): string {
    if (pictureFormat(file)) return file;
    throw new InvalidArgumentError('Expected a file that ends in .svg, .html or .png.');
  },

  region(text: string): string {
    if (isRegion(text)) return text;
    throw new InvalidArgumentError('Expected the name of a region, such as eu-west-1.');
  },

  endpoint(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return text;
    throw new InvalidArgumentError('Expected a URL such as http://127.0.0.1:8000.');
  },
};

function decimal(min: number, max: number, expected: string) {
  return (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** Reads a duration, in milliseconds. It needs a unit: `--older-than 90` could be meant as days. */
function lengthOf(text: string, { expected = DURATION, ...bounds }: Bounds & { expected?: string }): number {
  try {
    return parseDuration(text, 'duration', bounds) * 1000;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new InvalidArgumentError(expected);
  }
}

function wholeNumber(min: number, max: number, expected: string) {
  return (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}
