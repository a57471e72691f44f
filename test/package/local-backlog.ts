import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { until } from '../cli/process.js';
import { killGroup } from './background.js';
import { environment, mustRun, quoted, run } from './run.js';

export interface ListedRecord {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly queue?: string;
  readonly deadReason?: string;
  readonly lastAttemptAt?: string;
}

/** Time between two looks at the records: each starts a process, which takes most of a second of a core. */
export const LOOK_MS = 2_000;

/** `backlog start` of an installed package, in a user's app. */
export class LocalBacklog {
  readonly endpoint: string;
  /** The table's name, by the app or by the local runtime. */
  table = 'BacklogRecords';
  readonly #child: ChildProcess;
  readonly #cwd: string;
  readonly #env: Record<string, string>;

  /** The folder in which a local runtime notes its addresses. */
  get runtimeFolder(): string {
    return this.#env.BACKLOG_RUNTIME_DIR ?? '';
  }

  private constructor(endpoint: string, child: ChildProcess, cwd: string, env: Record<string, string>) {
    this.endpoint = endpoint;
    this.#child = child;
    this.#cwd = cwd;
    this.#env = env;
  }

  static async start(
    cwd: string,
    args: readonly string[],
    more: Record<string, string> = {},
    [program, ...first]: readonly [string, ...string[]] = [command(cwd), 'start'],
  ): Promise<LocalBacklog> {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-running-'));
    const env = { ...more, BACKLOG_RUNTIME_DIR: folder };
    const child = spawn(program, [...first, '--port', '0', '--dynamodb-port', '0', ...args], {
      cwd,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: npm's child ends with it.
      detached: true,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        said = (said + data).slice(-10_000);
      });
    }
    try {
      await until(() => child.exitCode !== null || said.includes('Console'), 90_000);
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    } catch (error) {
      killGroup(child, 'SIGKILL');
      throw new Error(`backlog start ${args.join(' ')}: ${(error as Error).message}\n${quoted(said)}`);
    }
    const [file] = await readdir(folder);
    const { endpoint } = JSON.parse(await readFile(join(folder, String(file)), 'utf8'));
    return new LocalBacklog(endpoint, child, cwd, env);
  }

  /** The variables that a producer on this machine needs. */
  get environment(): Record<string, string> {
    return { ...this.#env, AWS_ENDPOINT_URL_DYNAMODB: this.endpoint };
  }

  async import(file: string): Promise<void> {
    const args = ['import', file, '--table', this.table];
    await mustRun(command(this.#cwd), args, { cwd: this.#cwd, env: this.#env });
  }

  /** Makes what waits due now, except for records that are being attempted. */
  async runNow(queue: string): Promise<void> {
    const args = ['run-now', '--queue', queue, '--yes', '--table', this.table];
    await run(command(this.#cwd), args, { cwd: this.#cwd, env: this.#env });
  }

  async records(): Promise<ListedRecord[]> {
    const args = ['list', '--json', '--table', this.table];
    return JSON.parse((await mustRun(command(this.#cwd), args, { cwd: this.#cwd, env: this.#env })).out);
  }

  /** Once no record waits any more. Those of the queue `hurried` are made due at each look, whatever they wait for. */
  async finished(count: number, hurried?: string): Promise<Map<string, ListedRecord>> {
    let records: ListedRecord[] = [];
    await until(
      async () => {
        records = await this.records();
        const waiting = records.filter(({ status }) => status !== 'SUCCESS' && status !== 'DEAD');
        if (waiting.some(({ queue }) => queue === hurried)) await this.runNow(String(hurried));
        return records.length === count && waiting.length === 0;
      },
      240_000,
      LOOK_MS,
    ).catch((error) => {
      throw new Error(`${error.message}\n${JSON.stringify(records, undefined, 2)}`);
    });
    return new Map(records.map((record) => [record.id, record]));
  }

  /** Makes a record years old, so that its next failure is its last. */
  async insertedLongAgo(id: string): Promise<void> {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const dynamodb = new DynamoDBClient({ endpoint: this.endpoint, region: 'us-east-1', credentials });
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: { id: { S: id } },
        UpdateExpression: 'SET insertedAt = :then',
        ConditionExpression: 'attribute_exists(id)',
        ExpressionAttributeValues: { ':then': { S: '2020-01-01T00:00:00.000Z' } },
      }),
    );
    dynamodb.destroy();
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close');
    killGroup(this.#child, 'SIGINT');
    const patience = setTimeout(() => killGroup(this.#child, 'SIGKILL'), 20_000);
    await ended;
    clearTimeout(patience);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function command(cwd: string): string {
  return join(cwd, 'node_modules', '.bin', 'backlog');
}
