import { marshall } from '@aws-sdk/util-dynamodb';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import { makeHandler } from '../../../functions/make-handler.js';
import { DynamoDbOperatorStore } from '../../../src/store/index.js';
import type { Change } from '../../../tools/src/local/streams/change.js';
import { type GlobalTables, type RegionName, TABLES } from './global-tables.js';

const MINUTE = 60_000;
const FUNCTION = 'orders';
const SILENT = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  addContext() {},
  resetKeys() {},
  appendKeys() {},
};

export interface Attempt {
  readonly id: string;
  readonly region: RegionName;
  readonly from: number;
  readonly until: number;
}

/** All that a stack has in one region: a function and its rule, the intake, and the queue by which records come back. */
export class Site {
  readonly store: DynamoDbOperatorStore;
  /** Its rules fire, and its functions run. */
  isUp = true;
  private sequence = 0;
  /** Invocations of its functions that have not ended. */
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    readonly region: RegionName,
    private readonly tables: GlobalTables,
    attempts: Attempt[],
    { attemptMs = 5_000, primary = 'eu-central-1' }: { attemptMs?: number; primary?: RegionName } = {},
  ) {
    const { time } = tables;
    const clock = time.clock();
    const names = { records: TABLES.records, control: TABLES.control };
    this.store = new DynamoDbOperatorStore({ client: tables.client(region), tables: names, clock });
    const env = {
      BACKLOG_TABLE: TABLES.records,
      BACKLOG_CONTROL_TABLE: TABLES.control,
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
      BACKLOG_QUEUES: JSON.stringify({ orders: { retryMode: 'perRecord' } }),
      BACKLOG_OWNER: `Shop-${region}`,
      BACKLOG_PRIMARY_REGION: primary,
      AWS_REGION: region,
    };
    const seams = { store: this.store, clock, env, logger: SILENT as never, emit: () => {} };
    const process = async ({ id }: { readonly id: string }) => {
      const from = time.now;
      await clock.sleep(attemptMs);
      attempts.push({ id, region, from, until: time.now });
    };
    const work = makeHandler(() => process, {}, seams);
    const context = () => ({
      awsRequestId: 'request',
      functionName: FUNCTION,
      invokedFunctionArn: `arn:aws:lambda:${region}:111111111111:function:${FUNCTION}`,
      getRemainingTimeInMillis: () => 300_000,
    });
    const intake = intakeHandler({
      ...seams,
      env: {
        ...env,
        BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ [FUNCTION]: ['orders'] }),
        BACKLOG_REDELIVERY_URL: 'https://sqs.example.com/returns',
      },
      invoker: {
        invoke: async ({ event }) => {
          time.after(50, () => this.invoke(work(event, context())));
          return 'accepted' as const;
        },
        sendToRedelivery: async (ids, delaySeconds) => {
          const body = JSON.stringify({ notIndexed: ids });
          const Records = [{ eventSource: 'aws:sqs', messageId: 'message', body }];
          time.after(delaySeconds * 1000, () => this.invoke(intake({ Records }, context())));
        },
        sendShortWait: async () => {},
        giveUp: async () => {},
      },
    });
    this.ingest = (Records) => void time.after(100, () => this.invoke(intake({ Records }, context())));
    const tick = () => {
      if (this.isUp) this.invoke(work({ queue: 'orders' }, context()));
      time.after(MINUTE, tick);
    };
    time.after(1_000, tick);
  }

  private readonly ingest: (records: readonly object[]) => void;

  /** Takes a change of its replica's stream, if the intake's filter lets it through. */
  sees({ table, before, after }: Change): void {
    const status = (after?.status as { S?: string } | undefined)?.S;
    if (!this.isUp || table !== TABLES.records || !after || after.lane || status === 'SUCCESS') return;
    const eventName = before ? 'MODIFY' : 'INSERT';
    const dynamodb = { SequenceNumber: String(++this.sequence), Keys: { id: after.id }, NewImage: after };
    this.ingest([{ eventSource: 'aws:dynamodb', eventName, dynamodb }]);
  }

  /** Stops its rules, and waits until its functions have ended: a request behind the end of a test would fail. */
  async stop(): Promise<void> {
    this.isUp = false;
    await this.tables.time.until(Promise.all(this.running));
  }

  /** Puts a record as a producer does. */
  async put(id: string): Promise<void> {
    await this.tables.put(this.region, marshall({ id, status: 'NEW', queue: 'orders', payload: { id } }));
  }

  private invoke(invocation: Promise<unknown>): void {
    this.running.add(invocation);
    void invocation.finally(() => this.running.delete(invocation));
  }

  async statusOf(id: string): Promise<string | undefined> {
    return (await this.store.records.get(id))?.status;
  }
}
