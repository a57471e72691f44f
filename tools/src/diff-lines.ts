/** A line of a text, and whether it is in both, only in the old one, or only in the new one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The largest table of two texts' lines. Above it, all lines between the first and the last difference count as changed. */
const MAX_CELLS = 4_000_000;

/** The lines of two texts side by side: the longest sequence that both have stays. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: 'same', text }));
  const middle = between(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

function between(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MAX_CELLS) {
    return [
      ...old.map((text): DiffLine => ({ kind: 'removed', text })),
      ...fresh.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  }
  const common = lengths(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' });
      i++;
      j++;
    } else if (j >= fresh.length || (i < old.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ kind: 'removed', text: old[i++] ?? '' });
    } else {
      lines.push({ kind: 'added', text: fresh[j++] ?? '' });
    }
  }
  return lines;
}

/** The number of lines that both texts have in common from each pair of places on. */
function lengths(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const row = rows[i] as Uint32Array;
      row[j] =
        old[i] === fresh[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly Uint32Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

/** The lines near a difference; `undefined` stands for those that are left out. */
export function nearby(lines: readonly DiffLine[], context = 3): (DiffLine | undefined)[] {
  const shown = lines.map((_, i) =>
    lines.slice(Math.max(0, i - context), i + context + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, i) => (shown[i] ? [line] : i === 0 || shown[i - 1] ? [undefined] : []));
}
