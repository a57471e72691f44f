import { BacklogClient } from '../../src/index.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { seededRandom } from '../simulation/random.js';
import { Harness, type RunChoices, START, succeed } from './harness.js';

const DAY = 86_400;
/** Seconds since the start. */
export const at = (harness: Harness) => (harness.time.now - START) / 1000;

/** A process that lives on: its long attempts go on without their runs. */
export class LongLived {
  readonly harness = new Harness();
  readonly ended: RunSummary[] = [];
  readonly spans: { id: string; from: number; to?: number; aborted?: number }[] = [];
  underWay = 0;

  /** Notes when each attempt is under way. */
  readonly working =
    (seconds: (id: string) => number, listens = true): Process =>
    async ({ id }, { signal }) => {
      const span: LongLived['spans'][number] = { id, from: at(this.harness) };
      this.spans.push(span);
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          span.aborted = at(this.harness);
          resolve();
        });
      });
      const over = this.harness.sleep(seconds(id), listens ? signal : undefined);
      await (listens ? Promise.race([over, aborted]) : over);
      span.to = at(this.harness);
      if (span.aborted !== undefined) throw signal.reason;
    };

  run(process: Process, choices: RunChoices = {}): Promise<RunSummary> {
    return this.harness.run(process, { ...this.choices, ...choices });
  }

  readonly choices = {
    attemptTimeout: DAY,
    onLongAttempt: (_: string, ended: Promise<RunSummary>) => {
      this.underWay++;
      void ended.then((summary) => {
        this.underWay--;
        this.ended.push(summary);
      });
    },
  };

  /** Looks of another process, which would attempt what it finds. */
  async watched(
    seconds: number,
    other: Process = succeed,
    { everySeconds = 20, ...choices }: RunChoices & { everySeconds?: number } = {},
  ): Promise<RunSummary[]> {
    const looks: RunSummary[] = [];
    for (const until = at(this.harness) + seconds; at(this.harness) < until; ) {
      await this.harness.pass(everySeconds);
      looks.push(await this.harness.run(other, choices));
    }
    return looks;
  }
}

/** A world with one record, `report`, and what cancels it. */
export function worldToCancel() {
  const world = new LongLived();
  const { harness } = world;
  harness.put('report');
  const client = new BacklogClient({
    table: 'records',
    store: harness.store,
    clock: harness.clock,
    random: seededRandom(2),
  });
  return { world, harness, cancel: (reason = 'withdrawn') => client.cancel('report', { reason }) };
}

/** Goes on until its signal is aborted, and ends in this way. */
export const untilAborted =
  (act: (reason: unknown) => unknown): Process =>
  (_, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        Promise.resolve()
          .then(() => act(signal.reason))
          .then(resolve as () => void, reject);
      });
    });
