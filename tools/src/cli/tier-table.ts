import { age } from 'dynamo-backlog/engine';
import { MAX_ATTEMPTS, type TierFigures } from '../lab/tiers-of.js';
import type { Paint } from './paint.js';
import { plainTable } from './plain-table.js';

export function tierTable(tiers: readonly TierFigures[], paint: Paint): string {
  const columns = ['TIER', 'EVERY', 'FROM AGE', 'UNTIL AGE', 'ATTEMPTS', 'TOTAL'].map(
    (head) => [head, 'right'] as const,
  );
  let total: number | undefined = 0;
  const rows = tiers.map(({ everySeconds, fromAgeSeconds, untilAgeSeconds, attempts }, i) => {
    total = total === undefined || attempts === undefined ? undefined : total + attempts;
    return [
      String(i + 1),
      ...[everySeconds, fromAgeSeconds, untilAgeSeconds].map((seconds) => age(seconds * 1000)),
      attempts === undefined ? `> ${MAX_ATTEMPTS}` : String(attempts),
      total === undefined ? '-' : String(total),
    ];
  });
  return plainTable(columns, rows, paint);
}
