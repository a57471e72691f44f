import { Annotations, Aws, CfnMapping, CfnOutput, Stack, type StackProps, Token } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import { Backlog } from '../backlog.js';
import type { BacklogProps } from '../props/backlog-props.js';
import type { QueueProps } from '../props/queue-props.js';

export interface BacklogStackProps extends StackProps {
  /**
   * Destination of both queues: an `https` URL, or `http` to this machine; or an object with more, as the prop of a queue.
   *
   * @default - nowhere: the rules (or schedules) are disabled, and an output says so
   */
  readonly deliverTo?: QueueProps['deliverTo'];

  /**
   * The trigger of the runs: EventBridge `'rules'`, or schedules of EventBridge `'scheduler'`.
   *
   * @default 'rules'
   */
  readonly trigger?: BacklogProps['trigger'];

  /**
   * Other defaults of the Backlog: no dashboard and no composite alarm, and only the essential alarms and metrics.
   *
   * @default false
   */
  readonly minimal?: boolean | undefined;
}

/** The deployable app: one queue of each kind, delivered by HTTP. */
export class BacklogStack extends Stack {
  readonly backlog: Backlog;

  constructor(
    scope: Construct,
    id: string,
    { deliverTo, trigger, minimal, ...props }: BacklogStackProps = {},
  ) {
    super(scope, id, { description: 'A backlog on DynamoDB, retried less and less often', ...props });
    const delivery: Pick<QueueProps, 'deliverTo' | 'enabled'> =
      deliverTo === undefined ? { enabled: false } : { deliverTo };

    this.backlog = new Backlog(this, 'Backlog', {
      trigger,
      minimal,
      queues: {
        default: { retry: { type: 'fibonacci' }, ...delivery },
        bulk: { progressive: true, ...delivery },
      },
    });
    // It has no address of an operator. An app of one's own is warned.
    const reason = 'the alarms of this app are looked at in the console of AWS';
    Annotations.of(this.backlog).acknowledgeWarning('dynamo-backlog:no-alarm-actions', reason);
    this.addOutputs();
  }

  private addOutputs(): void {
    const { table, controlTable, eventDlq, scheduleDeadLetters, dashboard, disabledQueues } = this.backlog;
    const console = `https://${consoleHost(this)}`;
    const output = (id: string, value: string, description: string) =>
      new CfnOutput(this, id, { value, description });

    output('TableName', table.tableName, 'Where records go: PutItem { id, status: "NEW", payload } is all');
    output('ControlTableName', controlTable.tableName, 'Leases and the state of the queues');
    output('EventDlqUrl', eventDlq.queueUrl, 'Events that no run took or finished');
    if (scheduleDeadLetters) {
      output(
        'ScheduleDeadLettersUrl',
        scheduleDeadLetters.queueUrl,
        'Events that EventBridge Scheduler could not deliver',
      );
    }
    output(
      'RecordsUrl',
      `${console}/dynamodbv2/home?region=${this.region}#item-explorer?table=${table.tableName}`,
      'The records in the AWS console',
    );
    if (dashboard) {
      output(
        'DashboardUrl',
        `${console}/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboard.dashboardName}`,
        'How the queues are doing',
      );
    }
    if (disabledQueues.length > 0) {
      output(
        'RulesDisabled',
        'No deliverTo was given: deploy again with -c deliverTo=https://...',
        `Nothing is attempted: the ${scheduleDeadLetters ? 'schedules' : 'rules'} of ${disabledQueues.join(' and ')} are disabled`,
      );
    }
  }
}

/** The AWS console by partition. */
const CONSOLES: Readonly<Record<string, string>> = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

/** Host of the AWS console. A stack without a region asks CloudFormation for its partition. */
function consoleHost(stack: Stack): string {
  const { region } = stack;
  if (!Token.isUnresolved(region)) {
    const partition = RegionInfo.get(region).partition ?? 'aws';
    return CONSOLES[partition] ?? CONSOLES.aws ?? '';
  }
  const mapping = Object.fromEntries(Object.entries(CONSOLES).map(([name, host]) => [name, { host }]));
  return new CfnMapping(stack, 'Console', { mapping }).findInMap(Aws.PARTITION, 'host');
}

/**
 * Reads the app's context key `trigger`.
 *
 * @throws ConfigurationError if it is none
 */
export function readTrigger(value: unknown): BacklogProps['trigger'] {
  if (value === undefined || value === null) return undefined;
  if (value === 'rules' || value === 'scheduler') return value;
  throw new ConfigurationError(`trigger: expected "rules" or "scheduler", got ${show(value)}`);
}

/**
 * Reads the app's context key `deliverTo`: a text from the command line, or an object from `cdk.json`.
 *
 * @throws ConfigurationError if it is neither; what is in it is checked with the queues
 */
export function readDeliverTo(value: unknown): QueueProps['deliverTo'] {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'object') return value as QueueProps['deliverTo'];
  throw new ConfigurationError(`deliverTo: expected a URL such as https://example.com, got ${show(value)}`);
}

/**
 * Reads the app's context key `minimal`: a text from the command line, a boolean from `cdk.json`.
 *
 * @throws ConfigurationError if it is none
 */
export function readMinimal(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new ConfigurationError(`minimal: expected true or false, got ${show(value)}`);
}
