import { ConfigurationError } from 'dynamo-backlog';
import { deliverTo } from '../event-source.js';
import type { Invoke } from '../function-host.js';
import type { SendMessage } from '../queues/queues.js';
import type { LocalApp, LocalStream } from '../template/local-app.js';
import type { Change } from './change.js';
import { StreamPump, type StreamPumpOptions } from './stream-pump.js';

export interface StreamsOptions {
  readonly app: LocalApp;
  readonly region: string;
  readonly invoke: Invoke;
  readonly send: SendMessage;
  readonly whenWelcome?: StreamPumpOptions['whenWelcome'];
}

/** The streams of the app's tables, each with the functions that read it. */
export class Streams {
  private pumps: ReadonlyMap<string, Pump> = new Map();

  constructor(private readonly options: StreamsOptions) {
    this.replace(options.app);
  }

  /**
   * Reads these streams from now on. What waits for a function that stays is kept. One that is new gets what is written
   * from now on.
   */
  replace(app: StreamsOptions['app']): void {
    const previous = this.pumps;
    const entries = app.streams.map((stream) => {
      const options = this.optionsOf(stream, app);
      const known = previous.get(stream.id)?.pump;
      known?.configure(options);
      return [stream.id, { table: stream.table, pump: known ?? new StreamPump(options) }] as const;
    });
    this.pumps = new Map(entries);
    for (const [id, { pump }] of previous) if (!this.pumps.has(id)) pump.stop();
  }

  /** Tells whether any function wants to receive a change. */
  wants({ table, ...change }: Change): boolean {
    return this.of(table).some((pump) => pump.wants(change));
  }

  add({ table, ...change }: Change): void {
    for (const pump of this.of(table)) pump.add(change);
  }

  stop(): void {
    for (const { pump } of this.pumps.values()) pump.stop();
  }

  private of(table: string): StreamPump[] {
    return [...this.pumps.values()].filter((one) => one.table === table).map(({ pump }) => pump);
  }

  private optionsOf(
    { id: _, table, functionName, failureQueue, ...stream }: LocalStream,
    { tables }: Pick<LocalApp, 'tables'>,
  ): StreamPumpOptions {
    const { region, invoke, send, whenWelcome } = this.options;
    const keys = tables.find(({ name }) => name === table)?.keys.map(({ name }) => name);
    if (!keys) throw new ConfigurationError(`the app has a stream of the table ${table}, but not the table`);
    return {
      region,
      streamArn: `arn:aws:dynamodb:${region}:000000000000:table/${table}/stream/local`,
      keys,
      ...stream,
      whenWelcome,
      deliver: deliverTo(functionName, invoke),
      givesUp: (batch) => {
        if (failureQueue !== undefined)
          send(failureQueue, JSON.stringify({ ...givenUpOf(functionName), ...batch }), 0);
      },
    };
  }
}

interface Pump {
  readonly table: string;
  readonly pump: StreamPump;
}

/** Part of a message to a destination on failure, beside the batch's place in the stream. */
function givenUpOf(functionName: string) {
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      condition: 'RecordAgeExceeded',
    },
  };
}
