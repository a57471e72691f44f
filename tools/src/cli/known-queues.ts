import { QUEUE_PATTERN } from 'dynamo-backlog/engine';
import { findRuntime } from '../local/discovery.js';

/** The longest time that the shell waits for names. */
const MAX_WAIT_MS = 1_000;

/**
 * Names of the queues of the local runtime, or else of the CDK app that is synthesized in this folder. Asks nothing
 * over a network, and never throws: empty if none is found in a second.
 */
export async function knownQueues(cwd = process.cwd()): Promise<readonly string[]> {
  const late = new Promise<string[]>((resolve) => void setTimeout(resolve, MAX_WAIT_MS, []).unref());
  const names = await Promise.race([namesIn(cwd).catch(() => []), late]);
  // A shell expands what it completes: a name with other signs could be a command.
  return [...new Set(names)].filter((name) => QUEUE_PATTERN.test(name)).sort();
}

async function namesIn(cwd: string): Promise<readonly string[]> {
  const runtime = await findRuntime(cwd).catch(() => undefined);
  if (runtime) return runtime.queues;
  const [{ readAssembly }, { readApp }, { queuesOf }] = await Promise.all([
    import('../local/template/assembly.js'),
    import('../local/template/template.js'),
    import('../local/app-queues.js'),
  ]);
  return queuesOf(readApp(await readAssembly(`${cwd}/cdk.out`))).map(({ name }) => name);
}
