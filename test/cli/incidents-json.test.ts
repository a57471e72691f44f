import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/engine.js';
import { endedIncidents, incidentsOf } from '../../src/overview/incidents.js';
import { endedJson, incidentsJson } from '../../tools/src/cli/incidents-json.js';
import { failingNote, MINUTE, NOW, queueView } from './top/queue-views.js';

const WIKI = 'https://wiki.example.com/backlog';
const at = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();
const orders = queueView(
  'orders',
  'failing',
  { pending: 3, dead: 2, lastDueAt: at(15), firstDeadAt: at(-9), lastDeadAt: at(-4) },
  { failingGroups: [failingNote('erp', 20 * MINUTE, 'HttpError 503')] },
);
const known = { runbookUrl: WIKI, jobs: [], now: NOW };
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const common = { destinations: [], queues: ['orders'], operators: [] };

describe('incidents for programs', () => {
  it('have their state, their times, and the part of the runbook that is about it', () => {
    expect(plain(incidentsJson(incidentsOf([orders]), known))).toEqual([
      {
        ...common,
        ...{ id: 'destination erp', state: 'failing', destinations: ['erp'], error: 'HttpError 503' },
        ...{ since: at(-20), lastFailureAt: at(0), lastDueAt: at(15), runbook: `${WIKI}#failures` },
        ...{ waiting: 3, probeAt: at(4.5) },
      },
      {
        ...{ ...common, id: 'dead orders', state: 'dead' },
        ...{ since: at(-9), lastFailureAt: at(-4), runbook: `${WIKI}#dead` },
      },
    ]);
  });

  it('have the latest success, the breaker, and the operators that have done something about it', () => {
    const note = { ...failingNote('erp', 20 * MINUTE), lastSuccessAt: NOW / 1000 - 300 };
    const breaker = { destination: 'erp', since: NOW - 9 * MINUTE, until: NOW + 4 * MINUTE };
    const job: Job = {
      ...{ id: 'k3v9x2ab', action: 'runNow', which: { queue: 'orders' }, options: {}, state: 'done' },
      ...{ by: 'ana', from: 'console', createdAt: at(-5), counts: { changed: 2 } },
    } as unknown as Job;
    const paused = queueView(
      'orders',
      'failing',
      { paused: true, pausedAt: at(-2), pausedBy: 'ben', openBreakers: 1 },
      { failingGroups: [note], breakers: [breaker] },
    );
    const jobs = [job, { ...job, createdAt: at(-30) }, { ...job, which: { queue: 'mails' } }];
    expect(plain(incidentsJson(incidentsOf([paused]), { ...known, jobs }))).toMatchObject([
      {
        ...{ lastSuccessAt: at(-5), breakerSince: at(-9), probeAt: at(4) },
        operators: [
          { by: 'ben', what: 'paused orders', at: at(-2) },
          { by: 'ana', what: 'Retry now, done, 2', at: at(-5) },
        ],
      },
    ]);
  });

  it('keep id, destination and error while they recover, and have the length of the outage', () => {
    const outage = {
      group: 'erp',
      since: NOW / 1000 - 42 * 60,
      endedAt: NOW / 1000 - 7 * 60,
      error: 'HttpError 503',
    };
    const over = (backAt?: number) =>
      queueView('orders', 'recovering', { pending: 3 }, { endedOutages: [outage], backAt });
    const parts = { destinations: ['erp'], queues: ['orders'], error: 'HttpError 503' };
    const recovering = incidentsJson(incidentsOf([over(NOW - 7 * MINUTE)]), known);
    expect(plain(recovering)).toMatchObject([
      { ...{ ...parts, id: 'destination erp', state: 'recovering' }, backAt: at(-7), lastedSeconds: 2100 },
    ]);
    expect(plain(endedJson(endedIncidents([over()])))).toEqual([
      { ...parts, id: 'destination erp', since: at(-42), endedAt: at(-7), lastedSeconds: 2100 },
    ]);
  });

  it('name no runbook without one of the stack', () => {
    const without = { ...known, runbookUrl: undefined };
    expect(JSON.stringify(incidentsJson(incidentsOf([orders]), without))).not.toContain('runbook');
  });
});
