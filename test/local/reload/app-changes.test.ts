import { expect, it } from 'vitest';
import { appChanges } from '../../../tools/src/local/reload/app-changes.js';
import { appOf, lambda, rule, table } from './app-under-test.js';

it('has no line for an app that is the same', () => {
  const app = appOf();
  expect(appChanges(app, { ...app })).toEqual([]);
});

it('names what is new and what is gone', () => {
  const after = appOf({
    tables: [table('Records'), table('Archive')],
    functions: [lambda('Mails')],
    queues: [{ name: 'Dlq', maxReceives: 3, deadLetterQueue: undefined }],
  });
  expect(appChanges(appOf(), after)).toEqual([
    'table Archive: added',
    'function Orders: removed',
    'function Mails: added',
    'message queue Dlq: added',
  ]);
});

it('says of a table that is gone from the app that its records stay', () => {
  expect(appChanges(appOf(), appOf({ tables: [] }))).toEqual([
    'table Records: not in the app any more; its records stay',
  ]);
});

it('says what changes of a function, without the values of variables', () => {
  const environment = { TOKEN: 'secret', BACKLOG_QUEUES: '{}' };
  const after = lambda('Orders', { folder: '/b', timeoutSeconds: 60, memoryMb: 1024, environment });
  expect(appChanges(appOf(), appOf({ functions: [after] }))).toEqual([
    'function Orders: new code, timeout 30 s → 60 s, memory 512 MB → 1024 MB, other TOKEN',
  ]);
});

it('says how often a rule fires from now on, and that it is disabled', () => {
  const often = appOf({ rules: [rule('Poll', 'orders', 'rate(5 minutes)')] });
  expect(appChanges(appOf(), often)).toEqual(['rule orders, every minute: → orders, every 5 minutes']);
  const off = appOf({ rules: [{ ...rule('Poll', 'orders', 'rate(1 minute)'), enabled: false }] });
  expect(appChanges(appOf(), off)).toEqual(['rule orders, every minute: disabled']);
});

it('does not name the rules of a queue that comes or goes', () => {
  const more = appOf({
    rules: [rule('Poll', 'orders', 'rate(1 minute)'), rule('Mails', 'mails', 'rate(1 minute)')],
  });
  expect(appChanges(appOf(), more)).toEqual([]);
  expect(appChanges(more, appOf())).toEqual([]);
  const second = appOf({
    rules: [rule('Poll', 'orders', 'rate(1 minute)'), rule('Slow', 'orders', 'rate(1 day)')],
  });
  expect(appChanges(appOf(), second)).toEqual(['rule orders, every day: added']);
});
