import type { QueueMutes } from '../../alarms/queue-mutes.js';
import type { Target } from '../connect.js';
import { counted } from '../output.js';
import { AlarmMutes } from './alarm-mutes.js';
import { muteText, parseMute } from './rule.js';

/** The mutes of a backlog whose alarms are in CloudWatch. */
export function mutesInAws(target: Pick<Target, 'table' | 'clock' | 'local' | 'endpoint'>): QueueMutes {
  const { clock } = target;
  const mutes = new AlarmMutes(target);
  return {
    async read(queue) {
      const found = await mutes.read(queue);
      return found && !found.isOver ? muteText(found, clock.now()) : undefined;
    },
    async mute(queue, options) {
      const muted = await mutes.mute(queue, parseMute(options, clock.now()));
      return `${counted(muted.alarms.length, 'alarm')} of ${queue} muted ${muteText(muted, clock.now())}`;
    },
    async unmute(queue) {
      await mutes.unmute(queue);
      return `the alarms of ${queue} notify again`;
    },
  };
}
