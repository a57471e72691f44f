import { describe, expect, it } from 'vitest';
import { carryOver, checkTables } from '../../../tools/src/local/reload/carry-over.js';
import { appOf, lambda, table } from './app-under-test.js';

const never = () => false;

describe('functions after another synthesis', () => {
  it('are the same objects where nothing has changed but the folder of the synthesis', () => {
    const settings = (n: number) => ({
      BACKLOG_QUEUES_FILE: `/scratch/synthesis-${n}/asset.layer/dynamo-backlog/queues-1.json`,
    });
    const before = appOf({ functions: [lambda('Orders', { environment: settings(1) })] });
    const again = lambda('Orders', {
      folder: '/scratch/synthesis-12/asset.Orders',
      environment: settings(12),
    });
    const after = carryOver(before, appOf({ functions: [again] }), never);
    expect(after.functions[0]).toBe(before.functions[0]);
  });

  it('have new code where the asset is another one', () => {
    const before = appOf();
    const changed = lambda('Orders', { folder: '/scratch/synthesis-2/asset.b', codeKey: 'b.zip' });
    const after = carryOver(before, appOf({ functions: [changed] }), never);
    expect(after.functions).toEqual([changed]);
  });

  it('keep code that was bundled since, with settings that are new', () => {
    const code = { folder: '/scratch/bundles/Orders-3', codeKey: undefined };
    const before = appOf({ functions: [lambda('Orders', code)] });
    const changed = lambda('Orders', { timeoutSeconds: 60, codeKey: 'older.zip' });
    const after = carryOver(before, appOf({ functions: [changed] }), ({ name }) => name === 'Orders');
    expect(after.functions).toEqual([lambda('Orders', { ...code, timeoutSeconds: 60 })]);
  });

  it('have other variables where a value is another one', () => {
    const before = appOf();
    const changed = lambda('Orders', { environment: { LEVEL: 'DEBUG' } });
    const after = carryOver(before, appOf({ functions: [changed] }), never);
    expect(after.functions[0]?.environment).toEqual({ LEVEL: 'DEBUG' });
  });
});

describe('tables after another synthesis', () => {
  it('may be more, or fewer', () => {
    const made = [table('Records')];
    expect(() => checkTables(made, [table('Records'), table('Other')])).not.toThrow();
    expect(() => checkTables(made, [])).not.toThrow();
  });

  it('keep their keys', () => {
    expect(() => checkTables([table('Records')], [table('Records', 'orderId')])).toThrow(
      'the table Records: expected the keys and indexes that it was made with, got others',
    );
  });
});
