import { type Endpoints, queueButton } from './buttons.js';
import type { Html } from './html.js';

/** The ends of a pause to choose from: until then its alarms are silent. */
export const PAUSE_ENDS = ['30m', '2h', 'none'] as const;
export type PauseEnd = (typeof PAUSE_ENDS)[number];

interface Pause {
  readonly word: string;
  readonly silence: string;
  /** Milliseconds. Undefined: it has no end. */
  readonly length?: number;
}

const PAUSES: Readonly<Record<PauseEnd, Pause>> = {
  '30m': silentFor('30 min', 30 * 60_000),
  '2h': silentFor('2 h', 2 * 3_600_000),
  none: { word: 'Pause without an end', silence: 'Its alarms say when records are late.' },
};

function silentFor(time: string, length: number): Pause {
  return { word: `Pause, alarms silent for ${time}`, silence: `Its alarms are silent for ${time}.`, length };
}

/** The length of a pause in milliseconds. Undefined: it has no end. */
export function lengthOf(end: PauseEnd): number | undefined {
  return PAUSES[end].length;
}

/** The buttons that pause a queue, one for each end. */
export function pauseButtons(queue: string, endpoints: Endpoints): (Html | undefined)[] {
  return PAUSE_ENDS.map((end) => {
    const { word, silence } = PAUSES[end];
    const question = `Pause ${queue}? No further attempt begins. Its records wait until an operator resumes it. ${silence}`;
    return queueButton(word, { action: 'pause', queue, end }, endpoints, question);
  });
}
