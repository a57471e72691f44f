import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Clock, systemClock } from '../../src/engine.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Design, OpenDesign, Work } from '../designs/design.js';
import { payloadOf } from '../payload.js';
import { Meter, type Used } from './meter.js';

/** Records of one size, of which each fifth may fail three times. */
export interface Workload {
  readonly records: number;
  readonly kilobytes: number;
  readonly fails: boolean;
}

export interface Timed {
  readonly recordsPerSecond: number;
  /** User and system time of this process, whose client sends the requests. */
  readonly cpuMsPerRecord: number;
}

export interface Counted {
  readonly fill: Used;
  readonly work: Used;
  /** A poll that finds nothing due, with all records as history. */
  readonly idle: Used;
}

const FAILURES = 3;
const ONE_IN = 5;
/** Longer than any wait after three failures. */
const STEP_MS = 3_600_000;

/** Works off fresh records, and measures its time. */
export function timed(design: Design, workload: Workload, endpoint: string): Promise<Timed> {
  return withRound(design, workload, endpoint, async (round) => {
    await round.fill();
    const cpu = process.cpuUsage();
    const start = performance.now();
    await round.workOff();
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    await round.check();
    const { records } = workload;
    return { recordsPerSecond: records / seconds, cpuMsPerRecord: (user + system) / 1000 / records };
  });
}

/** Works off fresh records, and counts requests and units; apart from the time, which asking for them takes. */
export function counted(design: Design, workload: Workload, endpoint: string): Promise<Counted> {
  return withRound(design, workload, endpoint, async (round, startMeter) => {
    const meter = startMeter();
    await round.fill();
    const fill = meter.take();
    await round.workOff();
    const work = meter.take();
    await round.check();
    return { fill, work, idle: meter.take() };
  });
}

/** One design and its tables, with records of its own. */
class Round {
  /** Attempts made of each record. */
  private readonly attempts = new Map<string, number>();
  private readonly works: readonly Work[];
  private succeeded = 0;

  constructor(
    private readonly design: OpenDesign,
    private readonly workload: Workload,
    private readonly letTimePass: () => void,
  ) {
    const payload = payloadOf(workload.kilobytes);
    this.works = Array.from({ length: workload.records }, (_, i) => ({
      id: `order-${String(i).padStart(8, '0')}`,
      payload,
    }));
  }

  fill(): Promise<void> {
    return this.design.fill(this.works);
  }

  /** Polls until all have succeeded. Nothing waits in real time: an hour passes on the designs' clock between two polls. */
  async workOff(): Promise<void> {
    for (let poll = 0; poll <= FAILURES && this.succeeded < this.works.length; poll++) await this.poll();
  }

  /** Throws an error unless each record was attempted as often as it fails and once more, and its success was written. */
  async check(): Promise<void> {
    await this.poll();
    for (const [i, { id }] of this.works.entries()) {
      const [expected, made] = [this.failuresOf(i) + 1, this.attempts.get(id)];
      if (made !== expected) throw new Error(`${id}: expected ${expected} attempts, got ${made}`);
    }
  }

  private async poll(): Promise<void> {
    await this.design.work(({ id, payload }) => {
      const made = (this.attempts.get(id) ?? 0) + 1;
      this.attempts.set(id, made);
      if (payload.customer !== 'c-1') throw new Error(`${id}: expected its payload`);
      if (made <= this.failuresOf(Number(id.slice(-8)))) throw new Error('the ERP is down');
      this.succeeded++;
    });
    this.letTimePass();
    await this.design.letTimePass?.();
  }

  private failuresOf(i: number): number {
    return this.workload.fails && i % ONE_IN === 0 ? FAILURES : 0;
  }
}

async function withRound<T>(
  design: Design,
  workload: Workload,
  endpoint: string,
  use: (round: Round, startMeter: () => Meter) => Promise<T>,
): Promise<T> {
  const client = createDynamoDbClient({ endpoint });
  const reader = createDynamoDbClient({ endpoint });
  let passed = 0;
  const now = () => Date.now() + passed;
  const clock: Clock = { ...systemClock, now, wall: now };
  try {
    const opened = await design.open({ client, documents: DynamoDBDocumentClient.from(client), clock });
    const round = new Round(opened, workload, () => {
      passed += STEP_MS;
    });
    const result = await use(round, () => new Meter(client, DynamoDBDocumentClient.from(reader)));
    await opened.close?.();
    for (const TableName of opened.tables) await client.send(new DeleteTableCommand({ TableName }));
    return result;
  } finally {
    client.destroy();
    reader.destroy();
  }
}
