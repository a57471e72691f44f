import { expect, it } from 'vitest';
import { incidentsOf } from '../../src/overview/incidents.js';
import { incidentsJson } from '../../tools/src/cli/incidents-json.js';
import { failingNote, MINUTE, NOW, queueView } from './top/queue-views.js';

const WIKI = 'https://wiki.example.com/backlog';
const at = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();
const orders = queueView(
  'orders',
  'failing',
  { pending: 3, dead: 2, lastDueAt: at(15), firstDeadAt: at(-9), lastDeadAt: at(-4) },
  { failingGroups: [failingNote('erp', 20 * MINUTE, 'HttpError 503')] },
);

it('incidents for programs have their state, their times, and the part of the runbook that is about it', () => {
  const known = JSON.parse(JSON.stringify(incidentsJson(incidentsOf([orders]), WIKI)));
  const common = { destinations: [], queues: ['orders'] };
  expect(known).toEqual([
    {
      ...{
        ...common,
        id: 'destination erp',
        state: 'failing',
        destinations: ['erp'],
        error: 'HttpError 503',
      },
      ...{ since: at(-20), lastFailureAt: at(0), lastDueAt: at(15), runbook: `${WIKI}#failures` },
    },
    {
      ...{ ...common, id: 'dead orders', state: 'dead' },
      ...{ since: at(-9), lastFailureAt: at(-4), runbook: `${WIKI}#dead` },
    },
  ]);
});

it('incidents without a runbook of the stack name none', () => {
  expect(JSON.stringify(incidentsJson(incidentsOf([orders]), undefined))).not.toContain('runbook');
});
