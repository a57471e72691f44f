import { expect, it } from 'vitest';
import { CurrentApp } from '../../tools/src/local/current-app.js';
import type { LocalApp, LocalFunction } from '../../tools/src/local/template/local-app.js';

const app = (...environments: readonly Record<string, string>[]): LocalApp => ({
  ...{ stacks: [], tables: [], rules: [], streams: [], queues: [], queueReaders: [] },
  ...{ functionUrls: [], secrets: [], alarms: [] },
  functions: environments.map((environment) => ({ environment }) as unknown as LocalFunction),
});

it('the members of groups are counted as long as a function of the app does so', () => {
  const current = new CurrentApp(app({}, { BACKLOG_GROUPS: 'true' }));
  expect(current.countsGroups).toBe(true);
  current.set(app({}));
  expect(current.countsGroups).toBe(false);
});
