import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attempt, CONCURRENCY, type OpenDesign, type Work } from '../designs/design.js';
import { freePort, install, NotInstalledError, type Served } from './install.js';

const OPTIONS = { attempts: 4, backoff: { type: 'exponential', delay: 60_000 } };
const HOST = '127.0.0.1';

interface Queue {
  addBulk(jobs: readonly object[]): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  promoteJobs(): Promise<void>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'completed' | 'failed', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): Promise<void>;
}

interface BullMq {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    process: (job: { readonly data: Work }) => Promise<void>,
    options: object,
  ) => Worker;
}

/** BullMQ on Redis, if `redis-server` is installed. */
export async function startBullMq(): Promise<Served> {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status !== 0) {
    throw new NotInstalledError('redis-server is not installed');
  }
  const [module] = await install('bullmq@6', 'ioredis@5');
  const bullMq = module as unknown as BullMq;
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'compared-'));
  const flags = ['--port', String(port), '--bind', HOST, '--appendonly', 'yes', '--save', ''];
  const redis = spawn('redis-server', [...flags, '--dir', folder], { stdio: 'ignore' });
  const ended = once(redis, 'exit');
  process.once('exit', () => redis.kill());
  const connection = { host: HOST, port };
  let queues = 0;
  return {
    design: {
      name: 'BullMQ 6 on Redis',
      key: 'bullmq',
      settings: `one worker with a concurrency of ${CONCURRENCY}; Redis writes its log to disk each second`,
      doesNot: 'run without a server and a worker process; keep the last second of writes when Redis ends',
      async open() {
        return openQueue(bullMq, `orders-${queues++}`, connection);
      },
    },
    async stop() {
      redis.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function openQueue({ Queue, Worker }: BullMq, name: string, connection: object): OpenDesign {
  const queue = new Queue(name, { connection });
  return {
    tables: [],
    async fill(works) {
      await queue.addBulk(works.map((data) => ({ name, data, opts: OPTIONS })));
    },
    async work(attempt) {
      const waiting = await queue.getWaitingCount();
      if (waiting > 0) await ends(waiting, attempt);
    },
    letTimePass: () => queue.promoteJobs(),
    close: () => queue.close(),
  };

  /** Resolves when so many attempts are over, and their outcomes are written. */
  async function ends(waiting: number, attempt: Attempt): Promise<void> {
    const options = { connection, concurrency: CONCURRENCY };
    const worker = new Worker(name, async ({ data }) => attempt(data), options);
    await new Promise<void>((resolve, reject) => {
      let left = waiting;
      const over = () => {
        left--;
        if (left === 0) resolve();
      };
      worker.on('completed', over);
      worker.on('failed', over);
      worker.on('error', reject);
    });
    await worker.close();
  }
}
