import { ConfigurationError } from '../../errors.js';
import type { Invocation } from '../sandbox/sandbox.js';
import type { GivenUp } from '../sandbox/sandbox-pool.js';
import type { LocalApp } from '../template/local-app.js';
import type { Change } from './change-capture.js';
import { StreamPump } from './stream-pump.js';

export interface StreamsOptions {
  readonly app: LocalApp;
  readonly region: string;
  readonly invoke: (functionName: string, event: unknown) => Promise<Invocation | GivenUp>;
  readonly whenWelcome?: ((isFull: () => boolean) => Promise<void>) | undefined;
}

/** The streams of the app's tables, each with the functions that read it. */
export class Streams {
  private readonly pumps = new Map<string, StreamPump[]>();

  constructor({ app, region, invoke, whenWelcome }: StreamsOptions) {
    for (const { table, functionName, ...stream } of app.streams) {
      const keys = app.tables.find(({ name }) => name === table)?.keys.map(({ name }) => name);
      if (!keys)
        throw new ConfigurationError(`the app has a stream of the table ${table}, but not the table`);
      const pump = new StreamPump({
        region,
        streamArn: `arn:aws:dynamodb:${region}:000000000000:table/${table}/stream/local`,
        keys,
        ...stream,
        whenWelcome,
        deliver: async (event) => {
          const invocation = await invoke(functionName, event);
          if (invocation.type === 'result') return invocation.value;
          throw new Error(invocation.message);
        },
      });
      this.pumps.set(table, [...(this.pumps.get(table) ?? []), pump]);
    }
  }

  get tables(): string[] {
    return [...this.pumps.keys()];
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
