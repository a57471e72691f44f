import { ConfigurationError } from 'dynamo-backlog';
import { resolvePolicy, seededRandom } from 'dynamo-backlog/engine';
import type { Picture } from '../charts/picture.js';
import { scheduleOf } from '../lab/schedule-of.js';
import { tiersOf } from '../lab/tiers-of.js';
import { type ChartFlags, withChart } from './chart.js';
import { explain } from './explain.js';
import { EXIT, type ExitCode, hasColors, type Output } from './output.js';
import { painter } from './paint.js';
import { type PolicyData, readPolicy } from './policy-input.js';
import { comparison, type Looked, scheduleTable, type View } from './policy-table.js';

export interface PolicyFlags extends ChartFlags {
  readonly set?: readonly string[] | undefined;
  /** Default: 15. */
  readonly attempts?: number | undefined;
  readonly id?: string | undefined;
  /** Default: `default`. */
  readonly queue?: string | undefined;
  readonly seed?: number | undefined;
  readonly json?: boolean | undefined;
  readonly compare?: readonly string[] | undefined;
}

const DEFAULT_ATTEMPTS = 15;

/** `backlog policy`: the waits of a policy, before it is put on a queue. */
export async function showPolicy(type: string, flags: PolicyFlags, output: Output): Promise<ExitCode> {
  const record = flags.id === undefined ? undefined : { id: flags.id, queue: flags.queue ?? 'default' };
  try {
    const policies = [readPolicy(type, flags.set), ...(flags.compare ?? []).map((one) => readPolicy(one))];
    const view = { record, seed: flags.seed, attempts: flags.attempts };
    const parts = {
      work: async () => policies.map((data) => lookAt(data, flags, record)),
      print: (looked: readonly Looked[]) =>
        output.data(flags.json ? jsonText(looked, flags) : tableText(looked, view)),
      draw: (looked: readonly Looked[]) => draw(looked, flags),
    };
    await withChart(flags, parts, output);
    if (flags.queue !== undefined && !record) output.message('--queue says nothing without --id');
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    output.message(explain(error));
    return EXIT.usage;
  }
}

/** Draws the policies. The curves go to `CURVE_FAILURES`, whatever the table shows. */
async function draw(looked: readonly Looked[], { seed }: PolicyFlags): Promise<Picture> {
  // What draws is loaded by those who want a picture.
  const { CURVE_FAILURES, policyPicture } = await import('../charts/policy-picture.js');
  const figures = looked.map(({ data, policy }) => {
    const { rows } = scheduleOf(policy, { attempts: CURVE_FAILURES });
    return { data, policy, rows };
  });
  return policyPicture(figures, { seed });
}

function lookAt(
  data: PolicyData,
  { attempts = DEFAULT_ATTEMPTS, seed }: PolicyFlags,
  record: View['record'],
): Looked {
  const policy = resolvePolicy(data, 'policy');
  // Each policy draws from the seed again: what stands beside it changes nothing.
  const random = seed === undefined ? undefined : seededRandom(seed);
  return { data, policy, tiers: tiersOf(policy), schedule: scheduleOf(policy, { attempts, record, random }) };
}

function tableText(looked: readonly Looked[], view: View): string {
  const paint = painter(hasColors(process.stdout));
  const [only] = looked;
  return only && looked.length === 1 ? scheduleTable(only, view, paint) : comparison(looked, view, paint);
}

function jsonText(looked: readonly Looked[], { compare }: PolicyFlags): string {
  const all = looked.map(({ data, tiers, schedule: { rows, end } }) => ({
    policy: data,
    ...(tiers ? { tiers: tiers.figures } : {}),
    schedule: rows,
    end,
  }));
  return JSON.stringify(compare === undefined ? all[0] : { policies: all });
}
