import { ConfigurationError } from 'dynamo-backlog';
import { play } from '../../lab/keys/play.js';
import { type Report, reportOf } from '../../lab/keys/report.js';
import type { Workload } from '../../lab/keys/workloads.js';
import { explain } from '../explain.js';
import { EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { simulationBar } from '../progress.js';
import { type GivenFlags, refuseBesideKeys } from '../simulate-modes.js';
import {
  type KeysFlags,
  type KeysQueue,
  type KeysScenario,
  queuesOf,
  scenarioOf,
  workloadOf,
} from './input.js';
import { keysJson } from './json.js';
import type { PlayedQueue } from './played-queue.js';
import { keysTable, queueName } from './table.js';

/** `backlog simulate --keys`: the waits of quiet keys beside noisy ones, in a queue with these options. */
export async function simulateKeys(given: GivenFlags, output: Output): Promise<ExitCode> {
  try {
    refuseBesideKeys(given);
    const flags = given as unknown as KeysFlags;
    const scenario = scenarioOf(flags);
    const queues = queuesOf(flags);
    const workload = workloadOf(scenario);
    const played: PlayedQueue[] = [];
    for (const queue of queues) played.push({ queue, report: await watched(queue, workload, scenario) });
    output.data(
      flags.json
        ? keysJson(played, scenario)
        : keysTable(played, scenario, painter(hasColors(process.stdout))),
    );
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    output.message(explain(error));
    return EXIT.usage;
  }
}

async function watched(
  queue: KeysQueue,
  workload: Workload,
  { attemptMs, failingAttempts, seed }: KeysScenario,
): Promise<Report> {
  const bar = simulationBar(queueName(queue), workload.noise.length);
  try {
    const played = await play(workload, {
      settings: queue,
      seed,
      attemptMs,
      failingAttempts,
      onProgress: ({ attempts, begun, elapsedMs }) =>
        bar.update({ attempts, succeeded: begun, elapsedMs: Math.max(0, elapsedMs) }),
    });
    if (played.trouble) throw new Error('a run failed, which no queue should do', { cause: played.trouble });
    return reportOf([played]);
  } finally {
    bar.stop();
  }
}
