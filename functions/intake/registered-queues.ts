import type { Logger } from '@aws-lambda-powertools/logger';
import type { OrderOptions } from '../../src/lines/order-options.js';
import { isProcess } from '../../src/registry/ownership.js';
import { isElsewhere, isPassive } from '../../src/registry/regions.js';
import type { BacklogStore, Registry } from '../../src/store/index.js';
import { ownValue } from '../../src/support/own-names.js';
import type { HandlerDeps } from '../deps.js';
import type { IntakeSettings } from './settings.js';

/** Time for which a registry, or the lack of one, is known without another read. */
const KNOWN_FOR_MS = 60_000;

/** The queues of the intake's own environment, and those of other owners, as the registry says. */
export class RegisteredQueues {
  private known: IntakeSettings | undefined;
  private hasRegions = false;
  private readAt = 0;

  constructor(
    private readonly settings: IntakeSettings,
    private readonly deps: Pick<HandlerDeps, 'clock'> & {
      readonly store: Pick<BacklogStore, 'registry' | 'activeRegion'>;
    },
    private readonly logger: Logger,
  ) {}

  /**
   * @throws StoreError if the registry cannot be read, and never was: runs that it names may be at work on the records. In a
   *   backlog of several regions, whenever it cannot be read: another region may have become the active one.
   */
  async read(): Promise<IntakeSettings> {
    const { store, clock } = this.deps;
    if (this.known && clock.wall() - this.readAt < KNOWN_FOR_MS) return this.known;
    // The answer is as old as the request.
    const askedAt = clock.wall();
    try {
      const registry = await store.registry.read();
      const { region, primaryRegion = registry.primaryRegion } = this.settings;
      this.hasRegions = primaryRegion !== undefined;
      const passive = await isPassive({ region, primaryRegion }, store, clock.now());
      this.known = { ...withRegistry(this.settings, registry), primaryRegion, isPassive: passive };
      this.readAt = askedAt;
    } catch (error) {
      if (!this.known || this.hasRegions) throw error;
      const { message } = error as Error;
      this.logger.warn('the owners of the queues could not be looked up', { reason: message });
    }
    return this.known;
  }
}

/** Adds the queues of the registry. The environment knows more of the intake's own queues, the registry of all others. */
function withRegistry(settings: IntakeSettings, { queues }: Registry): IntakeSettings {
  const { owner, redeliveryUrl, region } = settings;
  const isOwn = (name: string) => queues.get(name)?.owner === owner && Object.hasOwn(settings.queues, name);
  const others = [...queues].filter(([name, { removedAt }]) => !removedAt && !isOwn(name));
  const arrivalFunctions = new Map(settings.arrivalFunctions);
  for (const [name, { function: arn, onArrival }] of others) {
    arrivalFunctions.delete(name);
    // Without the redelivery queue, a run that is lost could not come back.
    const isCallable = arn !== undefined && !isElsewhere(arn, region);
    if (onArrival && isCallable && redeliveryUrl !== undefined) arrivalFunctions.set(name, arn);
  }
  const registered = others.map(
    ([name, { retryMode, shards, fairness, order }]) =>
      [name, { retryMode, shards, fairness, ...(order && orderOf(settings, name)) }] as const,
  );
  const functions = [...queues].flatMap(([name, { function: arn, removedAt }]) =>
    removedAt || !arn || isProcess(arn) || isElsewhere(arn, region) ? [] : [[name, arn] as const],
  );
  const onArrival = [...queues].filter(([, entry]) => entry.onArrival).map(([name]) => name);
  return {
    ...settings,
    arrivalFunctions,
    functions: new Map([...arrivalFunctions, ...functions]),
    queues: Object.fromEntries([...Object.entries(settings.queues), ...registered]),
    previousQueues: [...new Set([...Object.keys(settings.queues), ...queues.keys()])],
    mayBeClaimed: new Set([...settings.arrivalFunctions.keys(), ...onArrival]),
  };
}

/**
 * The order of a queue that is registered with one, by the intake's own environment: in another region the owner may have another name.
 * Only then has the intake the rights that lines need.
 */
function orderOf({ queues }: IntakeSettings, name: string): OrderOptions {
  const { order, onDeadHead, skipGapAfter } = ownValue(queues, name) ?? {};
  return order === undefined ? {} : { order, onDeadHead, skipGapAfter };
}
