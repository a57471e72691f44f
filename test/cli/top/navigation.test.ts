import type { ActionResult } from 'dynamo-backlog';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Job } from '../../../src/operate/jobs/index.js';
import { causesOf } from '../../../src/overview/causes.js';
import { parseRecord } from '../../../src/record/index.js';
import { painter } from '../../../tools/src/cli/paint.js';
import type { Explorer } from '../../../tools/src/cli/top/explore.js';
import { showLive } from '../../../tools/src/cli/top/live.js';
import { FakeKeyboard } from '../fake-keyboard.js';
import { VirtualTerminal } from '../virtual-terminal.js';
import { failingNote, MINUTE, NOW, queueView, readingOf } from './queue-views.js';

const [ENTER, ESC, TAB, BACKSPACE] = ['\r', '\u001b', '\t', '\u007f'];
const [UP, DOWN, RIGHT] = ['\u001b[A', '\u001b[B', '\u001b[C'];

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (id: string, message: string, status = 'ERROR') =>
  parseRecord(
    {
      ...{ id, status, queue: 'orders', attempts: 3, payload: { id } },
      insertedAt: new Date(NOW - 20 * MINUTE).toISOString(),
      lastFailureAt: new Date(NOW - MINUTE).toISOString(),
      lastError: { name: 'HttpError', message, at: new Date(NOW - MINUTE).toISOString() },
    },
    NOW,
  );
const DOWN_RECORDS = [1, 2, 3].map((i) =>
  record(`order-${i}`, 'HTTP 503 from https://erp.example.com: down'),
);
const REFUSED = [record('order-9', 'HTTP 400 from https://erp.example.com: vat missing', 'DEAD')];
const CAUSES = {
  causes: causesOf(
    [
      { queue: 'orders', dead: false, total: 3, records: DOWN_RECORDS },
      { queue: 'orders', dead: true, total: 1, records: REFUSED },
    ],
    NOW,
  ),
  ...{ examined: 4, total: 4, counted: 'exact' as const, isSampled: false, readUnits: 4 },
};
const ENDED = 'Retry now: of orders, HttpError 503 erp.example.com (job k3v9x2ab): Done, 3';
const result = (changed: number, ended: ActionResult['ended'] = 'complete'): ActionResult => ({
  ...{ matched: changed, changed, delayed: 0, skipped: {}, failed: 0, failures: [], ended },
  ...{ examples: ['order-1'], readUnits: 1, writeUnits: 1 },
});

const job = (id: string, changes: Partial<Job>): Job => ({
  ...{ id, action: 'runNow', options: {}, which: { queue: ['orders'], errorName: 'HttpError 503' } },
  ...{ by: 'ann', from: 'console', createdAt: new Date(NOW - 7 * MINUTE).toISOString(), state: 'running' },
  ...{ counts: { changed: 68, skipped: {}, failed: 0, failures: [] }, pages: 0, rev: 'r' },
  ...changes,
});

type Changes = Partial<Omit<Explorer, 'mutes'>> & {
  readonly mutes?: Partial<Explorer['mutes']>;
  readonly jobs?: readonly Job[];
  readonly bulkFails?: boolean;
};

/** `backlog top` on two queues, with the answers of an explorer that a test may replace. */
function top({
  refusal,
  tryOut,
  begin,
  undo,
  undoRefusal,
  pause,
  causes,
  jobs,
  bulkFails,
  ...muting
}: Changes = {}) {
  const terminal = new VirtualTerminal();
  const keyboard = new FakeKeyboard();
  const abort = new AbortController();
  const does = {
    refusal,
    causes: vi.fn(causes ?? (async () => CAUSES)),
    records: vi.fn(async () => DOWN_RECORDS),
    tryOut: vi.fn(tryOut ?? (async () => result(3))),
    begin: vi.fn(begin ?? (async () => ({ id: 'k3v9x2ab', ended: Promise.resolve(ENDED) }))),
    stopJob: vi.fn(async () => {}),
    goOn: vi.fn(async (id: string) => ({ id, ended: new Promise<string>(() => {}) })),
    undoRefusal: vi.fn(undoRefusal ?? (() => undefined)),
    undo: vi.fn(undo ?? (async () => ({ id: 'undo2345', ended: new Promise<string>(() => {}) }))),
    close: vi.fn(async () => {}),
    pause: vi.fn(pause ?? (async () => {})),
    resume: vi.fn(async () => {}),
    muteRefusal: muting.muteRefusal,
    mutes: {
      read: vi.fn(muting.mutes?.read ?? (async () => undefined)),
      mute: vi.fn(muting.mutes?.mute ?? (async () => '5 alarms of orders muted until 16:47 UTC')),
      unmute: vi.fn(async () => 'the alarms of orders notify again'),
    },
  };
  const groups = { failingGroups: [failingNote('erp.example.com', 20 * MINUTE)], isFailing: true };
  const queues = [
    queueView('orders', 'failing', { pending: 3, dead: 1 }, groups),
    bulkFails
      ? queueView('bulk', 'failing', { pending: 9 }, groups)
      : queueView('bulk', 'paused', { paused: true, pending: 9 }),
  ];
  const reads = vi.fn(async () => readingOf(queues, { readAt: Date.now(), jobs: jobs ?? [] }));
  const source = { where: 'table Records', read: reads, close: () => {}, explorer: does };
  const done = showLive({
    ...{ source, terminal, keyboard, paint: painter(true), intervalMs: 5_000, signal: abort.signal },
  });
  const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  /** Presses keys one after the other, each with its answer. */
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      keyboard.press(key);
      await pass();
    }
    return terminal.text;
  };
  const end = async () => {
    abort.abort();
    await done;
  };
  return { terminal, does, reads, press, pass, end };
}

describe('the keys of backlog top', () => {
  it('lead from the incident to its causes, to their records, and back', async () => {
    const { press, pass, does, end } = top();
    await pass();
    const causes = await press(ENTER);
    expect(does.causes).toHaveBeenCalledWith(['orders']);
    expect(causes).toContain('queues › orders › causes');
    expect(causes).toMatch(/> HttpError 503 erp\.example\.com +3 +0/);
    // The selected cause opens into its patterns, the other does not.
    expect(causes).toMatch(/3 +down\n +e\.g\. order-1, order-2, order-3/);
    expect(causes).not.toContain('vat missing');
    expect(causes).toContain('All 4 records that are not finished were read.');
    expect(await press(DOWN)).toMatch(/> HttpError 400 erp\.example\.com +0 +1.*vat missing/s);
    const records = await press(ENTER);
    expect(does.records).toHaveBeenCalledWith({ queues: ['orders'], cause: 'HttpError 400 erp.example.com' });
    expect(records).toContain('queues › orders › causes › records');
    expect(records).toMatch(/> order-1 /);
    expect(await press(DOWN)).toMatch(/> order-2 /);
    expect(await press(ESC)).toContain('queues › orders › causes');
    expect(await press(ESC)).toContain('erp.example.com has failed since 14:27 UTC');
    await end();
  });

  it('select a queue, and filter queues by name', async () => {
    const { press, pass, does, end } = top();
    await pass();
    expect(await press(DOWN)).toMatch(/^> bulk/m);
    expect(await press('/', 'o', 'r', 'x', BACKSPACE)).toContain('Queues with "or"▏ in their names');
    // A letter of the filter is no key.
    expect(await press('q', BACKSPACE, ENTER)).toMatch(/^> orders/m);
    await press(ENTER);
    expect(does.causes).toHaveBeenCalledWith(['orders']);
    expect(await press(ESC, ESC)).toMatch(/bulk/);
    await end();
  });

  it('lead from an incident to the causes of all its queues', async () => {
    const { press, pass, does, end } = top();
    await pass();
    const incidents = await press('i');
    expect(incidents).toMatch(/> ⊗ erp\.example\.com +failing +14:27 +orders/);
    expect(incidents).toMatch(/^ +⊠ orders +dead/m);
    expect(incidents).toContain('erp.example.com has failed since 14:27 UTC');
    expect(await press(DOWN)).toMatch(/> ⊠ orders.*orders has 1 dead record/s);
    expect(await press(ENTER)).toContain('incidents › orders › causes');
    expect(await press('p')).toContain('Pause orders');
    await press(ESC);
    expect(does.causes).toHaveBeenLastCalledWith(['orders']);
    expect(await press(ESC)).toMatch(/> ⊠ orders/);
    expect(await press(ESC)).toMatch(/^> orders/m);
    expect(await press(ENTER, 'j', 'i', 'j', 'j')).toContain('No job in the last 30 days.');
    expect(await press(ESC)).toContain('queues › orders › causes');
    await end();
  });

  it('say that a pause is of one queue, where an incident has several', async () => {
    const { press, pass, does, end } = top({ bulkFails: true });
    await pass();
    expect(await press('i')).toMatch(/> ⊗ erp\.example\.com .*bulk and orders/);
    await press(ENTER);
    expect(does.causes).toHaveBeenLastCalledWith(['bulk', 'orders']);
    for (const key of ['p', 'm']) expect(await press(key)).toContain('these are several queues');
    expect(does.mutes.read).not.toHaveBeenCalled();
    await end();
  });

  it('let a paused queue go on from the list of its causes', async () => {
    const { press, pass, does, end } = top();
    await pass();
    expect(await press(DOWN, ENTER, 'p')).toContain('Let bulk go on?');
    await press(ENTER);
    expect(does.resume).toHaveBeenCalledWith('bulk');
    await end();
  });

  it('retry all records of a cause by a job: first a dry run, then at a pace, and the numbers are read again', async () => {
    const { press, pass, does, reads, end } = top();
    await pass();
    await press(ENTER);
    const asked = await press('R');
    const which = { queues: ['orders'], cause: 'HttpError 503 erp.example.com' };
    expect(does.tryOut).toHaveBeenLastCalledWith('runNow', which, expect.any(AbortSignal));
    expect(asked).toContain('Retry the records in retry of orders');
    expect(asked).toContain('3 match, 3 would change');
    expect(asked).toContain('enter: Retry 3');
    expect(await press(RIGHT, RIGHT)).toContain('5 a second');
    const before = reads.mock.calls.length;
    const done = await press(ENTER);
    expect(does.begin).toHaveBeenCalledExactlyOnceWith('runNow', which, { perSecond: 5, total: 3 });
    expect(done).toContain('Retry now: of orders, HttpError 503 erp.example.com (job k3v9x2ab): Done, 3');
    expect(done).toContain('queues › orders › causes');
    expect(reads.mock.calls.length).toBeGreaterThan(before);
    expect(does.causes).toHaveBeenCalledTimes(2);
    expect(await press('x')).not.toContain('Done, 3');
    await end();
    expect(does.close).toHaveBeenCalledTimes(1);
  });

  it('begin a job with a probe, or when the destination is back, and once, however often Enter is pressed', async () => {
    let began = (_: { id: string; ended: Promise<string> }) => {};
    const begin = () => new Promise<{ id: string; ended: Promise<string> }>((resolve) => (began = resolve));
    const { press, pass, does, end } = top({ begin });
    await pass();
    await press(ENTER, 'R');
    expect(await press(DOWN)).toContain('5 first, and the others if all of these succeed');
    expect(await press(DOWN)).toContain('when it is back, within a day');
    await press(UP, ENTER, ENTER, ENTER);
    expect(does.begin).toHaveBeenCalledTimes(1);
    expect(does.begin.mock.lastCall?.[2]).toEqual({ perSecond: undefined, total: 3, probe: 5 });
    began({ id: 'k3v9x2ab', ended: new Promise(() => {}) });
    await pass();
    const screen = await press('r');
    expect(screen).not.toContain('Dry run');
    // The next one begins slowly: what is open by then stays.
    await press('R', ENTER, ESC, 'p', 'x');
    began({ id: 'next2345', ended: new Promise(() => {}) });
    await pass();
    expect(await press('y')).toMatch(/Pause orders.*Reason +xy▏/s);
    await end();
  });

  it('keep the question open where a job was refused, and say why', async () => {
    const begin = async () => {
      throw new Error('runNow: nothing of it fails, so there is nothing to wait for');
    };
    const { press, pass, does, end } = top({ begin });
    await pass();
    const screen = await press(ENTER, 'R', UP, ENTER);
    expect(screen.replace(/[│\s]+/g, ' ')).toContain('nothing of it fails, so there is nothing to wait for');
    expect(screen).toContain('enter: Retry 3');
    await press(ENTER);
    expect(does.begin).toHaveBeenCalledTimes(2);
    await end();
  });

  it('say in the question why its dry run failed, and begin nothing', async () => {
    const tryOut = async () => {
      throw new Error('AccessDenied on Query');
    };
    const { press, pass, does, end } = top({ tryOut });
    await pass();
    expect(await press(ENTER, 'R')).toMatch(/Retry the records.*AccessDenied on Query.*esc: cancel/s);
    await press(ENTER);
    expect(does.begin).not.toHaveBeenCalled();
    await end();
  });

  it('stop the job that was selected, though a newer one has come before it', async () => {
    const jobs = [job('k3v9x2ab', { state: 'running', holder: 'h', until: NOW + MINUTE })];
    const { press, pass, does, end } = top({ jobs });
    await pass();
    await press('j');
    jobs.unshift(job('newer234', { state: 'running', holder: 'h', until: NOW + MINUTE }));
    expect(await press('r')).toMatch(/^ +newer234.*^> k3v9x2ab/ms);
    await press('x');
    expect(does.stopJob).toHaveBeenCalledExactlyOnceWith('k3v9x2ab');
    await end();
  });

  it('redrive the dead ones of a cause, or those, by the tabulator', async () => {
    const { press, pass, does, end } = top();
    await pass();
    await press(ENTER, DOWN, 'R');
    expect(does.tryOut.mock.lastCall?.[0]).toBe('redrive');
    expect(await press(TAB)).toContain('tab: the dead ones');
    expect(does.tryOut.mock.lastCall?.[0]).toBe('runNow');
    await press(ESC);
    expect(does.tryOut).toHaveBeenCalledTimes(2);
    expect(does.begin).not.toHaveBeenCalled();
    await end();
  });

  it('do nothing where the dry run finds nothing, and before it has ended', async () => {
    const { press, pass, does, end } = top({ tryOut: async () => result(0) });
    await pass();
    await press(ENTER, 'R');
    expect(await press(ENTER)).toContain('0 match');
    expect(does.begin).not.toHaveBeenCalled();
    await end();
  });

  it('end though a job cannot write that it has stopped', async () => {
    const { does, pass, end } = top();
    await pass();
    does.close.mockImplementation(() => new Promise(() => {}));
    let hasEnded = false;
    const ending = end().then(() => {
      hasEnded = true;
    });
    await pass(2_900);
    expect(hasEnded).toBe(false);
    await pass(200);
    await ending;
  });

  it('list the jobs, say at once which are at work, stop one, and go on with one', async () => {
    const jobs = [
      job('k3v9x2ab', { state: 'running', holder: 'h', until: NOW + MINUTE, perSecond: 5, total: 599 }),
      job('stopped2', { state: 'stopped', why: 'stopped by bob', total: 20 }),
    ];
    const { press, pass, does, terminal, end } = top({ jobs });
    await pass();
    expect(terminal.text).toContain('job k3v9x2ab, Retry now: Running, 68 of 599');
    const list = await press('j');
    expect(list).toMatch(/> k3v9x2ab +Retry now +11-23 14:40 +Running, 68 of 599/);
    expect(list).toContain('of orders, HttpError 503');
    expect(list).toContain('by ann, console; 5 a second');
    expect(await press('x')).toContain('job k3v9x2ab stops');
    expect(does.stopJob).toHaveBeenCalledWith('k3v9x2ab');
    expect(await press(DOWN)).toMatch(/> stopped2 .*Stopped at 68: stopped by bob|> stopped2 .*Stopped at/);
    expect(await press('g')).toContain('job stopped2 goes on');
    expect(does.goOn).toHaveBeenCalledWith('stopped2');
    expect(await press(ESC)).toMatch(/^> orders/m);
    await end();
  });

  it('undo a job that has ended, once that is confirmed', async () => {
    const jobs = [job('done2345', { state: 'done', total: 68 }), job('older234', { state: 'done' })];
    const { press, pass, does, end } = top({ jobs });
    await pass();
    const asked = await press('j', 'u');
    expect(asked).toMatch(/Undo job done2345, Retry now of 68 records.*of orders, HttpError 503/s);
    expect(asked).toContain('enter: undo 68   esc: cancel');
    await press('x', 'g');
    expect(does.undo).not.toHaveBeenCalled();
    await press(ESC, ENTER);
    expect(does.undo).not.toHaveBeenCalled();
    expect(await press('u', ENTER)).toContain('job undo2345 has begun; j: jobs');
    expect(does.undo).toHaveBeenCalledExactlyOnceWith('done2345');
    expect([does.stopJob, does.goOn].map((of) => of.mock.calls)).toEqual([[], []]);
    await end();
  });

  it('undo a job once, however often Enter is pressed, and leave a question that is closed meanwhile', async () => {
    const jobs = [job('done2345', { state: 'done' })];
    const answers: ((job: Awaited<ReturnType<Explorer['undo']>>) => void)[] = [];
    const { press, pass, does, end } = top({
      jobs,
      undo: () => new Promise((resolve) => answers.push(resolve)),
    });
    await pass();
    expect(await press('j', 'u', ENTER, ENTER)).toContain('asking …   esc: back');
    expect(does.undo).toHaveBeenCalledTimes(1);
    expect(await press(ESC, 'u')).toContain('enter: undo 68');
    answers[0]?.({ id: 'undo2345', ended: new Promise(() => {}) });
    expect(await press('z')).toContain('enter: undo 68');
    await end();
  });

  it('say why a job cannot be undone, before or behind the question', async () => {
    const jobs = [job('done2345', { state: 'done' })];
    const over = top({ jobs, undoRefusal: () => 'it ended more than a day ago' });
    await over.pass();
    expect(await over.press('j', 'u')).toContain('it ended more than a day ago');
    expect(over.terminal.text).not.toContain('Undo job');
    await over.end();
    const undo = async () => {
      throw new Error('it has changed nothing');
    };
    const late = top({ jobs, undo });
    await late.pass();
    expect(await late.press('j', 'u', ENTER)).toMatch(
      /Undo job done2345.*it has changed nothing.*enter: undo/s,
    );
    await late.end();
    const readOnly = top({ jobs, refusal: 'start with --write' });
    await readOnly.pass();
    expect(await readOnly.press('j', 'u')).toContain('start with --write');
    await readOnly.end();
  });

  it('pause a queue with reason and end, and let it go on', async () => {
    const { press, pass, does, end } = top();
    await pass();
    expect(await press('p', ...'stock', TAB, ...'2h')).toMatch(/Reason +stock.*Until +2h▏/s);
    expect(await press(ENTER)).toContain('orders is paused');
    expect(does.pause).toHaveBeenCalledWith('orders', { reason: 'stock', until: '2h' });
    expect(await press(DOWN, 'p')).toContain('Let bulk go on?');
    await press(ENTER);
    expect(does.resume).toHaveBeenCalledWith('bulk');
    await end();
  });

  it('keep the form of a pause, and say why it was refused', async () => {
    const refused = async () => {
      throw new Error('pause.until: expected a time that lies ahead, got "soon"');
    };
    const { press, pass, end } = top({ pause: refused });
    await pass();
    expect(await press('p', TAB, ...'soon', ENTER)).toMatch(/Until +soon▏.*pause\.until: expected/s);
    await end();
  });

  it('mute the alarms of a queue until a time, which costs no request before and after', async () => {
    const { press, pass, does, reads, terminal, end } = top();
    await pass();
    expect(does.mutes.read).not.toHaveBeenCalled();
    const before = reads.mock.calls.length;
    const form = await press('m', ...'bank');
    expect(form).toMatch(/Mute the alarms of orders.*Reason +bank▏.*Until +2h.*15 days at most/s);
    expect(form).toContain('enter: mute   tab: next field   esc: cancel');
    expect(terminal.lines.every((line) => line.length <= 80)).toBe(true);
    expect(await press(TAB, BACKSPACE, BACKSPACE, ...'90m', ENTER)).toContain(
      '5 alarms of orders muted until 16:47 UTC',
    );
    expect(does.mutes.mute).toHaveBeenCalledWith('orders', { reason: 'bank', until: '90m' });
    expect(does.mutes.read).toHaveBeenCalledTimes(1);
    expect(reads.mock.calls.length).toBe(before);
    // Red stays red.
    expect(terminal.text).toContain('erp.example.com has failed since 14:27 UTC');
    await end();
  });

  it('show until when alarms are muted, and by whose words, and unmute them; from a list as well', async () => {
    const read = async () => 'until 16:47 UTC, by ann, "the bank is down"';
    const { press, pass, does, end } = top({ mutes: { read } });
    await pass();
    const asked = await press(ENTER, 'm');
    expect(asked).toContain('Let the alarms of orders notify again?');
    expect(asked).toContain('Muted until 16:47 UTC, by ann, "the bank is down".');
    // Nothing is typed there.
    expect(await press('x')).toContain('enter: unmute   esc: cancel');
    expect(await press(ENTER)).toContain('the alarms of orders notify again');
    expect(does.mutes.unmute).toHaveBeenCalledWith('orders');
    expect(does.mutes.mute).not.toHaveBeenCalled();
    await end();
  });

  it('mute nothing while the rule is read, nor after Esc', async () => {
    let answer = (_: string | undefined) => {};
    const read = () => new Promise<string | undefined>((resolve) => (answer = resolve));
    const { press, pass, does, end } = top({ mutes: { read } });
    await pass();
    expect(await press('m', ENTER)).toContain('asking …');
    expect(await press(ESC)).not.toContain('Mute the alarms');
    answer('until 16:47 UTC');
    expect(await press('x')).not.toContain('notify again');
    expect(does.mutes.mute).not.toHaveBeenCalled();
    await end();
  });

  it('keep the form of a mute that was refused, and close it where the rule may not be read', async () => {
    const denied = async () => {
      throw new Error('CloudWatch: not authorized');
    };
    const refused = top({ mutes: { mute: denied } });
    await refused.pass();
    expect(await refused.press('m', ...'bank', ENTER)).toMatch(/Reason +bank▏.*CloudWatch: not authorized/s);
    await refused.end();
    const unread = top({ mutes: { read: denied } });
    await unread.pass();
    const screen = await unread.press('m');
    expect(screen).toContain('CloudWatch: not authorized');
    expect(screen).not.toContain('Mute the alarms');
    await unread.end();
  });

  it('mute nothing at a local runtime', async () => {
    const { press, pass, does, end } = top({
      muteRefusal: 'alarms of a local runtime notify no operator: there is nothing to mute',
    });
    await pass();
    expect(await press('m')).toContain('alarms of a local runtime notify no operator');
    expect(does.mutes.read).not.toHaveBeenCalled();
    await end();
  });

  it('change nothing without --write, and say so', async () => {
    const jobs = [job('k3v9x2ab', { state: 'running' })];
    const { press, pass, does, end } = top({ refusal: 'start with --write to change anything', jobs });
    await pass();
    expect(await press('p')).toContain('start with --write');
    expect(await press('m')).toContain('start with --write');
    expect(await press(ENTER, 'R')).toContain('start with --write');
    expect(await press(ESC, 'j', 'x')).toContain('start with --write');
    expect(does.tryOut).not.toHaveBeenCalled();
    expect(does.stopJob).not.toHaveBeenCalled();
    expect(does.pause).not.toHaveBeenCalled();
    expect(does.mutes.read).not.toHaveBeenCalled();
    await end();
  });

  it('say what could not be read, and go on', async () => {
    const broken = async () => {
      throw new Error('AccessDenied');
    };
    const { press, pass, end } = top({ causes: broken });
    await pass();
    expect(await press(ENTER)).toContain('AccessDenied');
    expect(await press(ESC)).toContain('erp.example.com has failed');
    await end();
  });
});
