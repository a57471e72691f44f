/**
 * The state of a queue as gauges, for OpenTelemetry and Prometheus. What is not known is left out: 0 would say that all
 * is well.
 */
export interface GaugeValues {
  /** Records that wait for an attempt, now or later. */
  readonly waiting?: number | undefined;
  /** Seconds for which the record has been due that has been due for longest; 0 if none is due. */
  readonly oldestDueAge?: number | undefined;
  /** Seconds for which records have failed without recovery; 0: they have recovered lately. */
  readonly failing?: number | undefined;
  /** Records that were given up, and are still in the index. */
  readonly dead?: number | undefined;
  /** The number of waiting records that have failed, about. */
  readonly inRetry?: number | undefined;
  /** 1 while an operator has paused it, otherwise 0. */
  readonly paused?: 0 | 1 | undefined;
  /** Seconds since its records were counted. */
  readonly readingAge?: number | undefined;
}

/** Gauges of one queue, with the attributes that tell it from others. */
export interface QueueGaugeValues {
  /** Name of the table of records. */
  readonly table: string;
  /** Name of the queue. */
  readonly queue: string;
  /** Its gauges. */
  readonly values: GaugeValues;
}

/** A gauge by the conventions of OpenTelemetry. */
export interface GaugeDefinition {
  /** Its name. */
  readonly name: string;
  /** Unit by UCUM; missing for a state of 0 or 1. */
  readonly unit?: '{record}' | 's' | undefined;
  /** Its meaning, for people. */
  readonly description: string;
}

/** All gauges. Each has the attributes `table` and `queue`. */
export const QUEUE_GAUGES: Readonly<Record<keyof GaugeValues, GaugeDefinition>> = {
  waiting: {
    name: 'backlog.records.waiting',
    unit: '{record}',
    description: 'Records that wait for an attempt, now or later',
  },
  inRetry: {
    name: 'backlog.records.in_retry',
    unit: '{record}',
    description: 'Waiting records that have failed, estimated from samples',
  },
  dead: {
    name: 'backlog.records.dead',
    unit: '{record}',
    description: 'Records that were given up and are still in the table',
  },
  oldestDueAge: {
    name: 'backlog.oldest_due.age',
    unit: 's',
    description: 'Lateness of the record that has been due for longest; 0: none is due',
  },
  failing: {
    name: 'backlog.failing.duration',
    unit: 's',
    description: 'Time for which records have failed without recovery; 0: they have recovered lately',
  },
  paused: { name: 'backlog.queue.paused', description: '1: an operator has paused the queue' },
  readingAge: {
    name: 'backlog.reading.age',
    unit: 's',
    description: 'Time since the records of the queue were counted',
  },
};

/** The fields of `QUEUE_GAUGES`. */
export const GAUGE_FIELDS = Object.keys(QUEUE_GAUGES) as readonly (keyof GaugeValues)[];
