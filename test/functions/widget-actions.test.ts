import { describe, expect, it } from 'vitest';
import { reportedAge } from '../../src/monitor/index.js';
import { StoreAccessError } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { ACTIONS_ARN, OVERVIEW_ARN, parsed, QUEUES, viewer, widgets } from './widget-support.js';

const button = (changes: Record<string, unknown> = {}) => ({
  action: 'pause',
  queue: 'orders',
  end: 'none',
  overview: OVERVIEW_ARN,
  widgetContext: viewer(),
  ...changes,
});

describe('the buttons of the overview', () => {
  it('ask for the end of a pause, and do nothing until it is chosen', async () => {
    const { act, store, lines } = widgets();
    const { text, buttons } = parsed(await act(button({ end: undefined })));
    expect(text('.h')).toEqual(['Pause orders?']);
    expect(text('.d')[0]).toContain('wait until an operator resumes it. Its alarms are silent until the end');
    expect(buttons().map(({ text, parameters }) => [text, parameters])).toEqual([
      ...[
        ['Pause, alarms silent for 30 min', '30m'],
        ['Pause, alarms silent for 2 h', '2h'],
        ['Pause without an end', 'none'],
      ].map(([word, end]) => [word, { action: 'pause', queue: 'orders', end, overview: OVERVIEW_ARN }]),
      ['Back to the overview', {}],
    ]);
    const before = 'Pause orders? No further attempt begins. Its records wait until an operator resumes it.';
    expect(buttons().map(({ confirmation }) => confirmation)).toEqual([
      `${before} Its alarms are silent for 30 min.`,
      `${before} Its alarms are silent for 2 h.`,
      `${before} Its alarms say when records are late.`,
      null,
    ]);
    expect(await store.queues.read('orders')).toMatchObject({ paused: false });
    expect(lines).toEqual([]);
  });

  it.each([
    ['30m', '2026-11-20T10:00:00.000Z', '10:00'],
    ['2h', '2026-11-20T11:30:00.000Z', '11:30'],
  ])('pause a queue with an end and the dashboard as the reason: %s', async (end, until, time) => {
    const { act, store, log, clock } = widgets();
    const { text } = parsed(await act(button({ end })));
    const state = await store.queues.read('orders');
    expect(state).toMatchObject({ pausedUntil: until, pauseReason: 'from the dashboard Shop' });
    expect(state.pausedBy).toBeUndefined();
    expect(text('.d')[0]).toContain(
      `until ${time} UTC, "from the dashboard Shop". Its alarms are silent until then.`,
    );
    expect(log()).toMatchObject([{ message: 'queue paused', until }]);
    const late = (now: number) => reportedAge('orders', 700, state, { now, last: new Map() });
    expect([late(clock.now()), late(Date.parse(until))]).toEqual([0, 700]);
  });

  it.each([
    [undefined, 'from the dashboard'],
    ['\u202eevil', 'from the dashboard'],
    ['x'.repeat(250), 'from the dashboard'],
  ])('name no dashboard that is not known or cannot be shown: %s', async (dashboardName, reason) => {
    const { act, store } = widgets();
    await act(button({ widgetContext: viewer({ dashboardName }) }));
    expect((await store.queues.read('orders')).pauseReason).toBe(reason);
  });

  it('pause a queue, and say what that means', async () => {
    const { act, store } = widgets();
    const { text, buttons } = parsed(await act(button()));
    expect(await store.queues.read('orders')).toMatchObject({ paused: true });
    expect(await store.queues.read('bulk')).toMatchObject({ paused: false });
    expect(text('.h')).toEqual(['orders is paused']);
    expect(text('.d')).toEqual([
      'No further attempt begins, and records wait until an operator resumes it. Paused since 2026-11-20 09:30:00 UTC, "from the dashboard Shop".',
    ]);
    expect(buttons()).toMatchObject([
      { text: 'Back to the overview', display: 'widget', endpoint: OVERVIEW_ARN, parameters: {} },
      { text: 'Resume', endpoint: ACTIONS_ARN, parameters: { action: 'resume', queue: 'orders' } },
    ]);
  });

  it('keep why a queue was paused already, and say it', async () => {
    const { act, store } = widgets();
    const note = { pausedUntil: '2026-11-20T16:00:00.000Z', pauseReason: '<b>', pausedBy: 'role/ops' };
    await store.queues.setPaused('orders', true, note);
    expect(parsed(await act(button())).text('.d')[0]).toMatch(
      /Paused since 2026-11-20 09:30:00 UTC by role\/ops until 16:00 UTC, "<b>"\. Its alarms are silent until then\.$/,
    );
    expect(await store.queues.read('orders')).toMatchObject(note);
  });

  it('resume a queue', async () => {
    const { act, store } = widgets();
    await store.queues.setPaused('orders', true);
    const { text, buttons } = parsed(await act(button({ action: 'resume' })));
    expect(await store.queues.read('orders')).toMatchObject({ paused: false });
    expect(text('.h')).toEqual(['orders goes on']);
    expect(buttons().map(({ text }) => text)).toEqual(['Back to the overview', 'Pause…']);
  });

  it('say that it was so already', async () => {
    const { act, store, log } = widgets();
    await store.queues.setPaused('orders', true);
    expect(parsed(await act(button())).text('.h')).toEqual(['orders is paused already']);
    expect(log()).toMatchObject([{ message: 'queue paused', changed: false }]);
  });

  it('leave a line in the log, with all that CloudWatch says of the viewer', async () => {
    const { act, log } = widgets();
    await act(button());
    await act(button({ action: 'resume' }));
    const who = {
      account: '111111111111',
      dashboard: 'Shop',
      widget: 'widget-3',
      queue: 'orders',
      changed: true,
    };
    expect(log()).toMatchObject([
      { level: 'INFO', message: 'queue paused', function_request_id: 'request-1', ...who },
      { level: 'INFO', message: 'queue resumed', function_request_id: 'request-1', ...who },
    ]);
  });

  const inherited = { action: 'pause', queue: 'toString', widgetContext: viewer() };
  it.each([
    ['nothing', undefined],
    ['no action', button({ action: undefined })],
    ['an unknown action', button({ action: 'redrive' })],
    ['no queue', button({ queue: undefined })],
    ['an unknown end', button({ end: '1y' })],
    ['a list of queues', button({ queue: ['orders'] })],
    ['an unknown queue', button({ queue: 'order' })],
    ['a name that every object has', inherited],
    ['a hostile queue', button({ queue: '<img src=x onerror=alert(1)>' })],
    ['a way back that is no function', button({ overview: 'javascript:alert(1)' })],
    ['no dashboard', button({ widgetContext: undefined })],
    [
      'parameters of the widget itself: it would act when it is looked at',
      button({ widgetContext: viewer({ params: { action: 'pause', queue: 'orders' } }) }),
    ],
  ])('do nothing for an event with %s', async (_, event) => {
    const { store } = widgets();
    const written: unknown[] = [];
    const watched = replacing(
      {
        queues: {
          setPaused: async (...args) => {
            written.push(args);
            return true;
          },
        },
      },
      store,
    );
    const { act, lines } = widgets(QUEUES, { store: watched });
    const { text, document } = parsed(await act(event));
    expect(text('.h')).toEqual(['Nothing was done']);
    expect(text('.d')[0]).toMatch(/\.$/);
    expect(document.querySelectorAll('img, button')).toHaveLength(0);
    expect([...written, ...lines]).toEqual([]);
  });

  it('say that it is not known, where the table cannot be written, and how to do it otherwise', async () => {
    const { store } = widgets();
    const broken = replacing(
      {
        queues: {
          setPaused: async () => {
            throw new StoreAccessError('dynamodb:UpdateItem: not allowed');
          },
        },
      },
      store,
    );
    const { act, log } = widgets(QUEUES, { store: broken });
    const { text } = parsed(await act(button({ end: '2h' })));
    expect(text('.h')).toEqual(['Whether orders was changed is not known']);
    expect(text('code')).toEqual([
      'npx backlog pause orders --until 2h --table records-table --control-table control-table',
    ]);
    expect(log()).toMatchObject([{ level: 'ERROR', queue: 'orders', action: 'pause' }]);
  });
});
