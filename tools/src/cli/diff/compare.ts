import type { BacklogDescription } from 'dynamo-backlog/engine';
import { counted } from '../output.js';
import type { Change, Difference } from './change.js';
import { compareQueues } from './compare-queues.js';
import { compareRecordEvents } from './compare-record-events.js';
import { compareRecurring } from './compare-recurring.js';
import { compareTable, deletes, type TableSide } from './compare-table.js';
import { pairBacklogs } from './pair-backlogs.js';
import type { DescribedTemplate } from './read-metadata.js';

/** The names of the deployed tables, by the path of their Backlog. */
export type PhysicalTables = ReadonlyMap<
  string,
  { readonly records?: string | undefined; readonly control?: string | undefined }
>;

/** All that changes from one template to the other, Backlog by Backlog. */
export function compare(
  from: DescribedTemplate,
  to: DescribedTemplate,
  tables: PhysicalTables = new Map(),
): Change[] {
  const { pairs, removed, added } = pairBacklogs(from.backlogs, to.backlogs);
  return [
    ...removed.map((path) => ({ backlog: path, ...removal(from, path) })),
    ...pairs.flatMap(({ path, newPath, before, after }) => {
      const names = tables.get(path);
      const side = (role: 'records' | 'control') =>
        compareTable(role, { template: from.template, table: before[role], physicalName: names?.[role] }, {
          template: to.template,
          table: after[role],
        } satisfies TableSide);
      const ofRecords = side('records');
      // With other records, there is nothing in the old control table that anyone needs.
      const isOther = ofRecords.some(({ kind }) => kind === 'records.replaced');
      const ofTables = [...ofRecords, ...(isOther ? [] : side('control'))];
      const movedTo = (queue: string) => ownerOf(queue, newPath, after, to);
      return [
        ...renaming(path, newPath),
        ...ofTables,
        ...compareStarts(before, after),
        ...compareRecordEvents(before, after),
        ...compareRecurring(before, after),
        ...compareQueues(before.queues, after.queues, movedTo),
      ].map((difference) => ({ backlog: path, ...difference }));
    }),
    ...added.map((path) => ({ backlog: path, ...addition() })),
  ];
}

/** Finds another Backlog on the same table that has the queue. */
function ownerOf(queue: string, path: string, { records }: BacklogDescription, to: DescribedTemplate) {
  const others = [...to.backlogs].filter(([other]) => other !== path);
  return others.find(
    ([, other]) =>
      Object.hasOwn(other.queues, queue) &&
      (other.records.logicalId ?? other.records.name) === (records.logicalId ?? records.name),
  )?.[0];
}

function renaming(path: string, newPath: string): Difference[] {
  if (path === newPath) return [];
  return [
    {
      kind: 'backlog.renamed',
      severity: 'attention',
      what: `the construct is at ${newPath} now: its id, or that of a construct around it, has changed`,
      effect: 'CloudFormation creates all its resources again, and removes the old ones.',
      todo: 'Keep the id.',
    },
  ];
}

/** Compares what starts the functions, and what finds records that are not indexed. */
function compareStarts(from: BacklogDescription, to: BacklogDescription): Difference[] {
  const differences: Difference[] = [];
  if (from.trigger !== to.trigger) {
    const loses = to.trigger === 'rules';
    differences.push({
      kind: 'backlog.trigger',
      severity: loses ? 'attention' : 'safe',
      what: `trigger ${from.trigger} → ${to.trigger}`,
      effect: `Nothing happens to records.${loses ? ' The schedules’ dead-letter queue is deleted.' : ''}`,
      ...(loses && { todo: 'Empty that dead-letter queue first.' }),
    });
  }
  if (from.timeZone !== to.timeZone) {
    differences.push({
      kind: 'backlog.timeZone',
      severity: 'safe',
      what: `time zone ${from.timeZone ?? 'none'} → ${to.timeZone ?? 'none'}`,
      effect:
        'Tiers of hours start at other times of the day. A run that is missed in between is made up for.',
    });
  }
  const ofRegions = comparePrimaryRegion(from.primaryRegion, to.primaryRegion);
  if (ofRegions) differences.push(ofRegions);
  if (from.intake !== to.intake) {
    differences.push({
      kind: 'backlog.intake',
      severity: to.intake ? 'safe' : 'leftBehind',
      what: to.intake ? 'intake added' : 'intake removed',
      effect: to.intake
        ? 'New records are indexed, or attempted on insertion.'
        : 'Records that are put without lane are never attempted. Those that are indexed are.',
    });
  }
  const isCounted = to.groups === true;
  if ((from.groups === true) !== isCounted) {
    differences.push({
      kind: 'backlog.groups',
      severity: isCounted ? 'safe' : 'attention',
      what: isCounted ? 'groups added' : 'groups removed',
      effect: isCounted
        ? 'The members of groups are counted. If the table gets a new stream, the sweep finds within a day what was put at that moment.'
        : 'No group ends any more: the record of its end waits until the time of the group is over.',
      ...(!isCounted && { todo: 'Wait until all groups have ended.' }),
    });
  }
  if (from.sweep !== to.sweep && from.intake === to.intake) {
    differences.push({
      kind: 'backlog.sweep',
      severity: to.sweep ? 'safe' : 'attention',
      what: to.sweep ? 'sweep added' : 'sweep removed',
      effect: to.sweep
        ? 'Once a day it finds records that the intake was not notified of.'
        : 'A record that the intake is not notified of waits unseen.',
    });
  }
  return differences;
}

/**
 * Compares the primary region. For the functions, the region in the control table comes before that of a deployment.
 */
function comparePrimaryRegion(from: string | undefined, to: string | undefined): Difference | undefined {
  if (from === to) return undefined;
  const kind = 'backlog.primaryRegion';
  const what = `primary region ${from ?? 'none'} → ${to ?? 'none'}`;
  if (from === undefined) {
    return {
      ...{ kind, severity: 'safe', what },
      effect: `Only the functions of ${to} attempt records, until backlog failover makes another region active.`,
    };
  }
  if (to === undefined) {
    return {
      ...{ kind, severity: 'attention', what },
      effect: 'The intake and the sweep of this region work, whichever region is active.',
      todo: 'Remove the stacks of the other regions first.',
    };
  }
  return {
    ...{ kind, severity: 'attention', what },
    effect:
      `${to} becomes the active region, unless backlog failover has written which one is. Functions that are still deployed the ` +
      'old way go on in their region: a record may be attempted in both at once.',
    todo: 'Keep it, and use backlog failover, which waits until the runs of the other region have ended.',
  };
}

function removal({ backlogs, template }: DescribedTemplate, path: string): Difference {
  const { queues = {}, records } = backlogs.get(path) ?? {};
  const gone = records?.logicalId !== undefined && deletes(template, records.logicalId);
  return {
    kind: 'backlog.removed',
    severity: 'leftBehind',
    what: `removed, with ${counted(Object.keys(queues).length, 'queue')}`,
    effect: gone
      ? 'Its tables are DELETED with all records in them: their removal policy says so.'
      : 'All records stay in the table, outside of any stack. No run attempts them.',
  };
}

function addition(): Difference {
  return { kind: 'backlog.added', severity: 'safe', what: 'added', effect: 'Nothing waits in it yet.' };
}
