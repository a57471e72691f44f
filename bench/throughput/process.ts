import { createInterface } from 'node:readline';
import { createDynamoDbClient } from '../../src/store/index.js';
import { type BenchRuns, runAll } from './runs.js';

/** A process of the queue's function: each line of its input starts runs, each line of its output says what they attempted. */
const client = createDynamoDbClient({ endpoint: process.argv[2] });
for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${await runAll(client, JSON.parse(line) as BenchRuns)}\n`);
}
client.destroy();
