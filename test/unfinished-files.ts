import type { Reporter, TestModule } from 'vitest/node';

/** The part of a process that the reporter needs. */
type Ends = Pick<NodeJS.Process, 'once' | 'kill' | 'pid'>;

const printed = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Names the test files that have not ended when the tests are ended from outside: a file that blocks its process prints nothing by
 * itself, and its time limits cannot strike.
 */
export class UnfinishedFiles implements Reporter {
  private readonly unfinished = new Set<string>();

  constructor(ends: Ends = process, say: (line: string) => void = printed) {
    ends.once('SIGTERM', () => {
      for (const name of this.unfinished) say(` FAIL  ${name} has not ended`);
      ends.kill(ends.pid, 'SIGTERM');
    });
  }

  onTestModuleStart({ relativeModuleId }: Pick<TestModule, 'relativeModuleId'>): void {
    this.unfinished.add(relativeModuleId);
  }

  onTestModuleEnd({ relativeModuleId }: Pick<TestModule, 'relativeModuleId'>): void {
    this.unfinished.delete(relativeModuleId);
  }
}
