import { createHash } from 'node:crypto';
import { type CfnElement, type IResolvable, Lazy, Stack, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { QueueSettings } from '../../functions/settings.js';
import { queueOf as recordsQueueOf } from '../../src/recurring/definition.js';
import { withoutUrlSecrets } from '../../src/support/url-text.js';
import {
  type BacklogDescription,
  METADATA_KEY,
  METADATA_VERSION,
  type QueueDescription,
  type RecurringDescription,
  type TableDescription,
  TOKEN,
} from '../../src/template-metadata.js';
import type { QueueFunction } from '../functions/workers.js';
import type { Queue } from '../props/queue.js';
import type { RecordEvents } from '../props/record-events-props.js';
import type { Definitions } from '../props/recurring-schedule.js';

/** A Backlog, with those of its props that are described. */
interface Described {
  readonly trigger: BacklogDescription['trigger'];
  readonly timeZone?: string | undefined;
  readonly primaryRegion?: string | undefined;
  readonly runbookUrl?: string | undefined;
  readonly recordEvents?: RecordEvents | undefined;
  readonly groups: boolean;
  readonly tableName?: string | undefined;
  readonly controlTableName?: string | undefined;
  readonly queues: readonly Queue[];
  /** The queues with a function. */
  readonly assigned: readonly QueueFunction[];
  /** The longest time that a run of the other queues takes. */
  readonly processSeconds: number;
  /** The queues whose records an intake may have attempted on insertion. */
  readonly onArrival: readonly QueueFunction[];
}

/** The parts that a Backlog has made. */
interface Made extends Construct {
  readonly table: ITable;
  readonly controlTable: ITable;
  readonly intakeRole: object | undefined;
  readonly intake: object | undefined;
  readonly sweep: object | undefined;
}

/**
 * Writes what a Backlog is into its stack's template, so that `backlog diff` finds what a later
 * deployment changes in two templates alone. CloudFormation keeps the metadata of a template, and does nothing with it.
 */
export function describeInTemplate(backlog: Made, described: Described): void {
  const stack = Stack.of(backlog);
  const { metadata = {} } = stack.templateOptions;
  const others: Record<string, unknown> = metadata[METADATA_KEY] ?? {};
  // Lazy: a token of another stack is resolved at the end of the synthesis.
  const description = Lazy.any({ produce: () => descriptionOf(stack, backlog, described) });
  stack.templateOptions.metadata = {
    ...metadata,
    [METADATA_KEY]: { ...others, [pathInStack(stack, backlog)]: description },
  };
}

/** The stack's own path is left out: the same stack may be in another stage, or in another app. */
function pathInStack(stack: Stack, scope: Construct): string {
  return stack === (scope as Construct) ? scope.node.id : scope.node.path.slice(stack.node.path.length + 1);
}

function descriptionOf(stack: Stack, backlog: Made, described: Described): BacklogDescription {
  const { trigger, timeZone, primaryRegion, runbookUrl, recordEvents, groups } = described;
  const { queues, assigned, processSeconds } = described;
  const onInsert = new Set(backlog.intakeRole ? described.onArrival.map(({ queue }) => queue.name) : []);
  return {
    version: METADATA_VERSION,
    trigger,
    timeZone,
    primaryRegion,
    runbookUrl,
    recordEvents: recordEvents?.queues,
    groupEvents: recordEvents?.groups ? true : undefined,
    groups: groups ? true : undefined,
    recurring: recurringOf(stack, queues),
    intake: backlog.intake !== undefined,
    sweep: backlog.sweep !== undefined,
    records: tableOf(stack, backlog.table, described.tableName),
    control: tableOf(stack, backlog.controlTable, described.controlTableName),
    queues: Object.fromEntries(
      queues.map((queue) => {
        const by = assigned.find((one) => one.queue === queue)?.worker;
        const timeout = by?.timeoutSeconds ?? processSeconds;
        return [queue.name, queueOf(stack, queue, timeout, onInsert.has(queue.name))];
      }),
    ),
  };
}

function recurringOf(stack: Stack, queues: readonly Queue[]): BacklogDescription['recurring'] {
  const works = queues.map(({ work }) => work);
  const definitions = works.find((work) => work.type === 'recurring')?.definitions;
  return definitions && describeAll(stack, definitions);
}

function describeAll(stack: Stack, definitions: Definitions): Record<string, RecurringDescription> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      const { schedule, timeZone, queue: _, payload, ...settings } = definition;
      return [
        name,
        {
          schedule,
          timeZone,
          queue: recordsQueueOf(definition),
          payload: payload === undefined ? undefined : hashOf(stack.resolve(payload)),
          settings: Object.keys(settings).length > 0 ? settings : undefined,
        },
      ];
    }),
  );
}

function tableOf(stack: Stack, table: ITable, name: string | undefined): TableDescription {
  const made = table.node.defaultChild as CfnElement | undefined;
  if (made && Stack.of(made) === stack) {
    return {
      logicalId: String(stack.resolve(made.logicalId)),
      name: name === undefined ? undefined : textOf(stack, name),
    };
  }
  return { name: textOf(stack, table.tableName) };
}

function queueOf(stack: Stack, queue: Queue, timeout: number, onInsert: boolean): QueueDescription {
  const {
    retryMode,
    retry,
    deliverTo,
    ownAlarms: _,
    onArrival: __,
    external: ___,
    ...settings
  } = queue.settings;
  return {
    retryMode,
    retry,
    tiers: queue.tiers.length > 0 ? queue.tiers : undefined,
    work: workOf(queue.work),
    deliverTo: deliveryOf(stack, deliverTo),
    enabled: queue.enabled,
    firstAttempt: onInsert ? 'onInsert' : 'scheduled',
    timeout,
    settings: Object.keys(settings).length > 0 ? settings : undefined,
  };
}

function workOf(work: Queue['work']): string {
  if (work.type === 'worker') return `worker ${work.worker}`;
  return {
    delivery: 'deliverTo',
    entry: 'entry',
    own: 'handler',
    external: 'external',
    recurring: 'recurring',
  }[work.type];
}

function deliveryOf(stack: Stack, deliverTo: QueueSettings['deliverTo']): QueueDescription['deliverTo'] {
  if (deliverTo === undefined) return undefined;
  if (typeof deliverTo === 'string') return { url: urlOf(stack, deliverTo) };
  const { url, headers, secret, ...rest } = deliverTo;
  return {
    ...rest,
    url: urlOf(stack, url),
    headers: headers && Object.keys(headers).sort(),
    signed: secret === undefined ? undefined : true,
  };
}

function urlOf(stack: Stack, url: string): string {
  return withoutUrlSecrets(textOf(stack, url));
}

/**
 * A text that may be a token. CloudFormation resolves nothing in metadata, and refuses some references there: a hash tells that a
 * value comes from elsewhere than before.
 */
function textOf(stack: Stack, value: string | IResolvable): string {
  const resolved: unknown = Token.isUnresolved(value) ? stack.resolve(value) : value;
  if (typeof resolved === 'string' && !resolved.includes('{{resolve:')) return resolved;
  return `${TOKEN} (${hashOf(resolved)})`;
}

function hashOf(resolved: unknown): string {
  return createHash('sha256').update(JSON.stringify(resolved)).digest('hex').slice(0, 8);
}
