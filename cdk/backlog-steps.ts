import type { IQueue, Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { addCompletionUrl } from './functions/completion-url.js';
import { type CommonSettings, type LinkSettings, runSettingsOf } from './functions/function-settings.js';
import { addMonitor } from './functions/monitor.js';
import { type Arrivals, arrivalsOf, assignFunctions, type QueueFunction } from './functions/workers.js';
import type { ReadProps } from './props/backlog-shape.js';
import { intakeOptions } from './props/intake-props.js';
import type { Queue } from './props/queue.js';
import type { Queues } from './queues.js';
import { addRules } from './rules.js';
import { allowIntake } from './sharing/shared-backlog.js';
import { addFedIntake, type FedIntake } from './triggers/event-sources.js';
import { addFedRecordEvents } from './triggers/record-events.js';
import { addSchedules } from './triggers/schedules.js';
import type { Tick, Triggers } from './triggers/tick.js';

// The steps of the construct, in the order in which it takes them. Each finds what the steps before it have made.

/** The props of a Backlog, its queues, and what they have in common. */
export interface Begun {
  readonly options: ReadProps;
  readonly queues: readonly Queue[];
  /** The settings of all functions. */
  readonly common: CommonSettings;
  readonly eventDlq: SqsQueue;
  /** Events of runs that were lost; missing without an intake. */
  readonly redelivery: IQueue | undefined;
}

/** The links that end attempts, if the prop `completionUrl` asks for them. */
export function addLinks(backlog: Construct, { completionUrl }: ReadProps, common: CommonSettings) {
  if (completionUrl === false) return undefined;
  return addCompletionUrl(backlog, 'CompletionUrl', completionUrl === true ? {} : completionUrl, common);
}

/** The functions that attempt the records. A shared intake may start them. */
export function addFunctions(
  backlog: Construct,
  { options, queues, common, eventDlq, redelivery }: Begun,
  { workers, links }: { readonly workers: Queues['workers']; readonly links: LinkSettings | undefined },
): { readonly assigned: QueueFunction[]; readonly arrivals: Arrivals } {
  const failures = { failedEvents: redelivery ?? eventDlq, indexesAtOnce: redelivery === undefined };
  const settings = runSettingsOf(common, options, { ...failures, links });
  const assigned = assignFunctions(backlog, queues, workers, settings);
  const arrivals = arrivalsOf(assigned);
  if (options.sharedBacklog) allowIntake(options.sharedBacklog, arrivals.restarted);
  return { assigned, arrivals };
}

/** The intake of the Backlog's own tables, with its sweep. */
export function addIntake(
  backlog: Construct,
  { options, queues, common, eventDlq }: Begun,
  { arrivals, returns }: { readonly arrivals: Arrivals; readonly returns: SqsQueue },
): FedIntake {
  return addFedIntake(backlog, 'Intake', {
    ...{ ...common, queues, ...arrivals, ...intakeOptions(options) },
    ...{ eventDlq, groups: options.groups, returns },
  });
}

/** The function that tells others of the ends of records, and counts members of groups, if a prop asks for one. */
export function addRecordEvents(
  backlog: Construct,
  { options: { recordEvents: events, groups }, common, eventDlq, redelivery }: Begun,
): ReturnType<typeof addFedRecordEvents> | undefined {
  if (!events && !groups) return undefined;
  const indexesAtOnce = redelivery === undefined;
  return addFedRecordEvents(backlog, 'RecordEvents', { ...common, events, groups, indexesAtOnce, eventDlq });
}

/** The monitor of the Backlog's own tables, which also looks at what reads their stream. */
export function addOwnMonitor(
  backlog: Construct,
  { options, queues, common }: Begun,
  readers: {
    readonly intake: FedIntake | undefined;
    readonly recordEvents: ReturnType<typeof addRecordEvents>;
  },
) {
  const { sharedBacklog, metrics, incidentBus, runbookUrl } = options;
  if (sharedBacklog || metrics === 'off') return undefined;
  const { intake, recordEvents } = readers;
  const eventSources = [...(intake?.eventSources ?? []), ...(recordEvents ? [recordEvents.eventSource] : [])];
  return addMonitor(backlog, 'Monitor', { ...common, queues, incidentBus, runbookUrl, eventSources });
}

/** Rules or schedules that start the functions, as the prop `trigger` says. */
export function addTriggers(
  backlog: Construct,
  ticks: readonly Tick[],
  { options: { trigger, timeZone, encryptionKey: key }, eventDlq }: Begun,
): Triggers {
  return trigger === 'scheduler'
    ? addSchedules(backlog, 'Schedules', ticks, { timeZone, key })
    : addRules(backlog, ticks, eventDlq);
}
