import { parseSchedule } from '../../../src/schedules/expression.js';
import type {
  LocalApp,
  LocalFunction,
  LocalRule,
  LocalTable,
} from '../../../tools/src/local/template/local-app.js';
import { labelOf } from '../../../tools/src/local/template/target.js';

export function lambda(name: string, changes: Partial<LocalFunction> = {}): LocalFunction {
  return {
    name,
    handler: 'index.handler',
    folder: `/scratch/synthesis-1/asset.${name}`,
    codeKey: `${name}.zip`,
    timeoutSeconds: 30,
    memoryMb: 512,
    environment: {},
    failureQueue: undefined,
    ...changes,
  };
}

export function rule(id: string, queue: string, expression: string): LocalRule {
  const event = { queue };
  return {
    id,
    label: labelOf(event, expression) ?? id,
    expression,
    schedule: parseSchedule(expression),
    enabled: true,
    functionName: 'Orders',
    event,
  };
}

export function table(name: string, key = 'id'): LocalTable {
  return {
    name,
    logicalId: name,
    keys: [{ name: key, type: 'HASH' }],
    attributes: [{ name: key, type: 'S' }],
    indexes: [],
  };
}

export function appOf(changes: Partial<LocalApp> = {}): LocalApp {
  return {
    stacks: ['Shop'],
    tables: [table('Records')],
    functions: [lambda('Orders')],
    rules: [rule('Poll', 'orders', 'rate(1 minute)')],
    streams: [],
    queues: [],
    queueReaders: [],
    functionUrls: [],
    secrets: [],
    alarms: [],
    ...changes,
  };
}
