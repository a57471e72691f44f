import { age } from '../duration-text.js';
import type { Progress } from '../lab/simulate.js';
import { counted } from './output.js';
import { terminalBar } from './progress.js';

/** How far the records of a simulation are, on stderr, or nothing where stderr is no terminal. */
export function simulationBar(name: string, records: number) {
  const bar = terminalBar(`${name}  {bar} {percentage}%  {attempts}, {time}`);
  bar?.start(records, 0, { attempts: counted(0, 'attempt'), time: '0 s' });
  return {
    update: ({ attempts, succeeded, elapsedMs }: Progress) =>
      bar?.update(Math.min(succeeded, records), {
        attempts: counted(attempts, 'attempt'),
        time: age(elapsedMs),
      }),
    stop: () => bar?.stop(),
  };
}
