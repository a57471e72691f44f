import { createDynamoDbClient, nameOf, scheduleId } from 'dynamo-backlog/engine';
import { findRuntime } from '../local/discovery.js';
import { idsWith } from '../local/emulator.js';

/** The longest time that the shell waits for ids. */
const MAX_WAIT_MS = 1_000;
const MAX_IDS = 50;
/** A shell expands what it completes, and splits it at spaces, `:` and `=`. */
const WORD = /^[\w@/.][\w@/.+-]*$/;

/**
 * Ids of records of the local runtime that begin with this: 50 at most, as many as are found in a second. AWS,
 * where each request is billed, is not asked. Never throws.
 */
export async function knownIds(prefix: string, cwd = process.cwd()): Promise<readonly string[]> {
  return wordsOf(prefix, (id) => id, cwd);
}

/** Names of recurring records of the local runtime, by the same rules. */
export async function knownRecurring(prefix: string, cwd = process.cwd()): Promise<readonly string[]> {
  return wordsOf(scheduleId(prefix), nameOf, cwd);
}

async function wordsOf(prefix: string, wordOf: (id: string) => string, cwd: string): Promise<string[]> {
  const found: string[] = [];
  const runtime = await findRuntime(cwd).catch(() => undefined);
  if (!runtime) return found;
  const client = createDynamoDbClient({ endpoint: runtime.endpoint });
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    for (const { name, records } of runtime.tables) {
      if (!records) continue;
      for await (const id of idsWith(client, name, prefix, signal)) {
        const word = wordOf(id);
        if (WORD.test(word)) found.push(word);
        if (found.length === MAX_IDS) return found.sort();
      }
    }
  } catch {
    // The names that were found in time are offered.
  } finally {
    client.destroy();
  }
  return found.sort();
}
