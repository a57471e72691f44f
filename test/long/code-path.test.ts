import { describe, expect, it } from 'vitest';
import { codePath, type Way } from '../../bench/code-path/code-path.js';

/** The code of options that are not set: of all guards but three, and of whole folders. */
const OFF = new RegExp(
  [
    'worker/guards/(?!(?:gate|queue-guards|time-limit)\\.)',
    'worker/(?:busy-lanes|drain-lanes|long-attempts?|meanwhile|page-turns|probes|weights)\\.',
    'src/(?:batches|delivery|groups|intake|lines|operate|overview|recurring|registry)/',
    'functions/intake/(?:batch-keys|check-groups|group|line)',
  ].join('|'),
);

describe.each<[Way, { files: number; functions: number }]>([
  ['attempted', { files: 74, functions: 300 }],
  ['retried', { files: 98, functions: 442 }],
])('one record with default options, %s', (way, most) => {
  it('runs no more code than it did, and none of an option that is not set', async () => {
    const ran = await codePath(way);
    const files = [...new Set(ran.map(({ file }) => file))];
    expect(files).toEqual(expect.arrayContaining(['src/client/client.ts', 'src/worker/executor.ts']));
    expect(files.filter((file) => OFF.test(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(most.files);
    expect(ran.length).toBeLessThanOrEqual(most.functions);
  });
});
