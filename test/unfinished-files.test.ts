import { describe, expect, it } from 'vitest';
import { UnfinishedFiles } from './unfinished-files.js';

describe('tests that are ended from outside', () => {
  it('name the files that have not ended, and end as they were to', () => {
    const said: string[] = [];
    const killed: unknown[] = [];
    let end = () => {};
    const ends = {
      pid: 7,
      once: (_: string, act: () => void) => {
        end = act;
      },
      kill: (...given: unknown[]) => killed.push(given),
    };
    const reporter = new UnfinishedFiles(ends as never, (line) => said.push(line));
    for (const name of ['a', 'b', 'c'])
      reporter.onTestModuleStart({ relativeModuleId: `test/${name}.test.ts` });
    reporter.onTestModuleEnd({ relativeModuleId: 'test/b.test.ts' });
    end();
    expect(said).toEqual([' FAIL  test/a.test.ts has not ended', ' FAIL  test/c.test.ts has not ended']);
    expect(killed).toEqual([[7, 'SIGTERM']]);
  });
});
