/** Divides a number among totals: those that need less than an equal share leave the rest to the others. */
export function shares(totals: readonly number[], most: number): number[] {
  const given = totals.map(() => 0);
  let left = most;
  const order = totals.map((total, i) => ({ total, i })).sort((one, other) => one.total - other.total);
  for (const [rank, { total, i }] of order.entries()) {
    const share = Math.min(total, Math.max(1, Math.floor(left / (order.length - rank))));
    given[i] = share;
    left -= share;
  }
  return given;
}
