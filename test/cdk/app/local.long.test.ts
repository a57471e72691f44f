import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { BacklogStack } from '../../../cdk/app/backlog-stack.js';
import { queuesOf } from '../../../tools/src/local/app-queues.js';
import { readAssembly } from '../../../tools/src/local/template/assembly.js';
import { readApp } from '../../../tools/src/local/template/template.js';

/** The package's own app, as the local runtime reads it. */
async function localApp(trigger: 'rules' | 'scheduler') {
  const outdir = await mkdtemp(join(tmpdir(), 'backlog-trigger-'));
  const app = new App({ outdir, analyticsReporting: false });
  new BacklogStack(app, 'DynamoBacklog', { deliverTo: 'http://127.0.0.1:1/', trigger });
  app.synth();
  return readApp(await readAssembly(outdir));
}

it('an app with schedules runs as the same app with rules does', async () => {
  const [rules, schedules] = [await localApp('rules'), await localApp('scheduler')];
  const started = ({ rules: all }: typeof rules) =>
    all.map(({ label, expression, enabled, functionName, event }) => ({
      label,
      expression,
      enabled,
      functionName,
      event,
    }));
  expect(started(schedules)).toEqual(started(rules));
  expect(started(rules)).toHaveLength(9);
  expect(new Set(schedules.rules.map(({ id }) => id)).size).toBe(9);
  expect(schedules.tables).toEqual(rules.tables);
  expect(queuesOf(schedules)).toEqual(queuesOf(rules));
  const named = (all: typeof rules.functions) => all.map(({ folder: _, ...rest }) => rest);
  expect(named(schedules.functions)).toEqual(named(rules.functions));
});
