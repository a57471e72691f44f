import type { AlarmOn } from 'dynamo-backlog/overview';
import type { AlarmSource } from '../../alarms/alarm-source.js';
import { ownAlarm, watchedBy } from '../../cloudwatch/own-alarm.js';
import type { Target } from '../connect.js';
import { muteRefusal } from '../mute/alarm-mutes.js';
import { ruleName } from '../mute/rule.js';
import { askCloudWatch, type CloudWatch, isDenied, type MetricAlarm, nameInMetrics } from './ask.js';
import { readMute } from './read-mute.js';

type ReaderTarget = Pick<Target, 'table' | 'clock' | 'local' | 'endpoint'>;

/** Real time between two readings. */
const EVERY_MS = 30_000;
/** A reading says nothing about now after this time, in which others should have come. */
const VALID_MS = 4 * EVERY_MS;
/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html */
const PAGE_SIZE = 100;
/** Most pages of one reading: in an outage of a whole account thousands of alarms may be on. */
const MAX_PAGES = 10;
/** Queues whose mutes are asked for in one reading. */
const MAX_MUTES = 10;

/** The alarms of a backlog as a source. Undefined: they are not in CloudWatch. */
export function alarmsInAws(target: ReaderTarget): AlarmSource | undefined {
  return muteRefusal(target) === undefined ? new AlarmReader(target) : undefined;
}

/** Reads the alarms of a backlog that are on from CloudWatch, at most every 30 seconds, and one reading at a time. */
class AlarmReader implements AlarmSource {
  private latest: { readonly at: number; readonly on: readonly AlarmOn[] } | undefined;
  private failure: string | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;
  private readonly end = new AbortController();
  private readonly table: string;

  constructor(private readonly target: ReaderTarget) {
    this.table = nameInMetrics(target.table);
  }

  get on(): readonly AlarmOn[] | undefined {
    if (!this.latest || this.target.clock.wall() - this.latest.at > VALID_MS) return undefined;
    return this.latest.on;
  }

  get reason(): string | undefined {
    return this.failure;
  }

  refresh(): Promise<void> {
    const now = this.target.clock.wall();
    if (this.reading === undefined && now - this.askedAt >= EVERY_MS) {
      this.askedAt = now;
      this.reading = this.read(now).finally(() => {
        this.reading = undefined;
      });
    }
    return this.reading ?? Promise.resolve();
  }

  forget(): void {
    this.askedAt = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.end.abort();
  }

  private async read(at: number): Promise<void> {
    try {
      refuseOtherPlace();
      const on = await askCloudWatch('alarms', async (cloudWatch) =>
        this.withMutes(await this.readOn(cloudWatch), cloudWatch),
      );
      this.latest = { at, on };
      this.failure = undefined;
    } catch (error) {
      this.latest = undefined;
      this.failure = reasonOf(error);
    }
  }

  private async readOn({ client, sdk }: CloudWatch): Promise<AlarmOn[]> {
    const on: AlarmOn[] = [];
    let NextToken: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const request = { StateValue: 'ALARM', MaxRecords: PAGE_SIZE, NextToken } as const;
      const answer = await client.send(new sdk.DescribeAlarmsCommand(request), this.options);
      on.push(...(answer.MetricAlarms ?? []).flatMap((alarm) => this.own(alarm) ?? []));
      NextToken = answer.NextToken;
      if (NextToken === undefined) return on;
    }
    throw new Error(`more than ${MAX_PAGES * PAGE_SIZE} alarms of the account are on`);
  }

  /** The alarm, if the construct made it for this table. */
  private own(alarm: MetricAlarm): AlarmOn | undefined {
    const own = ownAlarm(alarm.AlarmDescription);
    const { table, queue } = watchedBy(metricsOf(alarm));
    const { AlarmName: name, StateTransitionedTimestamp: since = alarm.StateUpdatedTimestamp } = alarm;
    if (!own || table !== this.table || name === undefined || since === undefined) return undefined;
    const { level, kind } = own;
    return { id: idOf(name, kind, queue), name, level, queue, since: since.getTime() };
  }

  private async withMutes(alarms: readonly AlarmOn[], cloudWatch: CloudWatch): Promise<AlarmOn[]> {
    const queues = [...new Set(alarms.flatMap(({ queue }) => queue ?? []))].slice(0, MAX_MUTES);
    const muted = new Map<string, AlarmOn['muted']>();
    const { signal } = this.end;
    try {
      // One after another: a right that is missing is asked for once.
      for (const queue of queues) {
        const now = this.target.clock.now();
        const found = await readMute(cloudWatch, { name: ruleName(this.table, queue), now, signal });
        for (const name of found?.mutes ?? [])
          muted.set(name, { until: found?.until, note: found?.note ?? '' });
      }
    } catch {
      // The mutes of the other queues are not known; their alarms are on all the same.
    }
    return alarms.map((alarm) => ({ ...alarm, muted: muted.get(alarm.name) }));
  }

  private get options() {
    return { abortSignal: this.end.signal };
  }
}

/** DynamoDB Local, or an emulator of DynamoDB alone, has no alarms, and CloudWatch of AWS none of its tables. */
function refuseOtherPlace(): void {
  const { AWS_ENDPOINT_URL_DYNAMODB: dynamodb, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_CLOUDWATCH } = process.env;
  if (dynamodb && !AWS_ENDPOINT_URL && !AWS_ENDPOINT_URL_CLOUDWATCH)
    throw new Error('AWS_ENDPOINT_URL_DYNAMODB is set, and AWS_ENDPOINT_URL_CLOUDWATCH is not');
}

function metricsOf({ Namespace, MetricName, Dimensions, Metrics = [] }: MetricAlarm) {
  const all = [{ Namespace, MetricName, Dimensions }, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric)];
  return all.flatMap((metric) =>
    metric?.Namespace === undefined
      ? []
      : [
          {
            namespace: metric.Namespace,
            dimensions: Object.fromEntries(
              (metric.Dimensions ?? []).map(({ Name = '', Value = '' }) => [Name, Value]),
            ),
          },
        ],
  );
}

/** `Failures-orders`, as the docs name it: CloudFormation has made the name of the alarm longer. */
function idOf(name: string, kind: string | undefined, queue: string | undefined): string {
  if (kind === undefined) return name;
  const at = name.toLowerCase().indexOf(kind);
  const spelled = at < 0 ? kind : name.slice(at, at + kind.length);
  return queue === undefined ? spelled : `${spelled}-${queue}`;
}

function reasonOf(error: unknown): string {
  if (isDenied(error)) return 'needs cloudwatch:DescribeAlarms (docs/permissions.md#mutes)';
  return (error as Error).message;
}
