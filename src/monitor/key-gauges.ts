import type { GaugeDefinition } from './queue-gauges.js';

/** Gauges of one key of a queue, with the attributes that tell it from others. */
export interface KeyGaugeValues {
  /** Name of the table of records. */
  readonly table: string;
  /** Name of the queue. */
  readonly queue: string;
  /** The key. */
  readonly key: string;
  /** Its gauges. */
  readonly values: {
    /** Records that wait for an attempt, now or later. */
    readonly waiting: number;
    /** Waiting records that have failed. */
    readonly inRetry: number;
  };
}

/** Gauges of the keys with most waiting records. Each has the attributes `table`, `queue` and `key`. */
export const KEY_GAUGES: Readonly<Record<keyof KeyGaugeValues['values'], GaugeDefinition>> = {
  waiting: {
    name: 'backlog.key.records.waiting',
    unit: '{record}',
    description: 'Records of a key that wait for an attempt, now or later, estimated from a sample',
  },
  inRetry: {
    name: 'backlog.key.records.in_retry',
    unit: '{record}',
    description: 'Waiting records of a key that have failed, estimated from a sample',
  },
};
