/** Conditions of a queue, the worst first. */
export const CONDITIONS = [
  'breaker',
  'failing',
  'late',
  'unserved',
  'held',
  'paused',
  'recovering',
  'dead',
  'working',
  'waiting',
  'quiet',
] as const;
/** The condition of a queue: the worst that is known of it. */
export type Condition = (typeof CONDITIONS)[number];

/** The look of a condition, in the console and in the terminal. No condition is shown by its colour alone. */
export interface Look {
  /** The name of its colour. */
  readonly tone: 'amber' | 'dead' | 'run' | 'new' | 'ok';
  /** The name of its icon, in `STROKES`. */
  readonly icon: 'breaker' | 'fail' | 'warn' | 'paused' | 'dead' | 'run' | 'new' | 'ok';
  /** The condition in words. */
  readonly word: string;
}

/** The look of each condition. */
export const LOOKS: Readonly<Record<Condition, Look>> = {
  breaker: { tone: 'amber', icon: 'breaker', word: 'Breaker open' },
  failing: { tone: 'dead', icon: 'fail', word: 'Failing' },
  late: { tone: 'amber', icon: 'warn', word: 'Late' },
  unserved: { tone: 'amber', icon: 'warn', word: 'No rule' },
  held: { tone: 'amber', icon: 'warn', word: 'Keys held' },
  paused: { tone: 'amber', icon: 'paused', word: 'Paused' },
  recovering: { tone: 'run', icon: 'run', word: 'Recovering' },
  dead: { tone: 'dead', icon: 'dead', word: 'Has dead records' },
  working: { tone: 'run', icon: 'run', word: 'Run at work' },
  waiting: { tone: 'new', icon: 'new', word: 'Waiting' },
  quiet: { tone: 'ok', icon: 'ok', word: 'Quiet' },
};

/** The icon of a sentence, by its tone. */
export const SENTENCE_ICONS: Readonly<Record<'ok' | 'run' | 'unknown' | 'amber' | 'dead', Look['icon']>> = {
  ok: 'ok',
  run: 'run',
  unknown: 'new',
  amber: 'warn',
  dead: 'warn',
};
