import type { Command } from 'commander';
import { type HeldKeys, type RecordLine, RecordLines } from 'dynamo-backlog';
import { jsonOf } from 'dynamo-backlog/engine';
import { isStuck } from '../../line-words.js';
import { examples } from '../command-parts.js';
import { flags as parsers } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { refuseUnknownQueues, storeOf } from '../operate/known-queue.js';
import { type OperateTargetFlags, tablesAt, target } from '../operate/target.js';
import { UsageError, usage } from '../operate/usage.js';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { linesTable, lineText, type SeenLine } from './text.js';

interface LinesFlags extends OperateTargetFlags {
  readonly limit?: number | undefined;
  readonly held?: boolean | undefined;
  readonly json?: boolean | undefined;
}

type LinesAt = Awaited<ReturnType<typeof tablesAt>> & { readonly lines: RecordLines };

/** Records behind the head that are shown, unless a flag says more. */
const MAX_FOLLOWERS = 20;

/** Adds `backlog lines`. */
export function addLines(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const command = target(program.command('lines'))
    .description(
      'List the keys of a queue with order whose records wait in line, or look at the line of one key. The list reads the whole control table, and then two read units or more for each line; one key is read by about three, and half a one for each 16 records that wait.',
    )
    .argument('<queue>', 'its name', parsers.queue)
    .argument('[key]', 'of the records of one line')
    .option(
      '--limit <n>',
      `lines; with a key, records behind the head (default: all lines, ${MAX_FOLLOWERS} records)`,
      parsers.limit,
    )
    .option(
      '--held',
      'only lines that are held until an operator acts, up to 100: about three read units for each, and the control table is not read whole',
    )
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog lines orders', 'what waits, and for what'],
        ['backlog lines orders --held', 'what only an operator can end'],
        ['backlog lines orders customer-7', 'its head, what waits behind it, and what to do'],
      ),
    );
  command.action((queue: string, key: string | undefined, flags: LinesFlags) =>
    end(command, () => linesCommand(queue, key, flags, output)),
  );
}

async function linesCommand(
  queue: string,
  key: string | undefined,
  flags: LinesFlags,
  output: Output,
): Promise<ExitCode> {
  if (flags.held && key !== undefined)
    throw new UsageError(`--held: expected no key beside it, got "${printable(key)}"`);
  const at = await tablesAt(flags);
  const { client, table, clock } = at.target;
  try {
    const lines = new RecordLines({ table, controlTable: at.controlTable, client, clock });
    const own: LinesAt = { ...at, lines };
    return key === undefined
      ? await listLines(queue, own, flags, output)
      : await showLine(queue, key, own, flags, output);
  } finally {
    client.destroy();
  }
}

async function listLines(
  queue: string,
  { lines, ...at }: LinesAt,
  { limit = Number.POSITIVE_INFINITY, held: areHeld = false, json = false }: LinesFlags,
  output: Output,
): Promise<ExitCode> {
  const { where, clock } = at.target;
  const held = areHeld ? await lines.held(queue) : undefined;
  const found: RecordLine[] = [];
  for await (const line of held ? heldLines(lines, queue, held) : lines.list(queue)) {
    found.push(line);
    if (found.length >= limit) break;
  }
  // What is there is a queue: only where nothing is, its name is looked for.
  if (found.length === 0) await refuseUnknownQueues([queue], at);
  found.sort(byTrouble);
  if (json) output.data(jsonOf(found));
  else if (found.length > 0) output.data(linesTable(found, clock.now(), painter(hasColors(process.stdout))));
  const first = found.length === limit ? 'the first ' : '';
  output.message(
    found.length === 0
      ? `no line of "${queue}" ${held ? 'is held' : 'has records that wait'}, in ${where}`
      : `${first}${counted(found.length, `${held ? 'held ' : ''}line`)} of "${queue}" in ${where}`,
  );
  if (held?.hasMore) output.message(`more are held than are noted: "backlog lines ${queue}" lists all`);
  return EXIT.ok;
}

/** The lines that are noted as held, without those that go on meanwhile. */
async function* heldLines(lines: RecordLines, queue: string, { keys }: HeldKeys): AsyncGenerator<RecordLine> {
  for (const key of keys) {
    const line = await lines.get({ queue, key });
    if (line && isStuck(line)) yield line;
  }
}

async function showLine(
  queue: string,
  key: string,
  { lines, ...at }: LinesAt,
  { limit = MAX_FOLLOWERS, json = false }: LinesFlags,
  output: Output,
): Promise<ExitCode> {
  const name = { queue, key };
  const line = await usage(() => lines.get(name));
  if (line === undefined) {
    await refuseUnknownQueues([queue], at);
    output.message(
      `no line of "${printable(key)}" in "${queue}": no record with this key and a number has come. "backlog lines ${queue}" lists lines`,
    );
    return EXIT.failed;
  }
  const followers: SeenLine['followers'][number][] = [];
  let hasMore = false;
  for await (const follower of lines.waiting(name)) {
    hasMore = followers.length === limit;
    if (hasMore) break;
    followers.push(follower);
  }
  const record = line.head && (await storeOf(at).records.get(line.head.id));
  const seen: SeenLine = { ...line, record, followers };
  if (json) {
    const { head } = line;
    const { status, attempts } = record ?? {};
    output.data(jsonOf({ ...line, ...(head && { head: { ...head, status, attempts } }), followers }));
  } else output.data(lineText(seen, at.target.clock.now(), painter(hasColors(process.stdout))));
  if (hasMore) output.message(`the first ${counted(limit, 'record')} that wait: --limit shows more`);
  return EXIT.ok;
}

/** The states, those that need a look first. */
const STATES: readonly RecordLine['state'][] = [
  'dead',
  'missing',
  'retrying',
  'ending',
  'starting',
  'attempting',
  'idle',
];

function byTrouble(a: RecordLine, b: RecordLine): number {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state) || (a.key < b.key ? -1 : 1);
}
