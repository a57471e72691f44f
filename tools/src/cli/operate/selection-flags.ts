import { type Command, InvalidArgumentError } from 'commander';
import { ConfigurationError, type Selection, type Status } from 'dynamo-backlog';
import type { PayloadMatch, Which } from 'dynamo-backlog/engine';
import { parseExactly } from '../exact-json.js';
import { flags } from '../flags.js';
import { readLines, TOO_LONG } from '../ndjson.js';

/** Flags that select records among others, also those of `backlog list`. */
export interface FilterFlags {
  readonly error?: string | undefined;
  readonly errorContains?: string | undefined;
  readonly messagePattern?: string | undefined;
  readonly idPrefix?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds, as the others. */
  readonly olderThan?: number | undefined;
  readonly youngerThan?: number | undefined;
  readonly failedWithin?: number | undefined;
  readonly failedBefore?: number | undefined;
  readonly where?: readonly PayloadMatch[] | undefined;
}

/** Flags that select records for an action. */
export interface SelectionFlags extends FilterFlags {
  readonly queue?: readonly string[] | undefined;
  readonly status?: readonly Status[] | undefined;
  readonly deadReason?: string | undefined;
  readonly attribute?: Readonly<Record<string, unknown>> | undefined;
  readonly all?: boolean | undefined;
}

/** Flags that `backlog list` has, too. */
export const SELECTION_FLAGS = {
  error: [
    '--error <cause>',
    'whose last error is this: HttpError, "HttpError 503", or a whole cause of "backlog failures"',
  ],
  errorContains: [
    '--error-contains <text>',
    'whose last error, or reason for being given up, has this text in it',
  ],
  messagePattern: [
    '--message-pattern <pattern>',
    'whose last error’s message is like this: "order {id} is locked", as "backlog failures" shows it',
  ],
  idPrefix: ['--id-prefix <text>', 'whose id begins with this'],
  key: ['--key <text>', 'of this key, a customer or tenant: the whole of it'],
  olderThan: [
    '--older-than <duration>',
    'inserted longer ago than this, such as 15m, 2h or 7d',
    flags.duration,
  ],
  youngerThan: ['--younger-than <duration>', 'inserted within this time', flags.duration],
  failedWithin: ['--failed-within <duration>', 'whose last failure is within this time', flags.duration],
  failedBefore: ['--failed-before <duration>', 'whose last failure is longer ago than this', flags.duration],
  where: [
    '--where <path=value>',
    'whose payload has this value there: customer.id=7, items.0.sku=x; may come again',
    readMatch,
  ],
} as const;

export function selection(command: Command, statuses: string): Command {
  return command
    .argument('[ids...]', 'of the records; - reads them from stdin, one a line')
    .option('--queue <queues>', 'of this queue, or of several such as orders,bulk', names)
    .option('--status <statuses>', statuses, readStatuses)
    .option(...SELECTION_FLAGS.error)
    .option(...SELECTION_FLAGS.errorContains)
    .option(...SELECTION_FLAGS.messagePattern)
    .option('--dead-reason <text>', 'whose reason for being given up begins with this, such as expired')
    .option(...SELECTION_FLAGS.idPrefix)
    .option(...SELECTION_FLAGS.key)
    .option(...SELECTION_FLAGS.olderThan)
    .option(...SELECTION_FLAGS.youngerThan)
    .option(...SELECTION_FLAGS.failedWithin)
    .option(...SELECTION_FLAGS.failedBefore)
    .option(...SELECTION_FLAGS.where)
    .option(
      '--attribute <name=value>',
      'that have an attribute of their producer with this value; may come again',
      readAttribute,
    )
    .option('--all', 'all of them: a selection without any of these has to be meant');
}

/** The part of a selection that these flags are. */
export function filtersOf(given: FilterFlags): Selection {
  const { error: errorName, errorContains, messagePattern, idPrefix, key, where: payload } = given;
  return {
    ...{ errorName, errorContains, messagePattern, idPrefix, key, payload },
    olderThan: seconds(given.olderThan),
    youngerThan: seconds(given.youngerThan),
    failedWithin: seconds(given.failedWithin),
    failedBefore: seconds(given.failedBefore),
  };
}

/**
 * Ids, or a selection.
 *
 * @throws ConfigurationError for neither, or both
 */
export async function readWhich(
  ids: readonly string[],
  given: SelectionFlags,
): Promise<{ readonly which: Which; readonly named: number | undefined }> {
  const { queue, status, deadReason, attribute: attributes, all } = given;
  const selection: Selection = {
    ...{ queue: queue?.length === 1 ? queue[0] : queue, status, deadReason, attributes },
    ...filtersOf(given),
  };
  const isSelection = Object.values(selection).some((value) => value !== undefined);
  if (ids.length > 0) {
    if (isSelection || all) throw new ConfigurationError('expected ids or a selection, got both');
    const named = ids.length === 1 && ids[0] === '-' ? await idsFromStdin() : ids;
    return { which: named, named: new Set(named).size };
  }
  if (!isSelection && !all) {
    throw new ConfigurationError(
      'which records? Name ids, or select some (--queue, --status, --error, --older-than, --where, ...), or take --all',
    );
  }
  return { which: { ...selection, all }, named: undefined };
}

async function idsFromStdin(): Promise<string[]> {
  const ids: string[] = [];
  for await (const line of readLines(process.stdin)) {
    const { number, text } = line;
    if (text === TOO_LONG) throw new ConfigurationError(`line ${number}: longer than any id can be`);
    if (line.problem !== undefined) throw new ConfigurationError(`line ${number}: ${line.problem}`);
    ids.push(text);
  }
  return ids;
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function names(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function readStatuses(text: string): readonly Status[] {
  return text.split(',').map((status) => flags.status(status.trim()));
}

function readMatch(text: string, before: readonly PayloadMatch[] = []): readonly PayloadMatch[] {
  const [path, equals] = readPair(text, 'customer.id=7');
  return [...before, { path, equals }];
}

function readAttribute(text: string, before: Readonly<Record<string, unknown>> = {}) {
  const [name, value] = readPair(text, 'region=eu');
  return { ...before, [name]: value };
}

function readPair(text: string, example: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), jsonOrText(text.slice(at + 1))];
  throw new InvalidArgumentError(`Expected a pair such as ${example}.`);
}

/** JSON where it is JSON, else the text: `7` is a number, `"7"` a text, and so is `x`. */
function jsonOrText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
