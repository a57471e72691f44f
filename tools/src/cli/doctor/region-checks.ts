import { isPassiveBy, toIso } from 'dynamo-backlog/engine';
import type { ControlFacts } from '../../../../src/store/dynamodb/control-items.js';
import { printable } from '../output.js';
import type { Finding } from './findings.js';

/**
 * Reports the region whose tables are looked at, if another one is the active one.
 *
 * @param now the backlog's time, epoch milliseconds
 */
export function checkRegion(
  { primaryRegion, activeRegion }: ControlFacts,
  region: string,
  now: number,
): Finding | undefined {
  if (!isPassiveBy(activeRegion, { region, primaryRegion }, now)) return undefined;
  const active = printable(activeRegion?.region ?? primaryRegion ?? '');
  const isMoving = activeRegion !== undefined && now < activeRegion.from;
  return {
    kind: 'region.passive',
    severity: isMoving ? 'warning' : 'note',
    what: isMoving
      ? `no region attempts records: a failover from ${printable(activeRegion.before)} to ${active} is under way, and ${active} begins at ${toIso(activeRegion.from)} at the latest`
      : `${region} is passive: ${active} attempts the records`,
    todo: isMoving
      ? `if no command is at work, repeat it: "backlog failover --to ${active}"`
      : `repair and change records there: AWS_REGION=${active}`,
  };
}
