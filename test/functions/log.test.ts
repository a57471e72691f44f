import { afterEach, describe, expect, it, vi } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { emitMetrics } from '../../functions/metrics.js';
import type { MetricsLevel } from '../../functions/metrics-level.js';
import type { RunSummary } from '../../src/worker/index.js';
import { readEmf } from '../../tools/src/cloudwatch/emf.js';
import { context, workbench } from './support.js';

const queues = { default: { retryMode: 'perRecord' } } as const;

const summary: RunSummary = {
  queue: 'default',
  lane: 'default',
  attempted: 5,
  succeeded: 2,
  failed: 2,
  dead: 1,
  snoozed: 0,
  cancelled: 0,
  skipped: 0,
  unsettled: 0,
  leftOver: 0,
  lagSeconds: 12.5,
  ended: 'drained',
  durationMs: 10,
};
/**
 * Bytes of the log of one success, with a lag and a table's name as CloudFormation makes them: the line of the
 * metrics alone.
 */
const LONE_SUCCESS_BYTES = 369;
const TABLE = 'OrdersStack-BacklogRecords7A1B2C3D-1ABCDEFGHIJKL';

const idle = { ...summary, attempted: 0, succeeded: 0, failed: 0, dead: 0, lagSeconds: 0 };

describe('the log', () => {
  it('has one line per run, with the counts that are not zero, and of its invocation the id alone', async () => {
    const bench = workbench(queues);
    await bench.insert({ id: 'a' });
    await bench.insert({ id: 'b' });
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
    await handler({ queue: 'default' }, context);
    expect(bench.log()).toEqual([
      {
        level: 'INFO',
        message: 'run',
        timestamp: expect.any(String),
        service: 'dynamo-backlog',
        sampling_rate: 0,
        function_request_id: 'request-1',
        queue: 'default',
        attempted: 2,
        succeeded: 2,
        ended: 'drained',
      },
    ]);
  });

  it('names the lane of a run where it is not named as the queue', async () => {
    const bench = workbench(queues);
    const run = async () => ({ ...summary, lane: 'default#1' });
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides, run });
    await handler({ queue: 'default' }, context);
    expect(bench.log()).toMatchObject([{ message: 'run', lane: 'default#1' }]);
  });

  it('names the invocation that is under way, and not the one before', async () => {
    const bench = workbench(queues);
    const run = async () => summary;
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides, run });
    for (const awsRequestId of ['request-1', 'request-2'])
      await handler({ queue: 'default' }, { ...context, awsRequestId });
    expect(bench.log().map((line) => line.function_request_id)).toEqual(['request-1', 'request-2']);
  });

  it('takes a logger that has no more than the four methods', async () => {
    const lines: unknown[] = [];
    const keep = (message: string) => void lines.push(message);
    const logger = { debug: keep, info: keep, warn: keep, error: keep };
    const bench = workbench(queues);
    const run = async () => summary;
    const handler = backlogHandler({
      queue: 'default',
      process: () => {},
      ...bench.overrides,
      logger,
      run,
    });
    await handler({ queue: 'default' }, context);
    expect(lines).toEqual(['run']);
  });

  it.each<[string, Partial<RunSummary>]>([
    ['made another one wait', { leftOver: 1 }],
    ['found another one settled', { skipped: 1 }],
    ['ended early', { ended: 'deadline' }],
    ['made up for a missed run', { caughtUp: [2] }],
  ])('has a line of a run with one success that %s', async (_, more) => {
    const bench = workbench(queues);
    const run = async (): Promise<RunSummary> => ({ ...idle, attempted: 1, succeeded: 1, ...more });
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides, run });
    await handler({ queue: 'default' }, context);
    expect(bench.log()).toMatchObject([{ level: 'INFO', message: 'run', succeeded: 1, ...more }]);
  });

  it('has no line of a run that found nothing, unless at debug level', async () => {
    for (const [logLevel, levels] of [
      ['INFO', []],
      ['DEBUG', ['DEBUG']],
    ] as const) {
      const bench = workbench(queues, { logLevel });
      const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 0 });
      expect(
        bench
          .log()
          .filter(({ message }) => message === 'run')
          .map(({ level }) => level),
      ).toEqual(levels);
    }
  });

  it('has a line of a run that found nothing but made up for a missed one', async () => {
    const bench = workbench(queues);
    const run = async () => ({ ...idle, caughtUp: [3] });
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides, run });
    await handler({ queue: 'default' }, context);
    expect(bench.log()).toMatchObject([{ level: 'INFO', message: 'run', caughtUp: [3] }]);
  });

  it('carries what attempts log, and no payload by itself', async () => {
    const bench = workbench(queues, { logLevel: 'DEBUG' });
    await bench.insert({ id: 'a', payload: { card: 'secret-payload' } });
    const handler = backlogHandler({
      queue: 'default',
      process: (record, { logger }) => {
        logger.info('sending', { order: record.id });
        logger.debug('no details');
        throw new Error('refused');
      },
      ...bench.overrides,
    });
    await handler({ queue: 'default' }, context);
    expect(bench.log()).toContainEqual(
      expect.objectContaining({ level: 'INFO', message: 'sending', order: 'a' }),
    );
    expect(bench.lines.join('\n')).not.toContain('secret-payload');
  });
});

describe('what a lone record costs when it succeeds', () => {
  it('is the line of its metrics: neither its run nor the intake writes another one', async () => {
    const bench = workbench(queues);
    await bench.insert({ id: 'a', payload: { amount: 12 } });
    bench.clock.advance(1.234);
    const { logger: _, emit: __, env, ...rest } = bench.overrides;
    const overrides = { ...rest, env: { ...env, BACKLOG_TABLE: TABLE } };
    const written: string[] = [];
    // What Powertools writes to without a console of its own.
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        written.push(String(chunk));
        return true;
      }),
    );
    try {
      const handler = backlogHandler({ queue: 'default', process: () => {}, ...overrides });
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(written.map((line) => Object.keys(JSON.parse(line))[0])).toEqual(['_aws']);
    expect(Buffer.byteLength(written.join(''))).toBe(LONE_SUCCESS_BYTES);
    expect(LONE_SUCCESS_BYTES).toBeLessThanOrEqual(400);
  });
});

describe('the metrics', () => {
  afterEach(() => vi.restoreAllMocks());

  function emitted(run: RunSummary, level: MetricsLevel = 'full', ownAlarms?: readonly string[]): string[] {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    emitMetrics(run, 'records-table', level, ownAlarms);
    vi.restoreAllMocks();
    return lines;
  }

  it('are one line in the embedded metric format, by table and queue', () => {
    const lines = emitted(summary);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'DynamoBacklog',
            Dimensions: [['Table', 'Queue']],
            Metrics: [
              { Name: 'Attempted', Unit: 'Count' },
              { Name: 'Succeeded', Unit: 'Count' },
              { Name: 'Failed', Unit: 'Count' },
              { Name: 'Dead', Unit: 'Count' },
              { Name: 'LagSeconds', Unit: 'Seconds' },
            ],
          },
        ],
      },
      Table: 'records-table',
      Queue: 'default',
      Attempted: 5,
      Succeeded: 2,
      Failed: 2,
      Dead: 1,
      LagSeconds: 12.5,
    });
  });

  it('count into the metric of the intake, by the table alone, what the table takes no change of', () => {
    const [line, ...more] = emitted({ ...summary, unsettled: 2, refused: 2 });
    expect(JSON.parse(line ?? '')).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          { Dimensions: [['Table', 'Queue']] },
          {
            Namespace: 'DynamoBacklog',
            Dimensions: [['Table']],
            Metrics: [{ Name: 'Refused', Unit: 'Count' }],
          },
        ],
      },
      Table: 'records-table',
      Refused: 2,
    });
    expect(more).toEqual([]);
  });

  it('count for the alarms of all queues, on the same line, what the queue has no alarm of its own for', () => {
    const valuesOf = (ownAlarms?: readonly string[]) => {
      const [line = '', ...more] = emitted({ ...summary, failingSeconds: 300 }, 'essential', ownAlarms);
      expect(more).toEqual([]);
      return readEmf(line)
        .filter(({ dimensions }) => dimensions.Queue === undefined)
        .map(({ name, values }) => [name, values]);
    };
    expect(valuesOf([])).toEqual([
      ['Dead', [1]],
      ['FailingSeconds', [300]],
    ]);
    expect(valuesOf(['dead'])).toEqual([['FailingSeconds', [300]]]);
    expect(valuesOf(['lag', 'dead', 'failures'])).toEqual([]);
    expect(valuesOf(undefined)).toEqual([]);
  });

  it('say 0 where records have recovered lately, and nothing where none has failed', () => {
    const failing = (failingSeconds?: number) =>
      emitted({ ...summary, failingSeconds }, 'essential').flatMap((line) =>
        readEmf(line).filter(({ name }) => name === 'FailingSeconds'),
      );
    expect(failing(0)).toMatchObject([{ values: [0], unit: 'Seconds' }]);
    expect(failing()).toEqual([]);
  });

  it('are silent when a run found nothing', () => {
    expect(emitted(idle)).toEqual([]);
  });

  it('count the runs of slower tiers that were made up for, only where there were any', () => {
    const [line = '', ...more] = emitted({ ...summary, caughtUp: [3, 5] });
    expect(more).toEqual([]);
    const { _aws, ...values } = JSON.parse(line);
    expect(values).toMatchObject({ CaughtUp: 2, Attempted: 5 });
    expect(_aws.CloudWatchMetrics[0].Metrics).toContainEqual({ Name: 'CaughtUp', Unit: 'Count' });
  });

  it('count what was put off and what was cancelled, only where there was any', () => {
    const [line = ''] = emitted({ ...summary, snoozed: 3, pending: 2, cancelled: 1 });
    const { _aws, ...values } = JSON.parse(line);
    expect(values).toMatchObject({ Snoozed: 3, Pending: 2, Cancelled: 1, Dead: 1, Failed: 2 });
    expect(_aws.CloudWatchMetrics[0].Metrics).toContainEqual({ Name: 'Snoozed', Unit: 'Count' });
  });

  it('count them alone when nothing was found', () => {
    const [line = ''] = emitted({ ...idle, caughtUp: [6] });
    const { _aws, ...values } = JSON.parse(line);
    expect(values).toEqual({ Table: 'records-table', Queue: 'default', CaughtUp: 1 });
    expect(_aws.CloudWatchMetrics[0].Metrics).toEqual([{ Name: 'CaughtUp', Unit: 'Count' }]);
  });

  it('report a run that only found what it could not attempt', () => {
    expect(emitted({ ...idle, leftOver: 3, lagSeconds: 100 })).toHaveLength(1);
  });

  it('get the run and the table from the handler', async () => {
    const bench = workbench(queues);
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
    const run = await handler({ queue: 'default' }, context);
    expect(bench.measured).toEqual([[run, 'records-table']]);
  });
});
