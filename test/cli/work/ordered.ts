import { Lines } from '../../../functions/intake/lines.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import type { OrderOptions } from '../../../src/lines/order-options.js';
import { orderRulesOf } from '../../../src/lines/rules.js';
import { BacklogOperator } from '../../../src/operate/index.js';
import { type BacklogRecord, parseRecord } from '../../../src/record/index.js';
import type { AttemptContext } from '../../../src/worker/index.js';
import { Chaos, NO_TROUBLES } from '../../../tools/src/lab/cloud/chaos.js';
import { Witness } from '../../lines/order-witness.js';
import { Actor, NO_FAULTS } from '../../simulation/actor.js';
import { Cloud } from '../../simulation/cloud/cloud.js';
import { World } from './world.js';

export const QUEUES = { orders: { retryMode: 'perRecord', order: 'key' } } as const;

/**
 * Workers on a queue with order, beside the intake of a deployment.
 *
 * @param queues the settings of the workers
 */
export function deployed(queues: QueuesSettings = QUEUES, rules: OrderOptions = {}) {
  const settings = { orders: { ...QUEUES.orders, ...rules } };
  const world = new World();
  const { time, memory, random } = world;
  const record = (id: string) => {
    const item = memory.item(id);
    return item && parseRecord(item, time.now);
  };
  const witness = new Witness(record, () => time.now, orderRulesOf(settings.orders), true);
  const cloud = new Cloud({
    stream: { shards: 1, batchSize: 10, standstill: undefined, hasOrder: true },
    chaos: new Chaos(time, random, () => NO_TROUBLES),
    faults: () => NO_FAULTS,
    settings: {
      ...{ tables: { records: 'records', control: 'control' }, functionTimeoutSeconds: 60, queues: settings },
      ...{ metrics: 'full', redeliveryUrl: 'https://sqs/returns', eventDlqUrl: undefined },
      ...{ functions: new Map(), arrivalFunctions: new Map() },
    },
    newActor: (kind) => new Actor(kind, time, random, () => NO_FAULTS),
    storeOf: () => memory,
    linesOf: (given) => new Lines(given, { lines: memory.lines, control: memory.control }),
    run: () => Promise.reject(new Error('there is no function')),
    ...{ hasOnFailure: true, gaveUp() {}, hearsIntake() {} },
  });
  memory.watch((before, after) => {
    const kind = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    cloud.wrote(kind, after ?? before ?? {}, before);
  });
  const begun: string[] = [];
  let workers = 0;
  const work = (
    seconds: (record: BacklogRecord, attempt: number) => number,
    attemptTimeout = 30,
    maxAttempts = 9,
  ) => {
    const name = `worker ${++workers}`;
    const process = async (one: BacklogRecord, { signal }: AttemptContext) => {
      begun.push(one.id);
      const end = witness.begins(name, one);
      try {
        const attempt = begun.filter((id) => id === one.id).length;
        const needed = seconds(one, attempt);
        await world.clock.sleep(Math.abs(needed) * 1000, signal);
        if (needed < 0) throw new Error('down');
      } finally {
        end();
      }
    };
    const retry = { type: 'constant', interval: 20, jitter: 'none', maxAttempts } as const;
    return world.worker({ queue: 'orders', process, retry, attemptTimeout }, queues);
  };
  return {
    ...{ world, witness, begun, work, cloud },
    operator: new BacklogOperator({
      ...{ table: 'records', controlTable: 'control', store: memory, clock: world.clock, random },
    }),
    /** Puts the records of a key with these numbers, as producers of any language do. */
    come(key: string, ...seqs: number[]): void {
      for (const seq of seqs) {
        witness.comes(`${key}${seq}`, key, seq);
        memory.put({ id: `${key}${seq}`, status: 'NEW', queue: 'orders', key, seq, payload: 0 });
      }
    },
  };
}
