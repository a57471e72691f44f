import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { BacklogClient } from '../../src/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { type Load, recordsOf } from './load.js';

const TABLE = 'BacklogRecords';
const QUARTERS = 4;

/** The peaks of resident memory of a runtime's processes, in MB, by name. */
export type Peaks = ReadonlyMap<string, number>;

/**
 * Has records attempted by `backlog start`, as it was built. Its DynamoDB is in its own process, and each function has one.
 *
 * @returns the peaks before the first record, and after each quarter of the attempts
 */
export async function runRuntime(load: Load): Promise<readonly Peaks[]> {
  const attempts = load.records * Math.max(1, load.failures);
  const quarter = Math.ceil(attempts / QUARTERS);
  const peaks: Peaks[] = [];
  let done = 0;
  let allDone = () => {};
  const end = new Promise<void>((resolve) => {
    allDone = resolve;
  });
  await using sink = await startSink(load.failures > 0 ? 503 : 200, () => {
    done++;
    if (done % quarter === 0 || done === attempts) peaks.push(peaksOf(runtime.process));
    if (done === attempts) allDone();
  });
  const runtime = await startRuntime(sink.url);
  try {
    peaks.push(peaksOf(runtime.process));
    const client = createDynamoDbClient({ endpoint: runtime.endpoint });
    const producer = new BacklogClient({ table: TABLE, client });
    const { inserted } = await producer.insertMany(recordsOf(load));
    client.destroy();
    if (inserted !== load.records) throw new Error(`expected ${load.records} inserted, got ${inserted}`);
    await Promise.race([end, once(runtime.process, 'exit')]);
    if (done < attempts) throw new Error(`the runtime ended after ${done} of ${attempts} attempts`);
    return peaks;
  } finally {
    runtime.process.kill('SIGINT');
    await runtime.ended;
  }
}

async function startSink(status: number, onDelivery: () => void) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(status).end();
      onDelivery();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startRuntime(deliverTo: string) {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const flags = ['start', '--no-sample', '--deliver-to', deliverTo, '--speed', '60', ...ports];
  const child = spawn(process.execPath, ['tools/bin/backlog.js', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const [, endpoint] = /^DynamoDB +(http:\S+)/.exec(line) ?? [];
    if (endpoint === undefined) continue;
    child.stdout.resume();
    return { process: child, endpoint, ended };
  }
  throw new Error('the runtime ended before it was ready');
}

/** Linux keeps the peak of each process. A function is named by its variables. */
function peaksOf({ pid }: ChildProcess): Peaks {
  const functions = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const peaks = new Map([['runtime and its DynamoDB', peakOf(String(pid))]]);
  for (const one of functions.filter((pid) => pid !== '')) {
    const [, name = 'another process'] =
      /(?:^|\0)AWS_LAMBDA_FUNCTION_NAME=([^\0]+)/.exec(readFileSync(`/proc/${one}/environ`, 'utf8')) ?? [];
    peaks.set(name, Math.max(peaks.get(name) ?? 0, peakOf(one)));
  }
  return peaks;
}

function peakOf(pid: string): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
