import { createHash } from 'node:crypto';
import { type BacklogRecord, CANCELLED, type Item, isPending } from '../record/index.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import { NOT_IN_TEMPLATE } from './attempt.js';
import { type Definition, RECURRING_QUEUE } from './definition.js';
import { redefine, scheduleItem } from './schedule-item.js';
import { payloadOf, type SchedulePayload, scheduleId } from './schedule-record.js';

export interface TemplateDeps {
  readonly records: Pick<OperatorRecordStore, 'insert' | 'getMany' | 'change'>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly random: Random;
  readonly logger: Pick<AttemptLogger, 'info' | 'warn'>;
}

/**
 * Writes the schedules of the CDK app: those that are new, and those whose definition there has changed. One that was changed by
 * hand, paused or discarded stays so until then, as CloudFormation leaves a resource alone that its template does not change.
 */
export async function applyTemplate(
  template: ReadonlyMap<string, Definition>,
  deps: TemplateDeps,
): Promise<void> {
  const found = await deps.records.getMany([...template.keys()].map(scheduleId));
  const records = new Map(found.map((record) => [record.id, record]));
  for (const [name, definition] of template) {
    const what = await apply(name, asTemplate(definition), records.get(scheduleId(name)), deps);
    if (what === undefined) continue;
    if (what === 'foreign' || what === 'changedMeanwhile')
      deps.logger.warn('a recurring record of the template could not be written', {
        recurring: name,
        reason: what,
      });
    else deps.logger.info('a recurring record is as the template has it', { recurring: name, was: what });
  }
}

/** The items of the schedules of a CDK app, where there are none yet. */
export function templateItems(
  template: ReadonlyMap<string, Definition>,
  context: { readonly now: number; readonly random: Random },
): Item[] {
  return [...template].flatMap(([name, definition]): Item[] => {
    const item = scheduleItem(name, asTemplate(definition), context);
    return item ? [item] : [];
  });
}

function asTemplate(definition: Definition): SchedulePayload {
  return { ...definition, template: fingerprint(definition) };
}

type Applied = 'new' | 'changed' | 'ended' | 'foreign' | 'changedMeanwhile';

async function apply(
  name: string,
  payload: SchedulePayload,
  record: BacklogRecord | undefined,
  { records, now, random }: TemplateDeps,
): Promise<Applied | undefined> {
  if (!record) {
    const item = scheduleItem(name, payload, { now, random });
    if (!item) return 'ended';
    return (await records.insert(item)) === 'inserted' ? 'new' : 'changedMeanwhile';
  }
  if (record.queue !== RECURRING_QUEUE) return 'foreign';
  const before = payloadOf(record);
  if (before.template === payload.template && !wasTakenOut(record)) return undefined;
  const change = redefine(record, { ...payload, ...(before.paused && { paused: before.paused }) }, now);
  if (!change) return isPending(record) ? 'ended' : undefined;
  const answer = await records.change(record, change, randomToken(random));
  return answer === 'settled' ? 'changed' : 'changedMeanwhile';
}

/** Tells whether it is dead as an earlier template did not have it. */
function wasTakenOut({ status, deadReason }: BacklogRecord): boolean {
  return status === 'DEAD' && deadReason === CANCELLED + NOT_IN_TEMPLATE;
}

/** Tells definitions of the template apart. */
function fingerprint(definition: Definition): string {
  return createHash('sha256').update(JSON.stringify(definition)).digest('base64url').slice(0, 22);
}
