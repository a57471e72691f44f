import { describe, expect, it } from 'vitest';
import { sentenceOf } from '../../../src/overview/sentence.js';
import { painter, width } from '../../../tools/src/cli/paint.js';
import { type TopState, topPicture, topText } from '../../../tools/src/cli/top/picture.js';
import { ALL_CONDITIONS, LOCAL, MINUTE, NOW, queueView, readingOf } from './queue-views.js';

const plain = painter(false);
const facts = { where: 'table Records in memory', intervalMs: 5_000, wall: NOW + 3_000 };
const state = (changes: Partial<TopState> = {}): TopState => ({
  reading: readingOf(ALL_CONDITIONS),
  isPaused: false,
  sort: 'worst',
  ...changes,
});
const picture = (changes: Partial<TopState> = {}, columns = 80, rows = 24, paint = plain) =>
  topPicture(state(changes), facts, { columns, rows }, paint);

describe('the picture of backlog top', () => {
  it('shows the sentence, then each queue with icon and word, the worst first', () => {
    expect(picture().map((line) => line.trimEnd())).toEqual([
      '▲ erp.example.com has failed since 14:13 UTC: breaker open, next probe in 4 min;',
      '602 records wait in invoices.',
      '  prices is 16 h 23 min late: 4,212 records due, no run is at work. bulk has',
      '  been paused for 16 min, 1 record waits. 116 dead records of mails need a …',
      '',
      'QUEUE     STATE           WAITING    DUE  DEAD  OLDEST DUE   LAG  LEASE',
      'invoices  ◐ Breaker open      602      0     0    in 4 min   0 s  –',
      'prices    ▲ Late             1.2M  4,212     0        16 h  16 h  –',
      'bulk      ‖ Paused              1      0     0           –   0 s  –',
      'mails     ⊠ Has dead            0      0   116           –   0 s  –',
      'orders    ● At work            12     12     0        31 s  31 s  42 s +1',
      'stock     ○ Waiting             3      0     0   in 13 min   0 s  –',
      'notes     ✓ Quiet               0      0     0           –   0 s  –',
      '',
      'read 3 s ago, 35.5 read units; every 5 s                            14:47:18 UTC',
      'table Records in memory',
      'q quit  enter causes  i incidents  j jobs  p pause  m mute  s sort: worst first',
    ]);
  });

  it('has a line on what ended last, and not where lines are few', () => {
    const outage = (group: string, ago: number) => ({
      ...{
        group,
        since: NOW / 1000 - (ago + 35) * 60,
        endedAt: NOW / 1000 - ago * 60,
        error: 'HttpError 503',
      },
    });
    const endedOutages = [outage('erp', 7), outage('\u001b[2Jcrm', 99)];
    const reading = readingOf([queueView('orders', 'quiet', {}, { endedOutages })]);
    const line = '  ended: erp (HttpError 503) of orders: 14:05 to 14:40 UTC, 35 min; and 1 more …';
    expect(picture({ reading })).toContain(line);
    expect(picture({ reading }, 120)).toContain(line.replace('…', 'in 24 h'));
    expect(picture({ reading }, 80, 12).join('')).not.toContain('ended:');
    expect(picture().join('')).not.toContain('ended:');
  });

  it('has the line on alarms below the sentence, in one column each, and not where lines are few', () => {
    const alarmLine = 'alarms: page Failures-orders since 14:13 UTC, by \u001b[2J\u202eann';
    const reading = readingOf(ALL_CONDITIONS, { alarmLine });
    const line = '  alarms: page Failures-orders since 14:13 UTC, by ';
    const shown = picture({ reading }).find((one) => one.startsWith(line));
    expect(shown).toMatch(/ann/);
    for (const sign of ['\u001b', '\u202e']) expect(shown).not.toContain(sign);
    expect(picture({ reading }, 80, 12).join('')).not.toContain('alarms:');
    const long = readingOf(ALL_CONDITIONS, { alarmLine: alarmLine.repeat(20) });
    expect(picture({ reading: long }).filter((one) => one.includes('alarms:')).length).toBeLessThanOrEqual(2);
  });

  it('says more where there is room: whole numbers, which run holds the lease until when', () => {
    const text = picture({ reading: readingOf(LOCAL) }, 150).join('\n');
    expect(text).toContain('1,248,113');
    expect(text).toContain('16 h 23 min  16 h 23 min');
    expect(text).toContain('7f3a1b2c-9f… until 14:48:00, 42 s +1');
    expect(text).toMatch(/RETRY .* FAILED +NEXT RUN/);
    expect(text).toMatch(/invoices .* 602 .* 99 % +in 42 s/);
    expect(picture({ reading: readingOf(LOCAL) }, 120).join('\n')).toContain('7f3a1b2… 42 s +1');
  });

  it.each([
    [80, 24],
    [60, 20],
    [40, 10],
    [20, 5],
    [12, 1],
    [200, 60],
  ])('fits a terminal of %i columns and %i rows', (columns, rows) => {
    const queues = Array.from({ length: 50 }, (_, i) => queueView(`a-queue-with-a-long-name-${i}`, 'quiet'));
    for (const reading of [readingOf(LOCAL), readingOf(queues), readingOf([]), undefined]) {
      const lines = picture({ reading }, columns, rows, painter(true));
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('colours states, and greys zeros', () => {
    const text = picture({}, 80, 24, painter(true)).join('\n');
    expect(text).toContain('\u001b[33m◐ Breaker open\u001b[39m');
    expect(text).toContain('\u001b[2m      0\u001b[22m');
    expect(text).toContain('\u001b[31m 116\u001b[39m');
    expect(picture().join('\n')).not.toContain('\u001b');
  });

  it('keeps the old numbers with their age when the tables cannot be read, and says when it tries again', () => {
    const old = readingOf(ALL_CONDITIONS);
    const sentence = sentenceOf(old.snapshot, 'TimeoutError: no answer');
    const reading = { ...old, sentence, error: new Error('no answer'), readAt: NOW - 2 * MINUTE };
    const text = picture({ reading, nextAt: NOW + 7_000 }).join('\n');
    expect(text).toContain('▲ The tables cannot be read: TimeoutError: no answer');
    expect(text).toContain('the last counts, read 2 min 3 s ago, 35.5 read units; trying again in 4 s');
    expect(text).toMatch(/prices +▲ Late/);
  });

  it('says that it could never read, and what to do', () => {
    const reading = readingOf([], { readAt: undefined, countedAt: undefined, error: new Error('gone') });
    const text = picture({ reading }).join('\n');
    expect(text).toContain('no counts; trying again');
    expect(text).toContain('npx backlog doctor');
  });

  it('says how long it has been waiting for an answer', () => {
    expect(picture({ askedAt: NOW - 9_000 }).join('\n')).toContain('no answer for 12 s');
    expect(picture({ askedAt: NOW + 2_000 }).join('\n')).not.toContain('no answer');
  });

  it('says that the refresh is paused', () => {
    const text = picture({ isPaused: true }).join('\n');
    expect(text).toContain('‖ refresh paused');
    expect(text).toContain('space go on');
  });

  it('sorts, and shows the queues around the selected one', () => {
    const order = (lines: string[]) => lines.flatMap((line) => /^(?:> | {2})?(q\d)/.exec(line)?.[1] ?? []);
    const queues = [3, 9, 1, 7, 5].map((pending, i) => queueView(`q${i}`, 'waiting', { pending, dead: i }));
    const reading = readingOf(queues);
    expect(order(picture({ reading }))).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
    expect(order(picture({ reading, sort: 'waiting' }))).toEqual(['q1', 'q3', 'q4', 'q0', 'q2']);
    expect(order(picture({ reading, sort: 'dead' }))).toEqual(['q4', 'q3', 'q2', 'q1', 'q0']);
    const low = picture({ reading, selected: 2 }, 80, 11);
    expect(order(low)).toEqual(['q1', 'q2', 'q3']);
    expect(low.filter((line) => line.startsWith('> '))).toEqual([expect.stringContaining('> q2')]);
    expect(low.join('\n')).toContain('2 of 5 queues are not shown: ↑ ↓');
    expect(order(picture({ reading, selected: 99 }, 80, 11))).toEqual(['q2', 'q3', 'q4']);
  });

  it('shows the queues with a text in their names', () => {
    const reading = readingOf(['orders', 'Reorders', 'mails'].map((name) => queueView(name, 'quiet')));
    const text = (filter: string, isFiltering = false) =>
      picture({ reading, filter, isFiltering, selected: 0 }).join('\n');
    expect(text('ORD')).toMatch(/Queues with "ORD" in their names:\n.*\n> orders.*\n {2}Reorders/);
    expect(text('ORD')).not.toContain('mails');
    expect(text('x', true)).toContain('Queues with "x"▏ in their names:\nNone.');
  });

  it('says that a queue with another trouble is paused, too', () => {
    const queues = [queueView('orders', 'breaker', { paused: true, openBreakers: 1 })];
    expect(picture({ reading: readingOf(queues) }).join('\n')).toContain('◐ Breaker open, paused');
  });

  it('lets no text from outside play tricks on the terminal', () => {
    const evil = 'a\u001b[2J\u0007\u009b31m\r\nb\u202ec\u200bd\u0301漢🙂';
    const queues = [
      queueView(evil, 'late', { pending: 1 }, { leases: [{ key: 'x', holder: evil, until: NOW + 1_000 }] }),
    ];
    const reading = readingOf(queues);
    const sentence = sentenceOf(reading.snapshot, evil);
    const lines = picture({ reading: { ...reading, sentence } }, 60);
    const text = lines.join('\n');
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}|\p{Cf}|\p{M}|漢|🙂/u);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(60);
    expect(text).toContain('cd□□');
  });
});

describe('the text of backlog top --once', () => {
  it('has every queue and no keys', () => {
    const queues = Array.from({ length: 100 }, (_, i) => queueView(`queue-${i}`, 'quiet'));
    const lines = topText(readingOf(queues), undefined, plain);
    expect(lines.filter((line) => line.startsWith('queue-'))).toHaveLength(100);
    expect(lines[0]).toBe('○ No indexed record waits. Whether attempts succeed is not known here.');
    expect(lines.join('\n')).not.toContain('q quit');
  });
});
