import { describe, expect, it } from 'vitest';
import { METADATA_KEY } from '../../src/template-metadata.js';
import { TIMES } from '../../src/worker/index.js';
import { plainChanges } from '../../tools/src/cli/diff/plain-changes.js';
import { plainReload } from '../../tools/src/cli/plain.js';
import type { Stack } from '../../tools/src/local/template/assembly.js';
import { backlog } from './in-process.js';

const queue = {
  retryMode: 'perRecord',
  retry: { type: 'fibonacci' },
  work: 'entry',
  enabled: true,
  firstAttempt: 'onInsert',
  timeout: 300,
};

function stack(name: string, queues: object): Stack {
  const described = {
    ...{ version: 1, trigger: 'rules', intake: true, sweep: true, queues },
    ...{ records: { name: 'Records' }, control: { name: 'Control' } },
  };
  const template = { Metadata: { [METADATA_KEY]: { Backlog: described } }, Resources: {} };
  return { name, template, assetPath: () => undefined };
}

describe('what another synthesis changes for the queues', () => {
  it('is nothing where the queues are the same', () => {
    expect(plainChanges([stack('Shop', { orders: queue })], [stack('Shop', { orders: queue })])).toEqual([]);
  });

  it('is one line for each change, in the words of backlog diff', () => {
    const after = { orders: { ...queue, retry: { type: 'exponential' } }, mails: queue };
    expect(plainChanges([stack('Shop', { orders: queue })], [stack('Shop', after)])).toEqual([
      'queue mails: added',
      'queue orders: policy fibonacci → exponential',
    ]);
  });

  it.each(TIMES)('has a unit for %s, which is a length of time', (name) => {
    const after = { orders: { ...queue, settings: { [name]: 3_600 } } };
    const [line] = plainChanges([stack('Shop', { orders: queue })], [stack('Shop', after)]);
    expect(line).toMatch(`queue orders: ${name} default → 1 h`);
  });

  it('says what happens to records that are not safe', () => {
    const before = [stack('Shop', { orders: queue, mails: { ...queue, timeout: 60 } })];
    expect(plainChanges(before, [stack('Shop', { orders: queue })])).toEqual([
      'queue mails: removed. Those that wait stay in the table, and no run attempts them.',
    ]);
  });

  it('names stacks that come and go', () => {
    expect(plainChanges([stack('Shop', {})], [stack('Store', {})])).toEqual([
      'stack Shop: removed',
      'stack Store: added',
    ]);
  });
});

describe('the news of a reload, without a terminal', () => {
  it('is a line, with what explains it below', () => {
    const news = {
      at: '2026-01-01T00:00:00.000Z',
      ok: true,
      text: 'the app has changed',
      lines: ['queue a: added'],
    };
    expect(plainReload(news)).toEqual(['reload: the app has changed', '  queue a: added']);
  });

  it('looks different for an error, and passes no control characters on', () => {
    const news = { at: '2026-01-01T00:00:00.000Z', ok: false, text: 'bad\u001b[2J', lines: [] };
    const [line = ''] = plainReload(news);
    expect(line.startsWith('ERROR: bad')).toBe(true);
    expect(line).not.toContain('\u001b');
  });
});

it('start --watch is refused where there is no app to watch', async () => {
  const { code, err } = await backlog('start', '--watch', '--no-sample');
  expect([code, err]).toEqual([
    2,
    "error: --watch: expected together with --app: this package's own app has no files to save",
  ]);
});
