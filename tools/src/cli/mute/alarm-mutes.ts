import { ConfigurationError } from 'dynamo-backlog';
import type { Clock } from 'dynamo-backlog/engine';
import { NAMESPACE, ownAlarm } from '../../cloudwatch/own-alarm.js';
import { askCloudWatch, type CloudWatch, type MetricAlarm, nameInMetrics } from '../cloudwatch/ask.js';
import { type FoundMute, readMute } from '../cloudwatch/read-mute.js';
import type { Target } from '../connect.js';
import { counted, printable } from '../output.js';
import {
  endOf,
  MAX_ALARMS_IN_RULE,
  type Mute,
  type MuteOptions,
  muteNote,
  ruleName,
  scheduleOf,
} from './rule.js';

/**
 * The metrics of a queue that the construct makes alarms of: `Lag`, `Failures`, `Dead`, `Depth`, `DepthPerKey`,
 * `Pending`, `Held` and `UnknownTask`.
 */
const METRICS = [
  'OldestDueAge',
  'FailingSeconds',
  'Dead',
  'Waiting',
  'KeyWaiting',
  'OldestPending',
  'OldestHeldAge',
  'UnknownTask',
];
type MuteTarget = Pick<Target, 'table' | 'clock' | 'local' | 'endpoint'>;

/** A mute that has begun. */
export interface Muted extends Mute {
  readonly alarms: readonly string[];
}

/** The reason why a backlog has no alarms to mute. Undefined: they are in CloudWatch. */
export function muteRefusal({ local, endpoint }: Pick<Target, 'local' | 'endpoint'>): string | undefined {
  if (local) return 'alarms of a local runtime notify no operator: there is nothing to mute';
  if (endpoint === undefined) return undefined;
  return `alarms are in CloudWatch, not at ${endpoint}: name the tables or the stack without --endpoint`;
}

/**
 * Mutes the alarms of a queue by a rule of CloudWatch, one for each queue: alarms go on to change their state, and their actions
 * are left out until the rule ends. The SDK is loaded, and asked, only when a method is called.
 */
export class AlarmMutes {
  private readonly table: string;
  private readonly clock: Clock;

  constructor(private readonly target: MuteTarget) {
    this.table = nameInMetrics(target.table);
    this.clock = target.clock;
  }

  /** Name of the rule of a queue. */
  ruleOf(queue: string): string {
    return ruleName(this.table, queue);
  }

  /** Undefined: there is no rule for the queue. */
  async read(queue: string): Promise<Mute | undefined> {
    return this.ask((cloudWatch) => this.readRule(queue, cloudWatch));
  }

  /**
   * Mutes all alarms of a queue, in place of an earlier mute.
   *
   * @throws ConfigurationError for a queue without alarms, or if CloudWatch refuses
   */
  async mute(queue: string, { until, reason, by }: MuteOptions): Promise<Muted> {
    const schedule = scheduleOf(this.clock.now(), until);
    const note = muteNote({ by, reason });
    return this.ask(async (cloudWatch) => {
      const { client, sdk } = cloudWatch;
      const alarms = await this.alarmsOf(queue, cloudWatch);
      await client.send(
        new sdk.PutAlarmMuteRuleCommand({
          Name: this.ruleOf(queue),
          Description: note,
          Rule: { Schedule: schedule },
          MuteTargets: { AlarmNames: alarms },
        }),
      );
      // The rule is there, whatever becomes of this question.
      const made = await this.readRule(queue, cloudWatch).catch(() => undefined);
      if (made?.isOver) {
        throw new ConfigurationError(
          'CloudWatch says that the time of the rule is over: compare the clock of this machine',
        );
      }
      return { until: endOf(schedule), note, isOver: false, alarms };
    });
  }

  /** Removes the rule of a queue. Undefined: there was none. */
  async unmute(queue: string): Promise<Mute | undefined> {
    return this.ask(async (cloudWatch) => {
      const found = await this.readRule(queue, cloudWatch);
      if (!found) return undefined;
      const { client, sdk } = cloudWatch;
      await client.send(new sdk.DeleteAlarmMuteRuleCommand({ AlarmMuteRuleName: this.ruleOf(queue) }));
      return found;
    });
  }

  private readRule(queue: string, cloudWatch: CloudWatch): Promise<FoundMute | undefined> {
    return readMute(cloudWatch, { name: this.ruleOf(queue), now: this.clock.now() });
  }

  /**
   * The names of a queue's alarms, by their metrics: of five requests each answers with the alarms of one.
   *
   * @throws ConfigurationError if there are none: a rule without targets would mute all alarms of the account
   */
  private async alarmsOf(queue: string, { client, sdk }: CloudWatch): Promise<string[]> {
    const dimensions = [
      { Name: 'Table', Value: this.table },
      { Name: 'Queue', Value: queue },
    ];
    const alarms: MetricAlarm[] = [];
    // One after another: a right that is missing is asked once, and no request outlives the refusal of another.
    for (const MetricName of METRICS) {
      const request = { Namespace: NAMESPACE, MetricName, Dimensions: dimensions };
      const { MetricAlarms = [] } = await client.send(new sdk.DescribeAlarmsForMetricCommand(request));
      alarms.push(...MetricAlarms);
    }
    const names = new Set(
      alarms.flatMap(({ AlarmName, AlarmDescription }) =>
        AlarmName && ownAlarm(AlarmDescription) ? [AlarmName] : [],
      ),
    );
    if (names.size > 0 && names.size <= MAX_ALARMS_IN_RULE) return [...names].sort();
    throw new ConfigurationError(
      names.size === 0
        ? `the queue ${printable(queue)} has no alarms of its own in CloudWatch (with alarms: 'essential' one alarm is for all queues)`
        : `the queue ${printable(queue)} has ${counted(names.size, 'alarm')}: a rule mutes ${MAX_ALARMS_IN_RULE} at most`,
    );
  }

  private async ask<Answer>(work: (cloudWatch: CloudWatch) => Promise<Answer>): Promise<Answer> {
    const refusal = muteRefusal(this.target);
    if (refusal !== undefined) throw new ConfigurationError(refusal);
    return askCloudWatch('mutes', work);
  }
}
