import {
  COUNT_SIGNS,
  CountsReader,
  count,
  type OverviewDeps,
  records,
  sumOf,
  units,
} from 'dynamo-backlog/overview';
import { type CausesRead, readCauses } from '../../console/failures/read-causes.js';
import { LARGE_BUDGET } from '../../console/read-within.js';
import { refuseUnknownQueues } from '../operate/known-queue.js';
import { type OperateTargetFlags, tablesAt } from '../operate/target.js';
import { EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { RemoteRuntime } from '../top/remote-runtime.js';
import { causesJson } from './json.js';
import { causeLines } from './lines.js';

interface FailuresFlags extends OperateTargetFlags {
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
}

const LOCAL_BUDGET = { ...LARGE_BUDGET, units: Number.POSITIVE_INFINITY };

/** `backlog failures`: why records fail, one row per cause. */
export async function failures(given: FailuresFlags, output: Output): Promise<ExitCode> {
  const at = await tablesAt(given);
  const { client, table, clock, queues: app, statusPage, where, local } = at.target;
  const { queue } = given;
  try {
    if (queue !== undefined) await refuseUnknownQueues([queue], at);
    const remote = statusPage === undefined ? undefined : new RemoteRuntime(statusPage, table);
    await remote?.refresh();
    const deps: OverviewDeps = {
      backlog: { table, controlTable: at.controlTable, client, clock },
      // A queue that only records name is in no list.
      queues: () => [...(app ?? []), ...(queue === undefined ? [] : [queue])].map((name) => ({ name })),
      runtime: remote?.known,
    };
    const { counts, error } = await new CountsReader(deps).read();
    if (!counts) throw error;
    const asked = counts.stats.queues.filter((stats) => queue === undefined || stats.queue === queue);
    const now = clock.now();
    const budget = local ? LOCAL_BUDGET : LARGE_BUDGET;
    const read = await readCauses(deps, asked, { budget, now });
    const readUnits = counts.readUnits + read.readUnits;
    if (given.json) {
      output.data(JSON.stringify({ at: new Date(now).toISOString(), ...causesJson(read), readUnits }));
      return EXIT.ok;
    }
    const { stdout } = process;
    const columns = stdout.isTTY ? stdout.columns || 80 : undefined;
    const lines = causeLines(read.causes, { now, columns, paint: painter(hasColors(stdout)) });
    for (const line of lines) output.data(line);
    output.message(`${readText(read)}; ${where}; ${units(readUnits)}`);
    return EXIT.ok;
  } finally {
    client.destroy();
  }
}

/** `3 records fail: 2 in retry, 1 dead; all 4 records that are not finished were read`. */
function readText({ causes, examined, total, counted, isSampled }: CausesRead): string {
  const retry = Math.round(causes.reduce((sum, one) => sum + one.retry, 0));
  const dead = Math.round(causes.reduce((sum, one) => sum + one.dead, 0));
  const failing = sumOf({ retry, dead });
  const sign = isSampled ? '≈ ' : '';
  const what =
    failing === 0
      ? isSampled
        ? 'no record that was read fails'
        : 'no record fails'
      : `${sign}${records(failing)} ${failing === 1 ? 'fails' : 'fail'}: ${sign}${count(retry)} in retry, ${sign}${count(dead)} dead`;
  const of = `${COUNT_SIGNS[counted]}${records(total)} that are not finished`;
  return isSampled ? `${what}; estimated from ${count(examined)} of ${of}` : `${what}; all ${of} were read`;
}
