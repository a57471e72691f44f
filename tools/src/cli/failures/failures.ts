import {
  COUNT_SIGNS,
  causesOf,
  count,
  type FailureCause,
  records,
  sumOf,
  units,
} from 'dynamo-backlog/overview';
import type { SampleRead } from '../../console/failures/read-causes.js';
import type { OperateTargetFlags } from '../operate/target.js';
import { EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { causesJson } from './json.js';
import { causeLines } from './lines.js';
import { sampleAt } from './sample-at.js';

interface FailuresFlags extends OperateTargetFlags {
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
}

/** `backlog failures`: why records fail, one row per cause. */
export async function failures(given: FailuresFlags, output: Output): Promise<ExitCode> {
  const read = await sampleAt(given, given.queue);
  const { strata, now, where, readUnits } = read;
  const causes = causesOf(strata, now);
  if (given.json) {
    const json = causesJson({ ...read, causes });
    output.data(JSON.stringify({ at: new Date(now).toISOString(), ...json, readUnits }));
    return EXIT.ok;
  }
  const { stdout } = process;
  const columns = stdout.isTTY ? stdout.columns || 80 : undefined;
  const lines = causeLines(causes, { now, columns, paint: painter(hasColors(stdout)) });
  for (const line of lines) output.data(line);
  output.message(`${failingText(causes, read)}; ${sampleText(read)}; ${where}; ${units(readUnits)}`);
  return EXIT.ok;
}

/** `3 records fail: 2 in retry, 1 dead`. */
function failingText(causes: readonly FailureCause[], { isSampled }: SampleRead): string {
  const retry = Math.round(causes.reduce((sum, one) => sum + one.retry, 0));
  const dead = Math.round(causes.reduce((sum, one) => sum + one.dead, 0));
  const failing = sumOf({ retry, dead });
  const sign = isSampled ? '≈ ' : '';
  if (failing === 0) return isSampled ? 'no record that was read fails' : 'no record fails';
  const verb = failing === 1 ? 'fails' : 'fail';
  return `${sign}${records(failing)} ${verb}: ${sign}${count(retry)} in retry, ${sign}${count(dead)} dead`;
}

/** `all 4 records that are not finished were read`, `estimated from 50 of ≈ 700 records that are not finished`. */
export function sampleText({ examined, total, counted, isSampled }: SampleRead): string {
  const of = `${COUNT_SIGNS[counted]}${records(total)} that are not finished`;
  return isSampled ? `estimated from ${count(examined)} of ${of}` : `all ${of} were read`;
}
