import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { until } from '../cli/process.js';
import { pythonWithPackages } from '../long/python.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { createTables } from '../store/tables.js';
import { makeApp } from './apps.js';
import { freePort } from './background.js';
import { environment, settingsFor } from './run.js';

const SDK = [
  '@opentelemetry/api@1.9.0',
  '@opentelemetry/sdk-metrics@2.12.0',
  '@opentelemetry/exporter-metrics-otlp-http@0.223.0',
];

const HANDLERS = `
import { backlogHandler } from 'dynamo-backlog/lambda';
export const orders = backlogHandler({
  queue: 'orders',
  process: ({ payload }) => {
    if (payload.fails) throw new Error('the warehouse is closed');
  },
});
`;

const TELEMETRY = `
import { metrics } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
const exporter = new OTLPMetricExporter();
const every = Number(process.env.EXPORT_EVERY_MS ?? 500);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: every, exportTimeoutMillis: 400 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
`;

/** Invokes the monitor once, as Lambda does, and ends before any export that the monitor does not make itself. */
const MONITOR = `
import { handler } from './node_modules/dynamo-backlog/dist/handlers/upkeep/monitor.mjs';
await handler({}, { awsRequestId: 'r', functionName: 'monitor', getRemainingTimeInMillis: () => 60_000 });
process.exit(0);
`;

/** Reads the text format as Prometheus' own client for Python does, and prints what it has understood. */
const PARSER = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = text_string_to_metric_families(sys.stdin.read())
print(json.dumps([[f.name, f.type, s.labels['queue'], s.value] for f in families for s in f.samples]))
`;

interface Point {
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Export {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string };
      readonly metrics: readonly {
        readonly name: string;
        readonly unit: string;
        readonly sum?: { readonly dataPoints: readonly Point[] };
        readonly gauge?: { readonly dataPoints: readonly Point[] };
      }[];
    }[];
  }[];
}

/** A collector that takes OTLP by HTTP, as JSON: the last value of each metric of the queue. */
async function startCollector() {
  const values = new Map<string, { unit: string; value: number }>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    for (const { name, unit, sum, gauge } of ofBacklog(JSON.parse(Buffer.concat(parts).toString()))) {
      const points = (sum ?? gauge)?.dataPoints ?? [];
      const point = points.find(({ attributes }) =>
        attributes.some(({ key, value }) => key === 'queue' && value.stringValue === 'orders'),
      );
      if (point) values.set(name, { unit, value: Number(point.asInt ?? point.asDouble) });
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { values, server, url: `http://127.0.0.1:${port}/v1/metrics` };
}

function ofBacklog({ resourceMetrics }: Export) {
  const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
  return scopes.filter(({ scope }) => scope.name === 'dynamo-backlog').flatMap(({ metrics }) => metrics);
}

describe('OpenTelemetry and Prometheus', () => {
  let app: string;
  beforeAll(async () => {
    app = await makeApp('metrics', [inject('packed').file, inject('packedTools').file, ...SDK]);
    await writeFile(join(app, 'handlers.mjs'), HANDLERS);
    await writeFile(join(app, 'telemetry.mjs'), TELEMETRY);
    await writeFile(join(app, 'monitor.mjs'), MONITOR);
  });

  /** Tables with two records that will succeed and one that will fail, and the environment of processes that work on them. */
  async function startBacklog() {
    const dynamoDb = await startDynamoDb();
    const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
    const tables = await createTables(client);
    const store = new DynamoDbStore({ client, tables, clock: systemClock });
    const at = new Date().toISOString();
    const timed = {
      insertedAt: at,
      lane: 'orders',
      dueAt: at,
      rev: 'r',
      queue: 'orders',
      status: 'NEW',
    } as const;
    for (const id of ['good-1', 'good-2']) await store.records.insert({ ...timed, id, payload: {} });
    await store.records.insert({ ...timed, id: 'bad', payload: { fails: true } });
    const collector = await startCollector();
    const env = environment({
      NODE_OPTIONS: '--import ./telemetry.mjs',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url,
      ...settingsFor(dynamoDb.endpoint, tables),
      BACKLOG_QUEUES: JSON.stringify({
        orders: { retryMode: 'perRecord', retry: { type: 'fibonacci' }, external: true },
      }),
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
    });
    const stop = async () => {
      collector.server.close();
      collector.server.closeAllConnections();
      client.destroy();
      await dynamoDb.stop();
    };
    return { values: collector.values, env, stop };
  }

  it('have the counters and gauges of a worker', async () => {
    const { values, env, stop } = await startBacklog();
    const port = await freePort();
    const args = [
      'work',
      '--handler',
      'handlers.mjs',
      '--every',
      '1s',
      '--metrics',
      'otel',
      '--metrics-port',
      String(port),
    ];
    const worker = spawn(join(app, 'node_modules/.bin/backlog'), args, {
      cwd: app,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(worker, 'exit');
    try {
      await until(() => values.get('backlog.records.waiting')?.value === 1, 120_000);
      expect(Object.fromEntries(values)).toMatchObject({
        'backlog.attempts.made': { unit: '{attempt}', value: 3 },
        'backlog.attempts.succeeded': { unit: '{attempt}', value: 2 },
        'backlog.attempts.failed': { unit: '{attempt}', value: 1 },
        'backlog.records.waiting': { unit: '{record}', value: 1 },
        'backlog.records.dead': { unit: '{record}', value: 0 },
      });
      expect([...values.keys()]).not.toContain('backlog.attempts.dead');

      const scraped = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      const input = await scraped.text();
      const parsed = spawnSync(pythonWithPackages(), ['-c', PARSER], { input, encoding: 'utf8' });
      expect([parsed.stderr, parsed.status]).toEqual(['', 0]);
      const samples: [string, string, string, number][] = JSON.parse(parsed.stdout);
      expect(samples).toContainEqual(['backlog_records_waiting', 'gauge', 'orders', 1]);
      expect(samples).toContainEqual(['backlog_records_dead', 'gauge', 'orders', 0]);
      expect(samples.every(([, type, queue]) => type === 'gauge' && queue === 'orders')).toBe(true);
    } finally {
      worker.kill('SIGTERM');
      await ended;
      await stop();
    }
  });

  it('OpenTelemetry has the gauges that the monitor of a deployed backlog has read, before its invocation ends', async () => {
    const { values, env, stop } = await startBacklog();
    try {
      const monitor = spawn(process.execPath, ['monitor.mjs'], {
        cwd: app,
        env: { ...env, EXPORT_EVERY_MS: '600000' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(await once(monitor, 'exit')).toEqual([0, null]);
      expect(Object.fromEntries(values)).toMatchObject({
        'backlog.records.waiting': { unit: '{record}', value: 3 },
        'backlog.records.in_retry': { unit: '{record}', value: 0 },
        'backlog.records.dead': { unit: '{record}', value: 0 },
        'backlog.queue.paused': { value: 0 },
        'backlog.reading.age': { unit: 's', value: 0 },
      });
      expect(values.get('backlog.oldest_due.age')?.value).toBeGreaterThan(0);
    } finally {
      await stop();
    }
  });
});
