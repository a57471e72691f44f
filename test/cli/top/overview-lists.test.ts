import { expect, it } from 'vitest';
import type { Job } from '../../../src/operate/jobs/index.js';
import { incidentsOf } from '../../../src/overview/incidents.js';
import { painter, width } from '../../../tools/src/cli/paint.js';
import { jobLines, overviewLines } from '../../../tools/src/cli/top/overview-lists.js';
import { failingNote, MINUTE, NOW, queueView, readingOf } from './queue-views.js';

const HOSTILE = '\u202E<script>\u001b[31m漢字';
const look = { now: NOW, wall: NOW, columns: 80, room: 20, paint: painter(false) };
const jobs = { name: 'jobs', path: ['jobs'], selected: undefined } as const;
const incidents = { name: 'incidents', path: ['incidents'], selected: undefined } as const;

const job = (id: string, changes: Partial<Job> = {}): Job => ({
  ...{ id, action: 'runNow', options: {}, which: { queue: ['orders'], errorName: HOSTILE } },
  ...{ by: HOSTILE, from: 'console', createdAt: new Date(NOW).toISOString(), state: 'running' },
  ...{ counts: { changed: 3, skipped: { inFlight: 2 }, failed: 1, failures: [] }, pages: 0, rev: 'r' },
  ...changes,
});
const held = { holder: 'h', until: NOW + MINUTE };
const lost = { holder: 'h', until: NOW - MINUTE };

it('the jobs at work, and those that were lost, have a line each; others are counted', () => {
  const all = [
    job('running1', held),
    job('done2345', { state: 'done' }),
    job('stopped2', { state: 'stopped' }),
    job('lost2345', { ...lost, total: 9 }),
    job('running2', held),
  ];
  expect(jobLines({ jobs: all }, NOW)).toEqual([
    'job running1, Retry now: Running, 3',
    'job lost2345, Retry now: Process lost at 3 of 9: "backlog jobs go-on lost2345" goes on with it',
    'and 1 other job',
  ]);
  expect(jobLines({ jobs: all.slice(1, 3) }, NOW)).toEqual([]);
});

it('what a job did, and how it is undone, is said of the selected one, once it has changed something', () => {
  const linesOf = (one: Job) => overviewLines(jobs, readingOf([], { jobs: [one] }), look).join('\n');
  const done = linesOf(job('done2345', { state: 'done', perSecond: 5 }));
  expect(done).toContain('console; 5 a second; 2 left alone; 1 failed');
  expect(done).toContain('u takes it back, within a day');
  expect(linesOf(job('done2345', { state: 'done', undoneBy: 'undo2345' }))).toContain(
    'undone by job undo2345',
  );
  expect(linesOf(job('done2345', { state: 'done', action: 'undo' }))).not.toContain('takes it back');
  expect(linesOf(job('running1', held))).not.toContain('takes it back');
  const counts = { changed: 0, skipped: {}, failed: 0, failures: [] };
  expect(linesOf(job('done2345', { state: 'done', counts }))).not.toContain('takes it back');
});

it('text of others is one column for each character, and nothing that a terminal obeys', () => {
  const queues = [
    queueView(
      HOSTILE,
      'failing',
      { pending: 3 },
      { failingGroups: [failingNote(HOSTILE, 5 * MINUTE)], isFailing: true },
    ),
  ];
  const reading = readingOf(queues, { jobs: [job('running1', held)], incidents: incidentsOf(queues) });
  for (const screen of [jobs, incidents]) {
    const lines = overviewLines(screen, reading, look);
    expect(lines.join('\n')).toContain('<script>');
    expect(lines.join('\n')).not.toMatch(/[^\P{C}\n]|漢/u);
    // The last line is cut by the screen; none of the details is longer.
    for (const line of lines.slice(2)) expect(width(line)).toBeLessThanOrEqual(look.columns);
  }
});

it('an incident names the operators who have paused one of its queues, or begun a job on one, since', () => {
  const iso = (ago: number) => new Date(NOW - ago * MINUTE).toISOString();
  const failing = { failingGroups: [failingNote('erp.example.com', 20 * MINUTE)], isFailing: true };
  const queues = [
    queueView('orders', 'failing', { pending: 3 }, failing),
    queueView('bulk', 'failing', { paused: true, pausedAt: iso(9), pausedBy: 'ann' }, failing),
  ];
  const done = { ...job('done2345', { state: 'done', createdAt: iso(3) }), by: 'ben' };
  const detailsWith = (...all: Job[]) => {
    const reading = readingOf(queues, { jobs: all, incidents: incidentsOf(queues) });
    return overviewLines(incidents, reading, { ...look, columns: 160 }).join('\n');
  };
  expect(detailsWith(done)).toMatch(
    /on it: ben Retry now, done, 3.*, 14:44 UTC; ann paused bulk, 14:38 UTC\n?$/,
  );
  const before = { ...done, createdAt: iso(30) };
  const elsewhere = { ...done, which: { queue: ['mails'] } };
  expect(detailsWith(before, elsewhere)).toMatch(/on it: ann paused bulk, 14:38 UTC\n?$/);
  expect(detailsWith(done, done, done)).toMatch(/; and 2 more\n?$/);
  queues.pop();
  expect(detailsWith(before)).not.toContain('on it');
});
