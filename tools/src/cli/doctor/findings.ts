/** `note`: worth knowing, and no problem. */
export type Severity = 'error' | 'warning' | 'note';

/** One kind of thing that is wrong, with all records it is found at. */
export interface Finding {
  /** The same for the same thing, for programs. */
  readonly kind: string;
  readonly severity: Severity;
  readonly what: string;
  readonly todo: string;
}

export interface CountedFinding extends Finding {
  readonly count: number;
  /** Ids of the records, at most 1000. */
  readonly ids: readonly string[];
  /** Time of the oldest record, ISO-8601. */
  readonly oldest?: string | undefined;
}

const SHOWN_IDS = 1000;
const ORDER: readonly Severity[] = ['error', 'warning', 'note'];

/** Collects findings; those of one kind are counted together. */
export class Findings {
  private readonly found = new Map<
    string,
    Finding & { count: number; ids: string[]; oldest?: string | undefined }
  >();

  add(finding: Finding, at?: { readonly id: string; readonly since?: string | undefined }): void {
    const known = this.found.get(finding.kind) ?? { ...finding, count: 0, ids: [] };
    this.found.set(finding.kind, known);
    known.count++;
    if (!at) return;
    if (known.ids.length < SHOWN_IDS) known.ids.push(at.id);
    if (at.since !== undefined && (known.oldest === undefined || at.since < known.oldest)) {
      known.oldest = at.since;
    }
  }

  /** The worst first, then the most. */
  list(): CountedFinding[] {
    return [...this.found.values()].sort(
      (a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || b.count - a.count,
    );
  }

  /** Tells whether anything is more than a note, except for the kinds that have been repaired. */
  hasProblems(without: ReadonlySet<string> = new Set()): boolean {
    return [...this.found.values()].some(({ severity, kind }) => severity !== 'note' && !without.has(kind));
  }
}
