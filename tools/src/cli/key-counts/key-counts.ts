import { type KeyCounts, keysOf, units } from 'dynamo-backlog/overview';
import { sampleText } from '../failures/failures.js';
import { type SampleAt, sampleAt } from '../failures/sample-at.js';
import type { OperateTargetFlags } from '../operate/target.js';
import { counted, EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { hintLines } from './hints.js';
import { keysJson } from './json.js';
import { keyLines, keyText } from './lines.js';

interface KeysFlags extends OperateTargetFlags {
  readonly top?: number | undefined;
  readonly json?: boolean | undefined;
}

const DEFAULT_TOP = 10;

/** `backlog keys`: which customers or tenants wait and fail. */
export async function keyCounts(
  queue: string | undefined,
  given: KeysFlags,
  output: Output,
): Promise<ExitCode> {
  const read = await sampleAt(given, queue);
  const { strata, queues, now, where, readUnits } = read;
  const keys = keysOf(strata, queues, now);
  const named = keys.filter(({ key }) => key !== undefined);
  if (given.json) {
    const shown = [...named.slice(0, given.top), ...keys.slice(named.length)];
    const json = { at: new Date(now).toISOString(), ...keysJson(shown, read) };
    output.data(JSON.stringify({ ...json, moreKeys: keys.length - shown.length, readUnits }));
    return EXIT.ok;
  }
  if (named.length > 0) {
    const { stdout } = process;
    const columns = stdout.isTTY ? stdout.columns || 80 : undefined;
    const look = { now, columns, paint: painter(hasColors(stdout)), top: given.top ?? DEFAULT_TOP };
    for (const line of keyLines(keys, look)) output.data(line);
    for (const line of [...shareText(keys, read), ...hintLines(keys)]) output.message(line);
  }
  output.message(`${numberText(named.length, read)}; ${sampleText(read)}; ${where}; ${units(readUnits)}`);
  return EXIT.ok;
}

/** `50 keys`; `no record has a key`. */
function numberText(number: number, { isSampled, total }: SampleAt): string {
  if (number > 0) return counted(number, 'key');
  if (total === 0) return 'no record waits or is dead';
  return isSampled ? 'no record that was read has a key' : 'no record has a key';
}

/** `acme has ≈ 82 % of the records that wait.` It answers whether one key waits or all do. */
function shareText(keys: readonly KeyCounts[], { isSampled }: SampleAt): string[] {
  const [first] = keys;
  const waiting = keys.reduce((sum, one) => sum + one.waiting, 0);
  if (!first || first.key === undefined || first.waiting === 0 || keys.length === 1) return [];
  const percent = Math.round((100 * first.waiting) / waiting);
  return [`${keyText(first.key)} has ${isSampled ? '≈ ' : ''}${percent} % of the records that wait.`];
}
