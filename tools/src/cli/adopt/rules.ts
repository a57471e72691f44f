import { InvalidArgumentError } from 'commander';
import type { Status } from 'dynamo-backlog';
import { nearest, STATUSES, show } from 'dynamo-backlog/engine';

/** Attributes of the contract that may be taken from one of another name. */
const TIMES = ['insertedAt', 'availableAt', 'firstFailureAt', 'lastFailureAt', 'lastAttemptAt'] as const;
const COUNTS = ['attempts', 'failures'] as const;
/** Attributes that DynamoDB itself copies, whatever they hold. */
const COPIED = ['payload', 'retry'] as const;
const MAPPED = ['status', 'queue', ...TIMES, ...COUNTS, ...COPIED] as const;

type Mapped = (typeof MAPPED)[number];

export { COPIED, COUNTS, TIMES };

/** Rules by which foreign items are read. */
export interface AdoptionRules {
  /** The source of each attribute of the contract that has another name. */
  readonly sources: Readonly<Partial<Record<Mapped, string>>>;
  /** Meanings of foreign statuses; `''` stands for items without one. */
  readonly statuses: Readonly<Record<string, Status>>;
  /** The queue of items that name none. Default: `default`. */
  readonly queue?: string | undefined;
  /** Minutes east of Greenwich, for times that name no zone. */
  readonly utcOffsetMinutes: number;
  /** A time of insertion that cannot be read counts as now, instead of being left alone. */
  readonly undatedNow: boolean;
  /** Seconds; items that are younger are left to the intake. */
  readonly leastAgeSeconds: number;
}

/** Parses `status=STATE,insertedAt=DATE_INSERTED`. The flag may be repeated. */
export function parseSources(
  text: string,
  before: Readonly<Partial<Record<Mapped, string>>> = {},
): Readonly<Partial<Record<Mapped, string>>> {
  const sources: Partial<Record<Mapped, string>> = { ...before };
  for (const [name, source] of pairs(text, 'status=STATE,insertedAt=DATE_INSERTED')) {
    const target = MAPPED.find((known) => known === name);
    if (name === 'id') {
      throw new InvalidArgumentError(
        'The key of an item cannot be changed in place: the table needs the partition key "id" itself (docs/adopt.md says how to move to one that has it).',
      );
    }
    if (target === undefined) {
      const meant = nearest(name, MAPPED);
      const hint = meant === undefined ? `Expected one of ${MAPPED.join(', ')}` : `Did you mean "${meant}"?`;
      throw new InvalidArgumentError(`"${name}" cannot be mapped. ${hint}`);
    }
    if (sources[target] !== undefined) throw new InvalidArgumentError(`"${name}" is mapped twice.`);
    if (source === '' || source === target) {
      throw new InvalidArgumentError(`${name}: expected the name of another attribute, got ${show(source)}.`);
    }
    sources[target] = source;
  }
  return sources;
}

/** Parses `OPEN=NEW,DONE=SUCCESS`. The flag may be repeated. */
export function parseStatuses(
  text: string,
  before: Readonly<Record<string, Status>> = {},
): Readonly<Record<string, Status>> {
  const statuses: Record<string, Status> = { ...before };
  for (const [foreign, name] of pairs(text, 'OPEN=NEW,DONE=SUCCESS,FAILED=ERROR')) {
    const status = STATUSES.find((known) => known === name);
    if (!status) {
      throw new InvalidArgumentError(
        `${foreign}: expected one of ${STATUSES.join(', ')}, got ${show(name)}.`,
      );
    }
    if (Object.hasOwn(statuses, foreign)) throw new InvalidArgumentError(`"${foreign}" is mapped twice.`);
    statuses[foreign] = status;
  }
  return statuses;
}

function pairs(text: string, example: string): (readonly [string, string])[] {
  return text.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at < 0) throw new InvalidArgumentError(`Expected pairs such as ${example}, got ${show(pair)}.`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
}

/** Reason why an item is left as it is. */
export type Left =
  | { readonly reason: 'indexed' | 'done' }
  /** `detail`: the attribute, value or cause, for the user to look at. */
  | {
      readonly reason:
        | 'unknownStatus'
        | 'noStatus'
        | 'unreadable'
        | 'inTheWay'
        | 'young'
        | 'undated'
        | 'refused'
        | 'changing';
      readonly detail: string;
    };
