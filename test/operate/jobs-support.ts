import { type JobRunOptions, Jobs, type NewJob } from '../../src/operate/jobs/index.js';
import { Tables } from '../../src/operate/tables.js';
import type { OperatorStore } from '../../src/store/index.js';
import { seededRandom } from '../simulation/random.js';
import { type Harness, START } from '../worker/harness.js';
import { interrupted, putDead } from './support.js';

export const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
export const OPS = { by: 'ops', from: 'console' };
export const DEAD_OF_Q: NewJob = { action: 'redrive', which: { queue: 'q' } };
let processes = 0;

/** A process that works on jobs. */
export function processOf({ clock, store }: Harness, its: OperatorStore = store): Jobs {
  const random = seededRandom(100 + ++processes);
  return new Jobs(new Tables({ table: 'records', controlTable: 'control', store: its, clock, random }));
}

export function putAll(harness: Harness, count: number): void {
  for (let i = 0; i < count; i++) putDead(harness, `r${String(i).padStart(4, '0')}`);
}

/** Runs a new job to its end. */
export async function runNew(harness: Harness, made: NewJob, options: JobRunOptions = {}) {
  const jobs = processOf(harness);
  return harness.time.until(jobs.run(await jobs.create(made, OPS), options));
}

/** A process whose requests are never answered once it is killed, or one kind of them. */
export function lostAfter(harness: Harness) {
  const kinds = [
    'records.change',
    'records.getItems',
    'pages.query',
    'jobs.change',
    'jobs.read',
    'jobs.keep',
  ];
  const lost = new Set<string>();
  const calls = kinds.map((kind) => [kind, () => (lost.has(kind) ? new Promise(() => {}) : undefined)]);
  const kill = (kind?: string) => {
    for (const one of kind === undefined ? kinds : [kind]) lost.add(one);
  };
  return { killed: processOf(harness, interrupted(harness.store, Object.fromEntries(calls))), kill };
}

/** A redrive, 20 a second, whose process is lost after so many seconds. */
export async function lostRedrive(harness: Harness, seconds: number): Promise<string> {
  const { killed, kill } = lostAfter(harness);
  const { id } = await killed.create({ ...DEAD_OF_Q, perSecond: 20 }, OPS);
  void killed.run(await killed.read(id));
  await harness.pass(seconds);
  kill();
  return id;
}
