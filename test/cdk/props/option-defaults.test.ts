import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { expect, it } from 'vitest';
import { readProps } from '../../../cdk/props/backlog-shape.js';
import { readQueues } from '../../../cdk/props/queue.js';
import { optionsOfType } from '../../../scripts/options-doc.js';
import { URL } from '../support.js';

const KNOWN = { Duration, RemovalPolicy, RetentionDays, SystemLogLevel, Tracing };

/** The value of a default that begins with code: `true`; `false` with something else. Undefined for one in words. */
function valueIn(text = ''): unknown {
  const [, code] = /^`?([^`]+)`?(?:;.*)?$/.exec(text) ?? [];
  if (code === undefined || !/^(?:\d+|true|false|'\w+'|[A-Z]\w+\.\w+(?:\(\d+\))?)$/.test(code))
    return undefined;
  if (Object.keys(KNOWN).some((name) => code.startsWith(`${name}.`)) || !code.includes('.'))
    return new Function(...Object.keys(KNOWN), `return ${code}`)(...Object.values(KNOWN));
  return undefined;
}

it.each([
  ['the construct', ['BacklogProps', 'FunctionProps'], () => readProps({ queues: {} }), 16],
  ['a queue', ['QueueProps'], () => readQueues({ orders: { deliverTo: URL } })[0], 2],
])('the defaults of %s in the docstrings are those of the code', (_, types, read, least) => {
  const defaults: Readonly<Record<string, unknown>> = { ...read() };
  const said = types
    .flatMap((type) => optionsOfType(type).own)
    .map(({ name, standard }) => [name, valueIn(standard)] as const)
    .filter(([name, value]) => value !== undefined && defaults[name] !== undefined);
  expect(said.length).toBeGreaterThanOrEqual(least);
  expect(said.map(([name]) => [name, defaults[name]])).toEqual(said);
});
