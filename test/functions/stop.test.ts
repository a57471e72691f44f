import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const HANDLER = `
  import { untilStopped } from './functions/stop.js';
  const work = (stop) => new Promise((resolve) => stop.addEventListener('abort', () => setTimeout(resolve, 300)));
  // As a runtime waits for the next event.
  setInterval(() => {}, 1000);
  setTimeout(() => process.stdout.write('ready'), 100);
  await Promise.all([untilStopped(work), untilStopped(work)]);
  process.stdout.write(' settled');
`;

it('SIGTERM ends what is under way in order, and then the process', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', HANDLER]);
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  for await (const text of child.stdout) {
    said += text;
    if (said === 'ready') child.kill('SIGTERM');
  }
  const [, signal] =
    child.exitCode === null && child.signalCode === null ? await once(child, 'exit') : [0, child.signalCode];
  expect(said).toBe('ready settled');
  expect(signal).toBe('SIGTERM');
});
