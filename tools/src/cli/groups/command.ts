import type { Command } from 'commander';
import { type BacklogRecord, ConfigurationError, type Group, RecordGroups } from 'dynamo-backlog';
import { jsonOf, Tables } from 'dynamo-backlog/engine';
import { groupEventJson } from '../../event-json.js';
import { examples } from '../command-parts.js';
import { endsWith } from '../operate/end.js';
import { type OperateTargetFlags, tablesAt, target } from '../operate/target.js';
import { usage } from '../operate/usage.js';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { groupLines, groupsTable } from './text.js';

interface GroupsFlags extends OperateTargetFlags {
  readonly waiting?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly seal?: boolean | undefined;
  readonly event?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Most ids of waiting members that are printed for people. */
const MAX_SHOWN = 20;

/** Adds `backlog groups`. */
export function addGroups(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const command = target(program.command('groups'))
    .description('List groups of records that have not ended, or look at one, check it or seal it.')
    .argument('[id]', 'of the group')
    .option('--waiting', 'the ids of its members that have not ended')
    .option('--check', 'compare its members with their records, and correct what was missed')
    .option('--seal', 'it takes no more members, and ends with the last of them')
    .option('--event', 'the event of its end, as other services get it')
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog groups', 'those that have not ended'],
        ['backlog groups import-7', 'its members by state'],
        ['backlog groups import-7 --waiting', 'what it waits for'],
      ),
    );
  command.action((id: string | undefined, flags: GroupsFlags) =>
    end(command, () => groupsCommand(id, flags, output)),
  );
}

async function groupsCommand(id: string | undefined, flags: GroupsFlags, output: Output): Promise<ExitCode> {
  await usage(async () => check(id, flags));
  const { target: found, controlTable } = await tablesAt(flags);
  const { client, table, clock, hasIntake, where } = found;
  try {
    const tables = new Tables({ table, controlTable, client, clock });
    const groups = new RecordGroups({ table, controlTable, client, clock, indexAtOnce: !hasIntake });
    if (id === undefined) return await listGroups(groups, where, flags, output);
    if (flags.event) return await showEvent(id, await tables.open().store.records.get(id), table, output);
    if ((await usage(() => groups.get(id))) === undefined) {
      output.message(`no group "${printable(id)}" in ${where}`);
      return EXIT.failed;
    }
    if (flags.seal || flags.check) await tables.checkRegion(tables.open().store);
    if (flags.seal) await groups.seal(id);
    if (flags.check) await groups.check(id);
    return await showGroup(groups, id, flags, output);
  } finally {
    client.destroy();
  }
}

/** `record` is that of the group's end, which has the group's id. */
function showEvent(id: string, record: BacklogRecord | undefined, table: string, output: Output): ExitCode {
  const event = record && groupEventJson(record, table);
  if (event === undefined) {
    output.message(`no group ${printable(id)} has ended: there is no event`);
    return EXIT.failed;
  }
  output.data(event);
  return EXIT.ok;
}

async function showGroup(
  groups: RecordGroups,
  id: string,
  { waiting = false, json = false }: GroupsFlags,
  output: Output,
): Promise<ExitCode> {
  const group = await groups.get(id);
  if (!group) return EXIT.failed;
  const ids: string[] = [];
  let more = false;
  for await (const member of waiting ? groups.waiting(id) : []) {
    more = !json && ids.length === MAX_SHOWN;
    if (more) break;
    ids.push(member);
  }
  if (json) {
    output.data(jsonOf({ ...group, ...(waiting && { waitingIds: ids }) }));
    return EXIT.ok;
  }
  output.data(groupLines(group, painter(hasColors(process.stdout))));
  if (ids.length > 0) output.data(ids.map(printable).join('\n'));
  if (more) output.message(`the first ${MAX_SHOWN} of ${counted(group.waiting, 'record')}: --json has all`);
  return EXIT.ok;
}

async function listGroups(
  groups: RecordGroups,
  where: string,
  { json = false }: GroupsFlags,
  output: Output,
): Promise<ExitCode> {
  const found: Group[] = [];
  for await (const group of groups.list()) found.push(group);
  found.sort((a, b) => (a.id < b.id ? -1 : 1));
  if (json) output.data(jsonOf(found));
  else if (found.length > 0) output.data(groupsTable(found, painter(hasColors(process.stdout))));
  output.message(`${counted(found.length, 'group')} in ${where}`);
  return EXIT.ok;
}

/** @throws ConfigurationError for a flag without the id of a group */
function check(id: string | undefined, { waiting, seal, event, check: isChecked }: GroupsFlags): void {
  for (const [flag, value] of Object.entries({ waiting, seal, event, check: isChecked }))
    if (value && id === undefined) throw new ConfigurationError(`--${flag}: of which group?`);
}
