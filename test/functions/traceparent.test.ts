import { describe, expect, it } from 'vitest';
import { backlogHandler, defineTask } from '../../functions/index.js';
import { context, workbench } from './support.js';

const queues = { default: { retryMode: 'perRecord' } } as const;
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** The traces that attempts see of records which were stored so. */
async function seen(items: readonly object[], tasks = false) {
  const bench = workbench(queues);
  for (const [i, item] of items.entries()) await bench.insert({ id: `r-${i}`, ...item });
  const traces: unknown[] = [];
  const see = (traceparent: string | undefined) => void traces.push(traceparent);
  const task = defineTask({ name: 't', perform: (_, { traceparent }) => see(traceparent) });
  const handler = backlogHandler({
    queue: 'default',
    ...(tasks ? { tasks: [task] } : { process: (_, { traceparent }) => see(traceparent) }),
    ...bench.overrides,
  });
  expect(await handler({ queue: 'default' }, context)).toMatchObject({ succeeded: items.length });
  return { traces, lines: bench.log(), items: bench.store.items() };
}

describe('the trace of a record', () => {
  it('comes to its attempt as it was stored, and stays on the record', async () => {
    const { traces, items } = await seen([{ traceparent: TRACEPARENT }, {}]);
    expect(traces).toEqual([TRACEPARENT, undefined]);
    expect(items.map(({ traceparent }) => traceparent)).toEqual([TRACEPARENT, undefined]);
  });

  it('comes to the work of a task', async () => {
    expect((await seen([{ task: 't', traceparent: TRACEPARENT }], true)).traces).toEqual([TRACEPARENT]);
  });

  it.each([
    ['a text of another kind', 'Root=1-6921a1b2-0123456789abcdef01234567'],
    ['a version of another kind', TRACEPARENT.replace('00-', 'ff-')],
    ['upper case', TRACEPARENT.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a parent id of zeros', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['more behind it', `${TRACEPARENT}-more`],
    ['a header smuggled in', `${TRACEPARENT}\r\nAuthorization: x`],
    ['a new line', `${TRACEPARENT}\n`],
    ['a megabyte', '0'.repeat(300_000)],
    ['a number', 7],
    ['a map', { traceparent: TRACEPARENT }],
  ])('that is invalid (%s) is ignored, which the log says', async (_, traceparent) => {
    const { traces, lines } = await seen([{ traceparent }]);
    expect(traces).toEqual([undefined]);
    const warnings = lines.filter(({ level }) => level === 'WARN');
    expect(warnings).toMatchObject([
      { message: 'attributes ignored', problems: [expect.stringContaining('traceparent: expected')] },
    ]);
    expect(JSON.stringify(warnings).length).toBeLessThan(500);
  });
});
