import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/overview/runtime.js';
import type { ClockAdvance, ConsoleDeps } from '../../tools/src/console/deps.js';
import { consoleUnderTest, get, iso, MINUTE, NOW, post, runtimeUnderTest } from './console-under-test.js';

const rule = {
  id: 'poll',
  label: 'orders, every minute',
  expression: 'rate(1 minute)',
  queues: [],
  enabled: true,
  nextAt: iso(MINUTE),
  fired: 0,
  late: 0,
  failed: 0,
  givenUp: 0,
};
const run: RunReport = {
  at: iso(MINUTE),
  rule: 'poll',
  label: rule.label,
  outcome: 'ok',
  text: 'attempted 3: 3 ok, 0 failed, 0 dead',
  idle: false,
  coalesced: 0,
  durationMs: 5,
};

/** The console of a runtime whose clock applies each change. */
function withClock(changes: Partial<ConsoleDeps> = {}, advance?: ClockAdvance) {
  const state = { speed: 60, paused: false };
  const done: unknown[] = [];
  const base = runtimeUnderTest();
  const runtime = runtimeUnderTest(
    {},
    {
      status: () => ({ ...base.status(), ...state, rules: [rule] }),
      lastRunOf: () => run,
      clock: {
        change: async (change) => {
          done.push(change);
          Object.assign(state, change);
        },
        advance: async () => {
          done.push('advance');
          return advance;
        },
      },
    },
  );
  const { app, log, clock } = consoleUnderTest({ runtime, ...changes });
  Object.defineProperty(clock, 'speed', { get: () => state.speed });
  Object.defineProperty(clock, 'paused', { get: () => state.paused });
  const send = (path: string, fields: Record<string, string> = {}, headers = {}) =>
    post(app, `/runtime/clock/${path}`, fields, headers, '/');
  return { app, log, done, send };
}

it('the page says by how much the clocks of programs that insert are off', async () => {
  const base = runtimeUnderTest();
  const page = async (changes: object) =>
    (
      await get(
        consoleUnderTest({
          runtime: runtimeUnderTest({}, { status: () => ({ ...base.status(), ...changes }) }),
        }).app,
        '/',
      )
    ).text;
  expect(await page({ speed: 60, aheadMs: 7_200_000 })).toContain('their delays are off by 2 h<');
  expect(await page({ speed: 1, aheadMs: 0 })).not.toContain('their delays are off');
});

it('the strip says that the clock is slower than it was asked to go, whose button stays pressed', async () => {
  const slowed = runtimeUnderTest({ speed: 15, askedSpeed: 60 });
  const { text } = await get(consoleUnderTest({ runtime: slowed }).app, '/');
  expect(text).toContain('60× asked, 15× now: this machine cannot keep up');
  expect(text).toMatch(/aria-label="Speed 60×" aria-pressed="true"/);
  const { text: fast } = await get(consoleUnderTest({ runtime: runtimeUnderTest({ speed: 60 }) }).app, '/');
  expect(fast).not.toContain('cannot keep up');
});

/** The text of the page after an action. */
const pageAfter = async (app: ReturnType<typeof withClock>['app'], location: string) =>
  (await get(app, location)).text;

describe('the clock of a local runtime', () => {
  it('is paused and goes on, and each page says so', async () => {
    const { app, done, log, send } = withClock();
    const running = (await get(app, '/records')).text;
    expect(running).toContain('data-speed="60"');
    expect(running).toContain('Pause clock');
    const { status, location } = await send('pause');
    expect(status).toBe(303);
    const paused = await pageAfter(app, location);
    expect(paused).toContain('data-speed="0"');
    expect(paused).toContain('Resume clock');
    expect(paused).toContain('The clock is paused: no rule fires.');
    expect(paused).toContain('Next tick 14:48:18');
    await send('resume');
    expect(done).toEqual([{ paused: true }, { paused: false }]);
    expect(log.map(({ as, text }) => `${as}: ${text}`)).toEqual([
      'ops: pause the clock',
      'ops: resume the clock',
    ]);
  });

  it.each(['1', '10', '1440', '2.5', '100000'])('goes at a speed of %s', async (speed) => {
    const { app, done, log, send } = withClock();
    const { location } = await send('speed', { speed });
    expect(done).toEqual([{ speed: Number(speed) }]);
    expect(log[0]?.text).toBe(`set the speed of the clock to ${speed}`);
    expect(await pageAfter(app, location)).toContain(`data-speed="${speed}"`);
  });

  it.each(['0', '0.5', '100001', '-1', 'fast', '', '1e3', 'Infinity'])(
    'refuses a speed of %j',
    async (speed) => {
      const { app, done, send } = withClock();
      const { location } = await send('speed', { speed });
      expect(await pageAfter(app, location)).toContain('Speed: expected a number from 1 to 100,000.');
      expect(done).toEqual([]);
    },
  );

  it('marks its speed', async () => {
    const { app } = withClock();
    const { text } = await get(app, '/');
    const pressed = [...text.matchAll(/value="(\d+)"[^>]*aria-pressed="true"/g)].map(([, value]) => value);
    expect(pressed).toEqual(['60']);
  });

  it('goes to the next tick, and says what the rule did there', async () => {
    const ended = Promise.resolve();
    const { app, done, log, send } = withClock({}, { at: NOW + MINUTE, rules: ['poll'], ended });
    const { location } = await send('next');
    expect(done).toEqual(['advance']);
    const result = `The clock went to 14:48:18.\norders, every minute: ${run.text}`;
    expect(await pageAfter(app, location)).toContain(result);
    expect(log).toMatchObject([{ text: 'go to the next tick', result }]);
  });

  it('says that no rule is to fire', async () => {
    const { app, send } = withClock();
    expect(await pageAfter(app, (await send('next')).location)).toContain('No rule is to fire.');
  });

  it.each([
    ['http://localhost/records?queue=orders&note=old', '/records?queue=orders&note='],
    ['http://localhost/record/preview', '/?note='],
    ['http://elsewhere.example/records', '/?note='],
    ['no URL', '/?note='],
  ])('leads from %s to %s', async (referer, to) => {
    const { send } = withClock();
    const { location } = await send('pause', {}, { referer, host: 'localhost' });
    expect(location.replace(/note=[\w-]+$/, 'note=')).toBe(to);
  });

  it('is not changed read-only, nor without the token', async () => {
    const readOnly = withClock({ access: { write: false, reason: 'Look only.' } });
    const writable = withClock();
    for (const path of ['pause', 'resume', 'next', 'speed']) {
      expect((await readOnly.send(path, { speed: '10' })).status).toBe(403);
      expect((await writable.send(path, { speed: '10', csrf: 'x' })).status).toBe(403);
    }
    expect([...readOnly.done, ...writable.done]).toEqual([]);
    expect((await get(readOnly.app, '/')).text).toMatch(/disabled[^>]*title="Look only\."[^>]*>Pause clock/);
  });

  it('has no controls in the console of a backlog in AWS', async () => {
    const { app } = consoleUnderTest();
    expect((await get(app, '/')).text).not.toContain('/runtime/clock');
  });
});
