import { type Endpoints, queueButton } from './buttons.js';
import type { Html } from './html.js';

/** The ends of a pause to choose from: until then its alarms are silent. */
export const PAUSE_ENDS = ['30m', '2h', 'none'] as const;
export type PauseEnd = (typeof PAUSE_ENDS)[number];

const PAUSES: Readonly<Record<PauseEnd, { readonly word: string; readonly silence: string }>> = {
  '30m': { word: 'Pause, alarms silent for 30 min', silence: 'Its alarms are silent for 30 min.' },
  '2h': { word: 'Pause, alarms silent for 2 h', silence: 'Its alarms are silent for 2 h.' },
  none: { word: 'Pause without an end', silence: 'Its alarms say when records are late.' },
};

/** The buttons that pause a queue, one for each end. */
export function pauseButtons(queue: string, endpoints: Endpoints): (Html | undefined)[] {
  return PAUSE_ENDS.map((end) => {
    const { word, silence } = PAUSES[end];
    const question = `Pause ${queue}? No further attempt begins. Its records wait until an operator resumes it. ${silence}`;
    return queueButton(word, { action: 'pause', queue, end }, endpoints, question);
  });
}
