import type { Logger } from '@aws-lambda-powertools/logger';
import { type Claimant, type Decision, decideOwnership } from '../src/registry/ownership.js';
import { isPassive } from '../src/registry/regions.js';
import type { BacklogStore } from '../src/store/index.js';
import { ConfigurationError } from '../src/support/errors.js';
import { randomToken } from '../src/support/random.js';
import { show } from '../src/support/validation.js';
import type { RunOptions } from '../src/worker/index.js';
import type { HandlerDeps } from './deps.js';
import type { Settings } from './settings.js';

const MINUTE_MS = 60_000;
/** Longest time between two looks of a sandbox that finds nothing to do; it lives for some hours. */
const AT_LEAST_EVERY_MS = 12 * 3_600_000;
/** Most tries to register: others do so at the same time, after a deployment. */
const MAX_TRIES = 5;
const NO_OWNER: Decision = { next: undefined, foreign: new Map() };

type OwnershipChecks = Pick<RunOptions, 'ownershipConflict' | 'isPassive'>;

/**
 * Knows which queues of a function are its owner's, and whether its region is the active one. It looks that up in the control
 * table at a sandbox's first run, and later when a run has found something to do. So an idle poll costs nothing more.
 * A function without an owner has none of it. A process beside the functions obeys the active region in any case.
 */
export class OwnedQueues {
  private foreign: Decision['foreign'] = new Map();
  private isPassive = false;
  /** The backlog is in several regions. */
  private hasRegions = false;
  /** The time of the last look, real time. Undefined: there was none. */
  private lookedAt: number | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly deps: Pick<HandlerDeps, 'clock' | 'random'>,
    private readonly logger: Logger,
    /** The function registers its queues. False: a process, which registers only the queues that have no function. */
    private readonly registers = true,
  ) {}

  /**
   * Looks the queues up if that was not done lately, and registers them.
   *
   * @param arn of the function
   * @throws StoreError if the registry cannot be read, and never was
   */
  atStart(store: BacklogStore, arn: string | undefined, queues: readonly string[]): Promise<void> {
    const isRefused = this.isPassive || queues.some((queue) => this.foreign.has(queue));
    return this.lookUp(store, arn, isRefused ? MINUTE_MS : AT_LEAST_EVERY_MS);
  }

  /** The questions of a run that has found something to do. They cost a look in a minute at most. */
  checksOf(store: BacklogStore, arn: string | undefined, queue: string): OwnershipChecks {
    const isPassive = async () => {
      await this.lookUp(store, arn, MINUTE_MS);
      return this.isPassive;
    };
    const ownershipConflict = async () => {
      if (await isPassive()) return 'passiveRegion';
      return this.foreign.has(queue) ? 'notOwner' : undefined;
    };
    return { ownershipConflict, ...(this.hasRegions && { isPassive }) };
  }

  /** The reason why no record of a queue is attempted; undefined: it is the owner's, or this function is a standby. */
  conflict(queue: string): ConfigurationError | undefined {
    const { owner, isStandby } = this.settings;
    if (isStandby || this.isPassive || !this.foreign.has(queue)) return undefined;
    const entry = this.foreign.get(queue);
    const what = this.registers ? 'function' : 'process';
    const message =
      `the queue ${show(queue)} belongs to ${show(entry?.owner)} (function ${entry?.function ?? 'not known yet'}), and this ` +
      `${what} to ${show(owner)}: remove the queue from one of the two, or transfer it: ` +
      `npx backlog transfer ${queue} --to ${owner}`;
    // A process has other queues, and an operator may hand this one back: it is no reason to end.
    return Object.assign(new ConfigurationError(message), { maySettle: !this.registers });
  }

  private async lookUp(store: BacklogStore, arn: string | undefined, restMs: number): Promise<void> {
    const { owner } = this.settings;
    if (this.deps.clock.wall() - (this.lookedAt ?? 0) < restMs) return;
    // The lanes of a queue ask at the same time.
    this.looking ??= this.lookNow(store, owner === undefined ? undefined : this.claimant(owner, arn)).finally(
      () => {
        this.looking = undefined;
      },
    );
    await this.looking;
  }

  private claimant(owner: string, arn: string | undefined): Claimant {
    const {
      queues,
      functionTimeoutSeconds: timeout,
      isStandby = false,
      region,
      primaryRegion,
    } = this.settings;
    const registered = Object.entries(queues).map(
      ([name, { retryMode, shards, fairness, order, retry, onArrival, external }]) => [
        name,
        { retryMode, shards, fairness, order, retry, onArrival, external, timeout },
      ],
    );
    // What is undefined is not stored, and is not compared with what is.
    const own = JSON.parse(JSON.stringify(Object.fromEntries(registered))) as Claimant['queues'];
    const isProcess = !this.registers;
    return { owner, function: arn, isProcess, queues: own, isStandby, region, primaryRegion };
  }

  private async lookNow(store: BacklogStore, claimant: Claimant | undefined): Promise<void> {
    const { clock, random } = this.deps;
    // The answer is as old as the request.
    const askedAt = clock.wall();
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const registry = await store.registry.read();
        const { region, primaryRegion = registry.primaryRegion } = this.settings;
        this.hasRegions = primaryRegion !== undefined;
        this.isPassive = await isPassive({ region, primaryRegion }, store, clock.now());
        if (this.isPassive) {
          this.lookedAt = askedAt;
          return;
        }
        const { next, foreign } = claimant ? decideOwnership(registry, claimant, clock.now()) : NO_OWNER;
        this.foreign = foreign;
        // Until it is written, the next run looks again.
        this.lookedAt = 0;
        const written =
          !next || (await store.registry.write({ rev: randomToken(random), ...next }, registry.rev));
        if (written) {
          this.lookedAt = askedAt;
          return;
        }
      }
    } catch (error) {
      // What is known stays true: the leases keep two owners from attempting a record at the same time. They do not keep two
      // regions from it: each has its own.
      if (this.lookedAt === undefined || this.hasRegions) throw error;
      const { message } = error as Error;
      this.logger.warn('the owners of the queues could not be looked up', { reason: message });
    }
  }
}
