import { type Clock, scaledClock, systemClock } from '../src/support/clock.js';
import { readClock, type Settings } from './settings.js';

/**
 * The clock of a function: the system's, or the local runtime's. That one can change while the function runs. The
 * runtime then sets the variable again, so it is read each time.
 */
export function clockOf({ clock }: Pick<Settings, 'clock'>): Clock {
  if (clock === undefined) return systemClock;
  let text = process.env.BACKLOG_CLOCK;
  let setting = clock;
  return scaledClock(() => {
    const present = process.env.BACKLOG_CLOCK;
    if (present !== undefined && present !== text) {
      setting = readClock(present);
      text = present;
    }
    return setting;
  });
}
