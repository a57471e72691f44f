import { Annotations, Stack, Stage, Token } from 'aws-cdk-lib';
import { ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct, IConstruct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import { givesEventsBack } from '../functions/queue-functions.js';
import type { QueueFunction } from '../functions/workers.js';
import type { Queue } from '../props/queue.js';
import type { ISharedBacklog } from '../props/shared-parts.js';
import type { WorkerWork } from '../props/worker-props.js';
import { deployedStack } from '../tables/table-parameters.js';

const ADDED = Symbol.for('dynamo-backlog.queues');
const BACKLOGS = Symbol.for('dynamo-backlog.backlogs');

interface WithQueues {
  [ADDED]?: Map<string, IConstruct>;
}

interface WithBacklogs {
  [BACKLOGS]?: Map<string, WithQueues>;
}

const DEPLOYED_AS = Symbol.for('dynamo-backlog.deployed-as');

interface Deployed {
  readonly [DEPLOYED_AS]?: string;
}

/**
 * Notes which backlog a Backlog is, unless it shares another one's, and which queues of it are this one's.
 *
 * @throws ConfigurationError for a queue that another stack of this app has, unless one of them stands by
 */
export function claim(
  backlog: ISharedBacklog,
  queues: readonly Queue[],
  {
    sharedBacklog: shared = backlog,
    backlogName,
    standby,
  }: {
    readonly sharedBacklog?: ISharedBacklog | undefined;
    readonly backlogName: string;
    readonly standby: boolean;
  },
): void {
  if (shared === backlog) isDeployedAs(backlog, nameByStack(deployedStack(backlog).stackName, backlogName));
  claimQueues(backlog, queues, { shared, standby });
}

/** Notes which backlog of its account and region a construct is, or is an import of. */
export function isDeployedAs(backlog: IConstruct, name: string): void {
  if (!Token.isUnresolved(name)) Object.defineProperty(backlog, DEPLOYED_AS, { value: name });
}

/** The name of a backlog by its stack, for `isDeployedAs`. */
export function nameByStack(stackName: string, backlogName: string): string {
  return `${backlogName} of stack ${stackName}`;
}

/** The queues of a backlog: those of all imports of it in this app, where it is known that they are of the same. */
function queuesOf(shared: ISharedBacklog & Deployed): WithQueues {
  const { [DEPLOYED_AS]: deployedAs } = shared;
  if (deployedAs === undefined) return shared as WithQueues;
  const { account, region } = Stack.of(shared);
  const key = [Stage.of(shared)?.node.path, account, region, deployedAs].join(' ');
  const root = shared.node.root as WithBacklogs;
  const known = root[BACKLOGS] ?? new Map<string, WithQueues>();
  root[BACKLOGS] = known;
  const one = known.get(key) ?? {};
  known.set(key, one);
  return one;
}

/** Notes which queues of a backlog are whose, as far as they are in this app. Across apps, the control table tells. */
function claimQueues(
  scope: IConstruct,
  queues: readonly Queue[],
  { shared, standby }: { readonly shared: ISharedBacklog; readonly standby: boolean },
): void {
  const all = queuesOf(shared);
  const added = all[ADDED] ?? new Map<string, IConstruct>();
  all[ADDED] = added;
  for (const { name } of queues) {
    const other = added.get(name);
    if (other && !standby) {
      throw new ConfigurationError(
        `queues: expected queues that no other stack has, got ${show(name)}, which is a queue of ${other.node.path}: give it ` +
          'another name, or set "standby": true in the one that will take it over (blue/green)',
      );
    }
    if (!other) added.set(name, scope);
  }
}

/** @throws ConfigurationError for a backlog of another region: there are no leases across regions */
export function checkShared(scope: Construct, shared: ISharedBacklog): void {
  if ('monitor' in shared && shared.monitor === undefined) {
    Annotations.of(scope).addWarningV2(
      'dynamo-backlog:no-monitor',
      `${shared.node.path} has no monitor ("metrics": "off"): the alarms Lag-... and Depth-... of these queues have no data, and ` +
        'the console no counts. Give it "metrics": "essential" or "full"',
    );
  }
  const { region } = Stack.of(scope);
  const other = shared.table.env.region;
  if (Token.isUnresolved(region) || Token.isUnresolved(other) || region === other) return;
  throw new ConfigurationError(
    `Backlog.sharedBacklog: expected a Backlog of the same region (${region}), got one of ${other}`,
  );
}

/**
 * The owner of a Backlog's queues: its stack. Beside the Backlog with the tables, in the same stack, it is an owner of
 * its own: that one's monitor knows its own queues only.
 */
export function ownerOf(backlog: Construct, shared: ISharedBacklog | undefined): string {
  const stack = Stack.of(backlog);
  // A Backlog of another stack or app has no created table.
  const isBeside = shared !== undefined && 'createdTable' in shared && Stack.of(shared) === stack;
  return isBeside ? `${stack.stackName}/${backlog.node.id}` : stack.stackName;
}

/** Has queues say that the shared intake may have their function attempt records as they are inserted. */
export function withArrivals(
  queues: readonly Queue[],
  workers: ReadonlyMap<string, WorkerWork>,
  { intakeRole, redelivery }: ISharedBacklog,
): Queue[] {
  if (!intakeRole || !redelivery) return queues.map((queue) => ({ ...queue, firstAttempt: 'scheduled' }));
  return queues.map((queue) => {
    const { work, settings } = queue;
    const by = work.type === 'worker' ? workers.get(work.worker) : work;
    const isAttempted =
      queue.firstAttempt !== 'scheduled' && (by?.type !== 'own' || givesEventsBack(by.handler));
    return isAttempted ? { ...queue, settings: { ...settings, onArrival: true } } : queue;
  });
}

/**
 * Lets the shared intake start the functions of these queues. The functions allow it, as the role of the intake cannot be
 * changed from here. Without a redelivery queue it hears of no run.
 */
export function allowIntake(
  { intakeRole, redelivery }: ISharedBacklog,
  assigned: readonly QueueFunction[],
): void {
  if (!intakeRole || !redelivery) return;
  const principal = new ArnPrincipal(intakeRole.roleArn);
  for (const lambda of new Set(assigned.map(({ worker }) => worker.lambda))) {
    lambda.addPermission('BacklogIntake', { principal });
  }
}
