import { ConfigurationError } from '../../../errors.js';
import { handOverTo } from '../event-source.js';
import type { Invoke } from '../function-host.js';
import type { SendMessage } from '../queues/queues.js';
import type { LocalApp } from '../template/local-app.js';
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
  private readonly pumps = new Map<string, StreamPump[]>();

  constructor({ app, region, invoke, send, whenWelcome }: StreamsOptions) {
    for (const { table, functionName, failureQueue, ...stream } of app.streams) {
      const keys = app.tables.find(({ name }) => name === table)?.keys.map(({ name }) => name);
      if (!keys)
        throw new ConfigurationError(`the app has a stream of the table ${table}, but not the table`);
      const pump = new StreamPump({
        region,
        streamArn: `arn:aws:dynamodb:${region}:000000000000:table/${table}/stream/local`,
        keys,
        ...stream,
        whenWelcome,
        deliver: handOverTo(functionName, invoke),
        givesUp: (batch) => {
          if (failureQueue !== undefined)
            send(failureQueue, JSON.stringify({ ...givenUpOf(functionName), ...batch }), 0);
        },
      });
      this.pumps.set(table, [...(this.pumps.get(table) ?? []), pump]);
    }
  }

  /** Whether any function wants to know of a change. */
  wants({ table, ...change }: Change): boolean {
    return (this.pumps.get(table) ?? []).some((pump) => pump.wants(change));
  }

  add({ table, ...change }: Change): void {
    for (const pump of this.pumps.get(table) ?? []) pump.add(change);
  }

  stop(): void {
    for (const pump of [...this.pumps.values()].flat()) pump.stop();
  }
}

/** As Lambda tells a destination of a batch, beside where it is in the stream. */
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
