import { type Item, isPending } from '../record/index.js';
import { isOfOneRecord } from '../store/errors.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import { toIso } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import { type Definition, parseDefinition } from './definition.js';
import { checkName, RECURRING_QUEUE } from './names.js';
import { redefine, scheduleItem } from './schedule-item.js';
import { payloadOf, type SchedulePayload } from './schedule-record.js';
import { fingerprintOf, type Outdated } from './template.js';

interface TemplateDeps {
  readonly records: Pick<OperatorRecordStore, 'insert' | 'change'>;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly random: Random;
  readonly logger: AttemptLogger;
}

/** The end of the write of one schedule. `tryAgain`: another process was quicker. `ended`: it has no occurrence to come. Otherwise, the reason why there is nothing to write. */
type Written = 'written' | 'tryAgain' | 'ended' | { readonly reason: string };

const ENDED = 'ended';

/**
 * Writes schedules as the CDK app has them. What is wrong with one of them is logged, and stops no other.
 *
 * @returns all of them were decided about
 * @throws StoreError
 */
export async function writeSchedules(outdated: readonly Outdated[], deps: TemplateDeps): Promise<boolean> {
  let isDone = true;
  for (const one of outdated) {
    const recurring = one.name;
    const written = await write(one, deps).catch(reasonOf);
    if (written === 'tryAgain') isDone = false;
    else if (written === 'written')
      deps.logger.info('a recurring record is as the template has it', { recurring });
    // Time alone brings it to this, and nothing is lost.
    else if (written === ENDED) deps.logger.warn('a recurring record of the template is over', { recurring });
    else
      deps.logger.error('a recurring record of the template was not written', {
        recurring,
        reason: written.reason,
      });
  }
  return isDone;
}

/** The reason why the store takes no write of this one schedule, such as one that is too large beside what is there. */
function reasonOf(error: unknown): Written {
  if (isOfOneRecord(error) || error instanceof InvalidRecordError)
    return { reason: (error as Error).message };
  throw error;
}

async function write(
  { name, definition, fingerprint, record }: Outdated,
  { records, now, random }: TemplateDeps,
): Promise<Written> {
  const payload = readable(name, definition, { template: fingerprint, templateAt: toIso(now) });
  if ('reason' in payload) return payload;
  if (!record) {
    const item = scheduleItem(name, payload, { now, random });
    if (!item) return ENDED;
    return (await records.insert(item)) === 'inserted' ? 'written' : 'tryAgain';
  }
  if (record.queue !== RECURRING_QUEUE) {
    return { reason: `expected an id that is free, got that of a record of the queue ${record.queue}` };
  }
  const { paused } = payloadOf(record);
  const next = { ...payload, ...(paused && { paused }) };
  // One that has no occurrence to come ends at its next attempt: as it was, it would go on for ever.
  const end = isPending(record) ? { set: { payload: next }, remove: [] } : undefined;
  const change = redefine(record, next, now) ?? end;
  if (!change) return ENDED;
  const answer = await records.change(record, change, randomToken(random));
  return answer === 'settled' ? 'written' : 'tryAgain';
}

function readable(
  name: string,
  definition: unknown,
  by: Pick<SchedulePayload, 'template' | 'templateAt'>,
): SchedulePayload | { readonly reason: string } {
  try {
    checkName(name, 'recurring');
    return { ...parseDefinition(definition, `recurring.${name}`), ...by };
  } catch (error) {
    if (error instanceof ConfigurationError) return { reason: error.message };
    throw error;
  }
}

/** The items of the schedules of a CDK app, where there are none yet. */
export function templateItems(
  template: ReadonlyMap<string, Definition>,
  context: { readonly now: number; readonly random: Random },
): Item[] {
  return [...template].flatMap(([name, definition]): Item[] => {
    const by = { template: fingerprintOf(definition), templateAt: toIso(context.now) };
    const item = scheduleItem(name, { ...definition, ...by }, context);
    return item ? [item] : [];
  });
}
