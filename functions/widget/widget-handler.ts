import type { Logger } from '@aws-lambda-powertools/logger';
import { entriesFor } from '../../src/overview/queue-counts.js';
import { snapshotOf } from '../../src/overview/snapshot.js';
import { overviewStore } from '../../src/store/dynamodb/overview-store.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { OverviewStore } from '../../src/store/operator-store.js';
import { type Clock, toIso } from '../../src/support/clock.js';
import { clockOf } from '../clock.js';
import type { LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import { isDescribe, widgetContextOf } from './event.js';
import { type OverviewReading, overview } from './overview.js';
import { readQueue } from './read-queue.js';
import { FUNCTION_ARN, readWidgetSettings, widgetQueues } from './settings.js';

/** The parts of the widget's functions that tests replace. */
export interface WidgetSeams {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly store?: OverviewStore | undefined;
  readonly clock?: Clock | undefined;
}

const DEFAULT_CONTEXT = { theme: 'light', params: {} } as const;

/**
 * Draws the overview as HTML for a custom widget of a CloudWatch dashboard. It never fails: what went wrong is a
 * sentence in the widget, and a line in the log.
 */
export function widgetHandler(overrides: WidgetSeams = {}): LambdaHandler<string> {
  const { logger = createLogger(), env = process.env } = overrides;
  const start = once(() => {
    const settings = readWidgetSettings(env);
    const clock = overrides.clock ?? clockOf(settings);
    const { tables } = settings;
    let readUnits = 0;
    const onConsumed = ({ units }: { readonly units: number }) => {
      readUnits += units;
    };
    const store =
      overrides.store ?? overviewStore({ client: createDynamoDbClient(), tables, clock, onConsumed });
    const unitsSoFar = () => readUnits;
    return { settings, clock, store, unitsSoFar, queues: widgetQueues(settings) };
  });

  async function read(): Promise<OverviewReading> {
    const { settings, clock, store, unitsSoFar, queues } = start();
    const before = unitsSoFar();
    const now = clock.now();
    const look = { store, clock, entries: entriesFor(queues.length) };
    const readings = await Promise.all(queues.map((queue) => readQueue(queue, look)));
    const readUnits = unitsSoFar() - before;
    const stats = { at: toIso(now), queues: readings.map(({ stats }) => stats) };
    const leases = new Map(readings.flatMap((reading) => [...reading.leases]));
    const expired = new Map(readings.flatMap((reading) => [...reading.expired]));
    const states = new Map(readings.map(({ stats, state }) => [stats.queue, state]));
    const { records: table, control: controlTable } = settings.tables;
    const successes = new Map(
      readings.flatMap(({ stats, succeededAt }) =>
        succeededAt === undefined ? [] : [[stats.queue, succeededAt] as const],
      ),
    );
    const counts = { stats, leases, expired, states, successes, readAt: clock.wall(), readUnits };
    return {
      snapshot: snapshotOf({ backlog: { table, controlTable, clock } }, counts, now),
      readUnits,
    };
  }

  return lambdaHandler(logger, async (event, context) => {
    if (isDescribe(event)) return (await import('./describe.js')).OVERVIEW_DOCS;
    const viewer = widgetContextOf(event) ?? DEFAULT_CONTEXT;
    try {
      const { actions } = start().settings;
      const reading = await read();
      const own = context.invokedFunctionArn ?? '';
      return overview(reading, { actions, overview: FUNCTION_ARN.test(own) ? own : undefined }, viewer);
    } catch (error) {
      logger.error('the overview could not be read', error as Error);
      // Loaded only where the tables cannot be read.
      const { trouble } = await import('./trouble.js');
      return trouble('The tables cannot be read', error, doctor(env), viewer);
    }
  });
}

function doctor({
  BACKLOG_TABLE: table = 'TABLE',
  BACKLOG_CONTROL_TABLE: control = 'CONTROL',
}: NodeJS.ProcessEnv) {
  return `npx backlog doctor --table ${table} --control-table ${control}`;
}
