import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/** The queue whose records are the schedules. */
export const RECURRING_QUEUE = 'recurring';
/**
 * The policy of that queue: a schedule whose records could not be inserted is tried again each minute. No outage is so long that
 * it is given up, so its age has the highest limit.
 */
export const SCHEDULE_RETRY = { type: 'constant', interval: 60, maxAge: 100 * 365 * 86_400 } as const;
/** The form of a schedule's name. The ids of its records begin with it, and have an `@` behind it. */
const NAME = /^[A-Za-z0-9_.:/-]{1,256}$/;
/** The start of the ids of schedules. */
const ID = 'recurring:';

/** The `deadReason` of a schedule that the CDK app has no more, without `cancelled: `. */
export const NOT_IN_TEMPLATE = 'it is in the template no more';

/** The id of the schedule of a name. */
export function scheduleId(name: string): string {
  return ID + name;
}

/** The name of a schedule, by the id of its record. */
export function nameOf(id: string): string {
  return id.startsWith(ID) ? id.slice(ID.length) : id;
}

/**
 * Checks the name of a recurring record.
 *
 * @throws ConfigurationError for what is none
 */
export function checkName(name: unknown, path: string): asserts name is string {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new ConfigurationError(
    `${path}: expected a name of letters, digits and "_.:/-", at most 256, got ${show(name)}`,
  );
}
