import Table from 'cli-table3';
import { decideRetry, POLICY_TYPES, type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import { seededRandom } from '../src/support/seeded-random.js';

const CALLS = 200_000;
const ROUNDS = 7;

/** One decision of each policy, hash of the id and random source included: the median of several rounds, warmed up. */
export function policyCalls(): string {
  const table = new Table({ style: { head: [], border: [] }, head: ['policy', 'µs per call'] });
  const policies: RetryPolicy[] = POLICY_TYPES.map((type) => ({ type }) as RetryPolicy);
  for (const policy of [...policies, { type: 'fibonacci', jitter: 'full' } as const]) {
    table.push([JSON.stringify(policy), microsecondsOf(policy).toFixed(3)]);
  }
  return `One policy decision; ${CALLS.toLocaleString('en-US')} calls, the median of ${ROUNDS} rounds\n${table}`;
}

function microsecondsOf(data: RetryPolicy): number {
  const policy = resolvePolicy(data);
  const random = seededRandom(1);
  const ids = Array.from({ length: 256 }, (_, i) => `order-${i}`);
  let sum = 0;
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedAt = process.hrtime.bigint();
    for (let i = 0; i < CALLS; i++) {
      const failures = 1 + (i % 20);
      const id = ids[i % 256] ?? '';
      const attempt = {
        id,
        queue: 'orders',
        failures,
        firstFailureAt: 0,
        failedAt: failures * 1000,
        bornAt: 0,
      };
      const decision = decideRetry(policy, attempt, 60, random);
      if (decision.retry) sum += decision.dueAt;
    }
    return Number(process.hrtime.bigint() - startedAt) / 1000 / CALLS;
  });
  // Whatever is never used may be left out by the compiler.
  if (Number.isNaN(sum)) throw new Error('a due time is no number');
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}
