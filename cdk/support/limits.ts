import { Annotations, CfnResource, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  type CfnAlarm,
  type CfnCompositeAlarm,
  type CompositeAlarm,
  type IMetric,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_RESOURCES = 500;
/** Dollars a month: https://aws.amazon.com/cloudwatch/pricing/ */
const PER_ALARM_METRIC = 0.1;
const PER_COMPOSITE_ALARM = 0.5;
const MUCH_FOR_ALARMS = 20;
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
const MAX_STREAM_READERS = 2;

/** The parts that a Backlog has made. */
interface Made extends Construct {
  readonly table: ITable;
  readonly intake: object | undefined;
  readonly alarms: readonly Alarm[];
}

export interface Limited {
  readonly composites: readonly CompositeAlarm[];
  /** The alarms of the severity `page`. */
  readonly pages: readonly Alarm[];
  /** The Backlog has alarms for each queue, not for all of them. */
  readonly alarmsPerQueue: boolean;
}

/**
 * Limits of AWS that a stack with many queues meets at deployment only: they are checked at synthesis, when all of the app
 * is known.
 */
export function checkLimits(backlog: Made, limited: Limited, isMinimal: boolean): void {
  warnOfPrice(backlog, limited);
  backlog.node.addValidation({
    validate: () => {
      if (backlog.intake) warnOfReaders(backlog);
      if (!isMinimal) warnOfSilence(backlog, limited);
      return tooManyResources(backlog, limited);
    },
  });
}

function tooManyResources(backlog: Made, { alarmsPerQueue }: Limited): string[] {
  const { alarms } = backlog;
  const stack = Stack.of(backlog);
  const all = resourcesIn(stack, stack);
  if (all <= MAX_RESOURCES) return [];
  const own = resourcesIn(backlog, stack);
  const ways = [
    ...(alarmsPerQueue
      ? [`set "alarms": "essential", one alarm each for all queues in place of ${alarms.length} alarms`]
      : []),
    'let one "worker" serve queues that have a function each (6 resources or more)',
    'give some of the queues to Backlogs in other stacks, with "sharedBacklog"',
    ...(own < all ? [`move some of the ${all - own} other resources into another stack`] : []),
  ];
  return [
    `The Backlog makes ${own} of the ${all} resources of the stack ${stack.stackName}, and CloudFormation takes ` +
      `${MAX_RESOURCES} in a stack: ${ways.join('; or ')}`,
  ];
}

/** The number of resources in the stack's own template; nested stacks have templates of their own. */
function resourcesIn(scope: Construct, stack: Stack): number {
  return scope.node.findAll().filter((one) => CfnResource.isCfnResource(one) && one.stack === stack).length;
}

function warnOfPrice(backlog: Made, { composites, alarmsPerQueue }: Limited): void {
  const { alarms } = backlog;
  const metrics = alarms.reduce((sum, { metric }) => sum + metricsOf(metric), 0);
  const dollars = metrics * PER_ALARM_METRIC + composites.length * PER_COMPOSITE_ALARM;
  if (dollars <= MUCH_FOR_ALARMS) return;
  const way = alarmsPerQueue
    ? 'with "alarms": "essential", one alarm each watches all queues, for less than $1'
    : 'these are alarms whose thresholds the queues give';
  Annotations.of(backlog).addWarningV2(
    'dynamo-backlog:price-of-alarms',
    `The ${alarms.length} alarms of the Backlog cost $${dollars.toFixed(2)} a month ($0.10 for each metric that they read): ${way}`,
  );
}

function metricsOf(metric: IMetric): number {
  if (!(metric instanceof MathExpression)) return 1;
  return Object.values(metric.usingMetrics).reduce((sum, one) => sum + metricsOf(one), 0);
}

/** Warns of alarms without actions, at synthesis: an app may add them to `alarms` and `compositeAlarm` itself. */
function warnOfSilence(backlog: Made, { pages, composites }: Limited): void {
  const callsSomeone = ({ node }: Alarm | CompositeAlarm) => {
    const { alarmActions } = node.defaultChild as CfnAlarm | CfnCompositeAlarm;
    return Stack.of(backlog).resolve(alarmActions)?.length > 0;
  };
  if (pages.length === 0 || [...pages, ...composites].some(callsSomeone)) return;
  Annotations.of(backlog).addWarningV2(
    'dynamo-backlog:no-alarm-actions',
    'No alarm of the Backlog calls anyone: they only show in the console of AWS. Give "alarmActions", such as ' +
      '{ page: [new SnsAction(topic)] }',
  );
}

/** Warns of more than two readers of the stream: they are throttled, and the intake falls behind. */
function warnOfReaders(backlog: Made): void {
  const { tableStreamArn } = backlog.table;
  const stack = Stack.of(backlog);
  const same = JSON.stringify(stack.resolve(tableStreamArn));
  // Resolved in this stack, the stream of another one is refused (another environment), or looks like this one (same id).
  const readers = backlog.node.root.node
    .findAll()
    .filter((one): one is CfnEventSourceMapping => one instanceof CfnEventSourceMapping)
    .filter(
      (one) =>
        one.eventSourceArn === tableStreamArn ||
        (one.stack === stack && JSON.stringify(stack.resolve(one.eventSourceArn)) === same),
    );
  if (readers.length <= MAX_STREAM_READERS) return;
  const others = readers.filter(({ node }) => !node.path.startsWith(`${backlog.node.path}/`));
  Annotations.of(backlog).addWarningV2(
    'dynamo-backlog:stream-readers',
    `The stream of the table has ${readers.length} readers, and DynamoDB throttles more than ${MAX_STREAM_READERS} of a shard: records get late. Beside the ` +
      `intake there are ${others.map(({ node }) => node.path).join(', ')}: let one of them hand its records to the others, such as by EventBridge`,
  );
}
