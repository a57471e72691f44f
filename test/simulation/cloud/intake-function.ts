import type { Logger } from '@aws-lambda-powertools/logger';
import type { BatchKeys } from '../../../functions/intake/batch-keys.js';
import { IntakeBatch } from '../../../functions/intake/intake-batch.js';
import { take } from '../../../functions/intake/intake-handler.js';
import type { Lines, LinesGiven } from '../../../functions/intake/lines.js';
import type { IntakeSettings } from '../../../functions/intake/settings.js';
import type { IndexingDeps } from '../../../src/intake/index.js';
import type { SweepStore } from '../../../src/store/store.js';
import type { Chaos } from '../../../tools/src/lab/cloud/chaos.js';
import type { Actor, Faults } from '../actor.js';
import { faultyStore } from '../faulty-store.js';
import { faultyRemote, type Services } from './faulty-invoker.js';
import { invocation } from './invocation.js';

const TIMEOUT_MS = 60_000;

/** The intake's report on one event. Counts are of records. */
export interface IntakeReport {
  readonly started: number;
  readonly indexed: number;
  readonly quarantined: number;
  readonly refused: number;
  readonly later: number;
  readonly skipped: number;
}

export interface SandboxDeps {
  readonly chaos: Chaos;
  readonly faults: () => Faults;
  readonly settings: IntakeSettings;
  /** The keys of one batch; undefined: no queue is fair between keys now. */
  readonly keysOf?: ((deps: IndexingDeps) => BatchKeys | undefined) | undefined;
  /** The lines of the queues with order; undefined: none has. */
  readonly linesOf?: ((given: LinesGiven) => Lines) | undefined;
  readonly services: Services;
  readonly newActor: (name: string) => Actor;
  /** The store, whose writes the witness sees. */
  readonly storeOf: (actor: Actor) => SweepStore;
}

interface IntakeWitness {
  hearsIntake(
    name: string,
    event: { Records: unknown[] },
    failed: readonly string[],
    report: IntakeReport,
  ): void;
}

/** One invocation of the intake, in a sandbox that is killed, frozen and cut off. */
export async function invokeIntake(
  event: { Records: unknown[] },
  deps: SandboxDeps,
  witness: IntakeWitness,
): Promise<readonly string[] | 'all'> {
  const { chaos, faults, settings, services } = deps;
  const actor = deps.newActor('intake');
  let report: IntakeReport | undefined;
  const logger = {
    debug() {},
    warn() {},
    error() {},
    info: (_: string, reported?: object) => {
      report = reported as IntakeReport;
    },
  };
  const random = chaos.random;
  const store = faultyStore(deps.storeOf(actor), actor, faults, random);
  const shardsOf = (queue: string) => settings.queues[queue]?.shards ?? 1;
  const serves = (queue: string) => Object.hasOwn(settings.queues, queue);
  const deciding = { store, clock: actor.clock, random, logger, shardsOf, serves };
  const keys = deps.keysOf?.(deciding);
  const indexing = { ...deciding, keyLanes: keys };
  const common = {
    settings,
    indexing,
    invoker: faultyRemote(services, actor, faults, chaos),
    logger: logger as unknown as Logger,
  };
  const intake = { ...common, keys, lines: deps.linesOf?.(common) };
  const run = new IntakeBatch(intake);
  const failed = await invocation(actor, chaos.time, TIMEOUT_MS, () => take(event, run, intake));
  if (failed === 'failed') return 'all';
  run.report(() => {});
  if (report) witness.hearsIntake(actor.name, event, failed, report);
  return failed;
}
