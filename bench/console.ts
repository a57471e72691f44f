import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import Table from 'cli-table3';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../src/store/index.js';
import { systemClock } from '../src/support/clock.js';
import { runtimeUnderTest } from '../test/console/console-under-test.js';
import { LARGE_VIEWS, largeBacklog, noteQueues, putAll } from '../test/console/large-backlog.js';
import { meterOf } from '../test/console/read-meter.js';
import { createTables } from '../test/store/tables.js';
import { consoleApp } from '../tools/src/console/app.js';
import { median } from './median.js';
import { startDatabase } from './start-database.js';

const WAITING = Number(process.env.BENCH_WAITING ?? 100_000);
const FINISHED = Number(process.env.BENCH_FINISHED ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** Most read units of a view, however much waits. */
const MAX_UNITS = 50;

/** The cost of each view of the console on a large backlog: the first look, and the next ones, by turns. Fails where a view reads too much. */
const given = process.env.BENCH_ENDPOINT;
const database = given === undefined ? await startDatabase() : undefined;
const client = createDynamoDbClient({ endpoint: given ?? database?.endpoint });
const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
try {
  const tables = await createTables(client);
  const now = Date.now();
  const started = performance.now();
  const dead = Math.floor(WAITING / 20);
  await putAll(documents, tables.records, largeBacklog({ waiting: WAITING, dead, finished: FINISHED, now }));
  const store = new DynamoDbOperatorStore({ client, tables, clock: systemClock });
  await noteQueues(store, now);
  process.stderr.write(`put in ${Math.round((performance.now() - started) / 1000)} s\n`);
  const meter = meterOf(client);
  const open = (local: boolean) =>
    consoleApp({
      backlog: { table: tables.records, controlTable: tables.control, client, clock: systemClock },
      name: 'bench',
      where: 'bench',
      access: { write: true, as: 'ops' },
      onAction: () => {},
      ...(local ? { runtime: runtimeUnderTest() } : {}),
    });
  const look = async (path: string, local: boolean) => {
    const begun = performance.now();
    const answer = await open(local).request(`http://127.0.0.1${path}`);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { ms: performance.now() - begun, kilobytes: text.length / 1024 };
  };
  const table = new Table({
    style: { head: [], border: [] },
    head: ['view', 'ms', 'read units', 'requests', 'KB of page', 'ms in the local runtime'],
  });
  const tooDear: string[] = [];
  for (const [name, path] of Object.entries(LARGE_VIEWS)) {
    const times: number[] = [];
    const localTimes: number[] = [];
    let size = 0;
    let cost: readonly number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      meter.reset();
      const { ms, kilobytes } = await look(path, false);
      times.push(ms);
      size = kilobytes;
      cost = [meter.units(), meter.requests()];
      localTimes.push((await look(path, true)).ms);
    }
    if ((cost[0] ?? 0) > MAX_UNITS) tooDear.push(`${name}: ${cost[0]} read units`);
    table.push([name, median(times).toFixed(0), ...cost, size.toFixed(0), median(localTimes).toFixed(0)]);
  }
  process.stdout.write(
    `${WAITING} records wait, ${dead} are dead, ${FINISHED} finished; medians of ${ROUNDS}; each look is the first of its console\n${table}\n`,
  );
  if (tooDear.length > 0) throw new Error(`expected at most ${MAX_UNITS} read units: ${tooDear.join(', ')}`);
} finally {
  client.destroy();
  await database?.stop();
}
