import { type Command, InvalidArgumentError } from 'commander';
import { examples, target } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { adopt } from './adopt.js';
import { parseOffset } from './foreign-time.js';
import { parseSources, parseStatuses } from './rules.js';

export function addAdopt(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  target(program.command('adopt'))
    .description(
      'Take the items of an older table into the backlog: each that is not done gets the attributes that it lacks, and is indexed.',
    )
    .option(
      '--map <pairs>',
      'where an item holds what the library needs under another name: status=STATE,insertedAt=CREATED',
      parseSources,
    )
    .option(
      '--status-map <pairs>',
      'what its states mean: OPEN=NEW,DONE=SUCCESS; =NEW for items without one. Others are left alone',
      parseStatuses,
    )
    .option('--queue <queue>', 'of items that name none (default: default)')
    .option('--utc-offset <offset>', 'of times that name no zone, such as +02:00 (default: UTC)', offset)
    .option('--undated-now', 'items whose time cannot be read count as inserted now (default: left alone)')
    .option('--create-index', 'add the index "due" first, if the table has none, and wait for it')
    .option('--dry-run', 'count what would be done, and why; change nothing')
    .option('--segments <n>', 'parts of the table that are read at once (default: 4)', flags.segments)
    .option('--limit-per-second <n>', 'items read, and written, per second at most', flags.limit)
    .option('--resume <file>', 'how far it is (default: backlog-adopt-TABLE.json in this folder)')
    .option('--yes', 'do not ask')
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog adopt --table orders --map status=STATE,insertedAt=DATE_INSERTED --dry-run', 'look first'],
        [
          'backlog adopt --table orders --map status=STATE --status-map OPEN=NEW,DONE=SUCCESS --queue orders',
          '',
        ],
        ['backlog adopt --table orders --limit-per-second 200', 'with care for those who work there'],
      ),
    )
    .action(async (options) => onExit(await adopt(options, output)));
}

function offset(text: string): number {
  const minutes = parseOffset(text);
  if (minutes !== undefined) return minutes;
  throw new InvalidArgumentError('Expected an offset from UTC such as +02:00 or -0530.');
}
