import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIntakeSettings } from '../../../functions/intake/settings.js';
import { environment } from '../support.js';

function withFile(pairs: unknown) {
  const file = join(mkdtempSync(join(tmpdir(), 'backlog-intake-')), 'arrival-functions.json');
  writeFileSync(file, JSON.stringify(pairs));
  return {
    ...environment({ orders: { retryMode: 'perRecord' }, bulk: { retryMode: 'perRecord' } }),
    BACKLOG_ARRIVAL_FUNCTIONS_FILE: file,
    BACKLOG_FILE_VALUES: '["Fast"]',
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
}

describe('the functions that attempt records on insertion, in a file', () => {
  it('are known by their queues', () => {
    const env = withFile([
      [{ $join: [0] }, ['orders']],
      ['shop-bulk', ['bulk']],
    ]);
    expect([...readIntakeSettings(env).arrivalFunctions]).toEqual([
      ['orders', 'Fast'],
      ['bulk', 'shop-bulk'],
    ]);
  });

  it('need the redelivery queue beside them', () => {
    expect(() => readIntakeSettings({ ...withFile([]), BACKLOG_REDELIVERY_URL: undefined })).toThrow(
      'expected BACKLOG_REDELIVERY_URL beside BACKLOG_ARRIVAL_FUNCTIONS',
    );
  });

  it('are refused by the name of the variable', () => {
    expect(() => readIntakeSettings(withFile([['Fast', 'orders']]))).toThrow(
      'BACKLOG_ARRIVAL_FUNCTIONS_FILE.0.1: expected array, got "orders"',
    );
  });
});
