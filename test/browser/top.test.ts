import { expect, it, vi } from 'vitest';
import { painter } from '../../tools/src/cli/paint.js';
import { showLive } from '../../tools/src/cli/top/live.js';
import { openSource } from '../../tools/src/cli/top/source.js';
import { FakeKeyboard } from '../cli/fake-keyboard.js';
import { backlog as runBacklog } from '../cli/in-process.js';
import { VirtualTerminal } from '../cli/virtual-terminal.js';
import { startErp, stopsErps } from './own-erp.js';
import { startShop, stopsShops } from './shop-runtime.js';

const [ENTER, ESC, TAB] = ['\r', '\u001b', '\t'];
const ORDERS = 12;

stopsShops();
stopsErps();

/** `backlog top --write` of the local runtime that runs. */
async function openTop() {
  const terminal = new VirtualTerminal(110, 30);
  const keyboard = new FakeKeyboard();
  const abort = new AbortController();
  const source = await openSource({}, { patient: false, mayWrite: true });
  const done = showLive({
    ...{ source, terminal, keyboard, paint: painter(true), intervalMs: 300, signal: abort.signal },
  });
  const text = () => terminal.text.replace(/[│┌┐└┘─▏\s]+/g, ' ');
  return {
    terminal,
    press: (...keys: string[]) => {
      for (const key of keys) keyboard.press(key);
    },
    shows: (wanted: RegExp) =>
      vi
        .waitUntil(() => wanted.test(text()), { timeout: 200_000, interval: 50 })
        .catch(() => {
          expect(text()).toMatch(wanted);
        }),
    end: async () => {
      abort.abort();
      await done;
      source.close();
    },
  };
}

it('an operator gets from an outage to all green with the keys of backlog top', {
  timeout: 600_000,
}, async () => {
  const down = { status: 503, says: 'down for maintenance' };
  const erp = await startErp(() => down);
  const { backlog, queue } = await startShop(60, erp.url);
  const top = await openTop();
  await top.shows(/No record has come yet|All quiet|No run has served/);
  await backlog.insertMany(
    Array.from({ length: ORDERS }, (_, i) => ({ id: `order-${i}`, queue, payload: { order: i } })),
  );
  await top.shows(
    /127\.0\.0\.1:\d+ \(HttpError 503\) has failed since \d\d:\d\d UTC: 100 % .* 12 records wait/,
  );

  top.press('i');
  await top.shows(/incidents INCIDENT.*127\.0\.0\.1:\d+ \(HttpError 503\) failing .*orders/);
  top.press(ENTER);
  await top.shows(/incidents › 127\.0\.0\.1:\d+ \(HttpError 503\) › causes.*HttpError 503.*127\.0\.0\.1.*12/);
  top.press(ENTER);
  await top.shows(/order-\d+ .*down for maintenance/);
  top.press(ESC, ESC, ESC);

  top.press('p');
  await top.shows(/Pause orders/);
  top.press(...'ERP is down', TAB, ...'noon', ENTER);
  await top.shows(/expected a time that lies ahead/);
  top.press(...Array.from({ length: 4 }, () => '\u007f'), ...'2h', ENTER);
  await top.shows(/orders is paused/);
  await top.shows(/"ERP is down"/);

  // Two of them are put off by another operator: they are left when the others have succeeded.
  const snoozed = await runBacklog('snooze', 'order-0', 'order-1', '--delay', '1d', '--yes');
  expect(snoozed.out + snoozed.err).toContain('2 records');
  erp.answer = () => ({ status: 200, says: 'taken' });
  top.press('p');
  await top.shows(/Let orders go on\?/);
  top.press(ENTER);
  // On a slow machine the outage lasts longer, and the others come one by one: by the last, an hour may have passed.
  await top.shows(
    / is back since \d\d:\d\d UTC(, after [^:]+)?: \d+ records? waits?( in orders)? that ha(s|ve) failed before/,
  );
  await top.shows(/orders \S+ \w+ 2 0 2 0/);

  top.press(ENTER);
  await top.shows(/HttpError 503.*127\.0\.0\.1/);
  top.press('R');
  await top.shows(/2 match, 2 would change/);
  top.press(ENTER);
  await top.shows(/Retry now: of orders, HttpError 503.*Done, 2/);
  top.press('j');
  await top.shows(/jobs JOB.*Retry now .*Done, 2/);
  top.press(ESC, ESC);
  await top.shows(/All quiet\. No record waits\./);
  expect(top.terminal.strange).toEqual([]);
  await top.end();
});
