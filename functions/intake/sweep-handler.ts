import { type SweepSummary, sweep } from '../../src/intake/index.js';
import { isPassive } from '../../src/registry/regions.js';
import { DynamoDbSweepStore, type SweepStore } from '../../src/store/index.js';
import { createDeps } from '../deps.js';
import type { GroupsTables } from '../groups-deps.js';
import type { LambdaContext, LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, logFailure, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import type { IntakeSeams } from './intake-handler.js';
import { createMessages, type Messages } from './messages.js';
import { readIntakeSettings } from './settings.js';

/**
 * Delay before the intake looks at the records: the longest that SQS has. Most records that have just come are done by
 * then.
 */
const LOOKED_AT_AFTER_SECONDS = 900;
/** Most ids of one message: as many as one BatchGetItem reads. */
const IDS_PER_MESSAGE = 100;

/** The parts of the sweep that tests replace. It sends messages only: its bundle needs no client of Lambda. */
interface SweepSeams extends Omit<IntakeSeams, 'emit' | 'invoker' | 'store'> {
  readonly store?: SweepStore;
  readonly invoker?: Messages | undefined;
  /** The tables as groups need them. */
  readonly groups?: GroupsTables | undefined;
}

/**
 * Looks once a day for records that the intake was not notified of, and hands them to the intake. Started every hour: a
 * large table takes several of them, and a day whose hour was missed is made up for. Then checks the groups, if there are any.
 */
export function sweepHandler(overrides: SweepSeams = {}): LambdaHandler<SweepSummary> {
  const { logger = createLogger(), env = process.env } = overrides;
  const start = once(() => {
    const settings = readIntakeSettings(env);
    return {
      settings,
      ...createDeps(settings, overrides, DynamoDbSweepStore),
      invoker: overrides.invoker ?? createMessages(settings),
    };
  });

  const handle = async (_: unknown, context: LambdaContext): Promise<SweepSummary> => {
    const { settings, store, clock, random, invoker } = start();
    if (await isPassive(settings, store, clock.now())) return { ended: 'passiveRegion', found: 0 };
    const deadline = clock.wall() + context.getRemainingTimeInMillis();
    const summary = await sweep({
      store,
      clock,
      deadline,
      found: async (ids) => {
        for (let i = 0; i < ids.length; i += IDS_PER_MESSAGE) {
          await invoker.sendToRedelivery(ids.slice(i, i + IDS_PER_MESSAGE), LOOKED_AT_AFTER_SECONDS, true);
        }
      },
    });
    logger[summary.ended === 'rested' ? 'debug' : 'info']('sweep', { ...summary });
    if (summary.ended === 'finished' && env.BACKLOG_GROUPS === 'true') {
      const { checkGroups } = await import('./check-groups.js');
      await checkGroups({ env, logger, deadline, clock, random, store: overrides.groups });
    }
    return summary;
  };
  return lambdaHandler(logger, handle, [logFailure(logger, 'sweep failed')]);
}
