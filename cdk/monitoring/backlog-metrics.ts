import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { QUEUE_PATTERN } from '../../src/record/index.js';
import { isKey, KEY_FORM } from '../../src/record/key.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import {
  type KeyMetricName,
  keyMetric,
  type MetricName,
  queueMetric,
  type TableMetricName,
  tableMetric,
} from './metrics.js';

/** The metrics of a backlog, by CDK's conventions. A metric that is zero is not written: it has no data then. */
export abstract class BacklogMetrics extends Construct {
  abstract readonly table: ITable;
  abstract readonly intake: IFunction | undefined;

  /** The names of its queues. Undefined: they are not known here. */
  protected abstract queueNames(): readonly string[] | undefined;

  /** Attempts that were made. Default: their sum over five minutes. */
  metricAttempted(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Attempted', queue, options);
  }

  /** Records that succeeded. Default: their sum over five minutes. */
  metricSucceeded(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Succeeded', queue, options);
  }

  /** Attempts that failed and will be repeated. Default: their sum over five minutes. */
  metricFailed(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Failed', queue, options);
  }

  /** Records that were given up, of a queue or (undefined) of all. Default: their sum over five minutes. */
  metricDead(queue?: string, options?: MetricOptions): Metric {
    return queue === undefined ? this.ofTable('Dead', options) : this.ofQueue('Dead', queue, options);
  }

  /** Attempts that a `Snooze` put off. Default: their sum over five minutes. */
  metricSnoozed(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Snoozed', queue, options);
  }

  /** Attempts that ended as `Pending`: their end comes from outside. Default: their sum over five minutes. */
  metricPending(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Pending', queue, options);
  }

  /** Records that a `Cancel` ended. Default: their sum over five minutes. */
  metricCancelled(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Cancelled', queue, options);
  }

  /** Records that were not attempted, as the handler does not know their task. Default: their sum over five minutes. */
  metricUnknownTask(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('UnknownTask', queue, options);
  }

  /** Attempts ahead of their time, while records fail. Default: their sum over five minutes. */
  metricProbes(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Probes', queue, options);
  }

  /** Runs of slower tiers that were missed or cut short, and made up for. Default: their sum over five minutes. */
  metricCaughtUp(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('CaughtUp', queue, options);
  }

  /** The delay from due time to attempt, in seconds. Default: the maximum over five minutes. */
  metricLag(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('LagSeconds', queue, options);
  }

  /**
   * The time for which the oldest due record has been due, in seconds, attempted or not: of a queue, or (undefined) of
   * all. Read every five minutes. Default: the maximum over five minutes.
   */
  metricOldestDueAge(queue?: string, options?: MetricOptions): Metric {
    return queue === undefined
      ? this.ofTable('OldestDueAge', options)
      : this.ofQueue('OldestDueAge', queue, options);
  }

  /**
   * The longest time, in seconds, for which a record of a queue has waited for its end from outside. Read every five minutes, of queues with
   * the alarm `pending`. Default: the maximum over five minutes.
   */
  metricOldestPending(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('OldestPending', queue, options);
  }

  /**
   * The longest time, in seconds, for which the line of a key has been held until an operator acts. Read every five minutes, of queues with
   * `order`. Default: the maximum over five minutes.
   */
  metricOldestHeldAge(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('OldestHeldAge', queue, options);
  }

  /** Records that wait for an attempt, now or later. Read every five minutes. Default: the maximum over five minutes. */
  metricWaiting(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Waiting', queue, options);
  }

  /** Records that are due. Read every five minutes; not known of a progressive queue. Default: the maximum over five minutes. */
  metricDue(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('Due', queue, options);
  }

  /** Records that wait and have failed before, about. Read every five minutes. Default: the maximum over five minutes. */
  metricInRetry(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('InRetry', queue, options);
  }

  /** Records that were given up, and are still in the table. Read every five minutes. Default: the maximum over five minutes. */
  metricDeadRecords(queue: string, options?: MetricOptions): Metric {
    return this.ofQueue('DeadRecords', queue, options);
  }

  /**
   * Records of one key that wait: of this key, or (undefined) of the key with most of them. Read every five minutes from a sample, with
   * `metricsPerKey`. A key has data while it is among the five with most. Default: the maximum over five minutes.
   */
  metricKeyWaiting(queue: string, key?: string, options?: MetricOptions): Metric {
    return this.ofKey('KeyWaiting', { queue, key }, options);
  }

  /** Records of one key that wait and have failed before, in the same way. Default: the maximum over five minutes. */
  metricKeyInRetry(queue: string, key?: string, options?: MetricOptions): Metric {
    return this.ofKey('KeyInRetry', { queue, key }, options);
  }

  /**
   * The time for which records have failed without recovery, in seconds: of a queue, or (undefined) of any. For an hour after the
   * recovery it is 0, then there is no data. Default: the maximum over five minutes.
   */
  metricFailing(queue?: string, options?: MetricOptions): Metric {
    return queue === undefined
      ? this.ofTable('FailingSeconds', options)
      : this.ofQueue('FailingSeconds', queue, options);
  }

  /** Records that the intake indexed. Default: their sum over five minutes. */
  metricIndexed(options?: MetricOptions): Metric {
    return this.ofTable('Indexed', options);
  }

  /** Records with an invalid attribute, which got its default, or without a payload. Default: their sum over five minutes. */
  metricRepaired(options?: MetricOptions): Metric {
    return this.ofTable('Repaired', options);
  }

  /** Records that name a queue that no rule serves. Default: their sum over five minutes. */
  metricUnknownQueue(options?: MetricOptions): Metric {
    return this.ofTable('UnknownQueue', options);
  }

  /** Records that were quarantined, or that DynamoDB takes no change of. Default: their sum over five minutes. */
  metricRefused(options?: MetricOptions): Metric {
    return this.ofTable('Refused', options);
  }

  /** Records of runs on arrival that failed or were lost. Default: their sum over five minutes. */
  metricRedelivered(options?: MetricOptions): Metric {
    return this.ofTable('Redelivered', options);
  }

  /** Records that no event had reached: the sweep found them. Default: their sum over five minutes. */
  metricNotIndexed(options?: MetricOptions): Metric {
    return this.ofTable('NotIndexed', options);
  }

  /** Records that the intake could not handle, and that come again. Default: their sum over five minutes. */
  metricUnprocessed(options?: MetricOptions): Metric {
    return this.ofTable('Unprocessed', options);
  }

  /** Event source mappings of the intake that do not work. Read every five minutes. Default: the maximum over five minutes. */
  metricSourcesStopped(options?: MetricOptions): Metric {
    return this.ofTable('SourcesStopped', options);
  }

  /** Records that wait in queues which no function serves any more. Read every five minutes. Default: the maximum over five minutes. */
  metricRemovedQueueWaiting(options?: MetricOptions): Metric {
    return this.ofTable('RemovedQueueWaiting', options);
  }

  /**
   * The time since the record was put that the intake is handed now, in milliseconds. Default: the maximum over five
   * minutes. Undefined: there is no intake.
   */
  metricIntakeAge(options?: MetricOptions): Metric | undefined {
    return this.intake?.metric('IteratorAge', { statistic: 'Maximum', ...options });
  }

  private ofTable(name: TableMetricName, options?: MetricOptions): Metric {
    return tableMetric(this.table.tableName, name, options);
  }

  private ofKey(
    name: KeyMetricName,
    { queue, key }: { readonly queue: string; readonly key: string | undefined },
    options?: MetricOptions,
  ): Metric {
    this.checkQueue(queue);
    if (key === undefined) return queueMetric(this.table.tableName, queue, name, options);
    if (!isKey(key)) throw new ConfigurationError(`key: expected ${KEY_FORM}, got ${show(key)}`);
    return keyMetric(this.table.tableName, { queue, key }, name, options);
  }

  private ofQueue(name: MetricName, queue: string, options?: MetricOptions): Metric {
    this.checkQueue(queue);
    return queueMetric(this.table.tableName, queue, name, options);
  }

  private checkQueue(queue: string): void {
    const known = this.queueNames();
    if (!(known ? known.includes(queue) : QUEUE_PATTERN.test(queue))) {
      const expected = known ? `one of ${known.map(show).join(', ')}` : 'the name of a queue';
      throw new ConfigurationError(`queue: expected ${expected}, got ${show(queue)}`);
    }
  }
}
