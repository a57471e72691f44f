import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts bench/database.ts. */
export async function startDatabase(): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const file = fileURLToPath(new URL('./database.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const early = ended.then(([code]) => {
    throw new Error(`the database ended with ${code} before it could be used`);
  });
  const [endpoint] = await Promise.race([once(createInterface(child.stdout), 'line'), early]);
  early.catch(() => {});
  return {
    endpoint,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
