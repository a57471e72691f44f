import { describe, expect, it } from 'vitest';
import type { RuleView } from '../../../src/overview/snapshot.js';
import { EXIT, type Output } from '../../../tools/src/cli/output.js';
import { checked } from '../../../tools/src/cli/top/check.js';
import { queueView, readingOf } from './queue-views.js';

const rule = (queue: string, changes: Partial<RuleView> = {}): RuleView => ({
  rule: {
    ...{ id: queue, label: `${queue}, every minute`, expression: 'rate(1 minute)', queues: [queue] },
    ...{ enabled: true, fired: 1, late: 0, failed: 0, givenUp: 0 },
  },
  last: undefined,
  missed: false,
  ...changes,
});
const TROUBLE = { text: 'bulk, every minute: its last 2 runs failed.', isRepeated: true, queues: ['bulk'] };

function check(queues?: readonly string[]) {
  const lines: string[] = [];
  const output = { message: (line: string) => void lines.push(line) } as unknown as Output;
  const local = { recent: { succeeded: 1, failed: 0 } };
  const reading = readingOf([queueView('orders', 'quiet', {}, local), queueView('bulk', 'quiet', {}, local)]);
  const snapshot = {
    ...reading.snapshot,
    rules: [rule('orders', { missed: true }), rule('bulk')],
    troubles: [TROUBLE],
  };
  return { code: checked({ ...reading, snapshot }, output, queues), lines };
}

describe('--check', () => {
  it('says what is wrong with runs and rules, and ends with the exit code of problems', () => {
    expect(check()).toEqual({
      code: EXIT.problems,
      lines: [
        'check: bulk, every minute: its last 2 runs failed.',
        'check: orders, every minute missed a run.',
      ],
    });
  });

  it('of some queues takes the rules that serve them', () => {
    expect(check(['orders']).lines).toEqual(['check: orders, every minute missed a run.']);
    expect(check(['bulk']).lines).toEqual(['check: bulk, every minute: its last 2 runs failed.']);
    expect(check(['mails'])).toEqual({ code: EXIT.ok, lines: [] });
  });
});
