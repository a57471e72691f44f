import { Tables } from '../../../../src/operate/tables.js';
import { COUNT_SIGNS, leastExact } from '../../../../src/overview/count-signs.js';
import type { Counts, CountsReader } from '../../../../src/overview/counts.js';
import { explainRead } from '../../../../src/overview/explain-read.js';
import { count, records, units } from '../../../../src/overview/format.js';
import { age } from '../../../../src/support/duration.js';
import type { ConsoleDeps } from '../deps.js';
import { ReadError } from '../errors.js';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, link, Mark, Panel, recordLink } from '../parts.js';
import { LARGE_BUDGET, LOCAL_BUDGET, PAGE_BUDGET } from '../read-within.js';
import { BUCKETS, type FailureGroup, groupFailures } from './groups.js';
import { type Stratum, sampleRecords } from './sample.js';
import { type UnseenFailures, unseenFailures } from './unseen.js';

/** Seconds between two readings in AWS, where each is billed: with 40 read units, $0.03 a day for a page that stays open. */
const AWS_REFRESH_SECONDS = 15;

/** The view of failures: the most frequent cause, how new it is, and what to do about it. */
export async function failuresPage(context: PageContext, reader: CountsReader, { more }: { more: boolean }) {
  const { counts, error } = await reader.read();
  const isLocal = context.deps.runtime !== undefined;
  return page({
    context,
    title: 'Failures',
    view: 'Failures',
    // A page that an operator has asked for at such a cost stays as it is.
    refreshSeconds: more && !isLocal ? undefined : isLocal ? LOCAL_REFRESH_SECONDS : AWS_REFRESH_SECONDS,
    children: (
      <div class="cols" data-live="failures">
        {counts ? await failuresOf(context, counts, more) : <ReadError reason={explainRead(error)} />}
      </div>
    ),
  });
}

async function failuresOf(context: PageContext, counts: Counts, more: boolean) {
  const { deps, now } = context;
  const { queues } = counts.stats;
  const budget = more ? LARGE_BUDGET : deps.runtime ? LOCAL_BUDGET : PAGE_BUDGET;
  const { strata: read, readUnits } = await sampleRecords(new Tables(deps.backlog), queues, budget);
  const strata = read.map((stratum) => ({ ...stratum, failed: failedOf(deps, stratum) }));
  const groups = groupFailures(strata, now);
  const names = queues.map(({ queue }) => queue);
  const unseen = unseenFailures(deps, names, groups, now).map(unseenText);
  const examined = strata.reduce((sum, stratum) => sum + stratum.records.length, 0);
  const total = strata.reduce((sum, stratum) => sum + stratum.total, 0);
  const wall = deps.backlog.clock?.wall() ?? Date.now();
  const counted = leastExact(queues);
  const isSampled = examined < total || counted === 'atLeast';
  const note = [
    isSampled
      ? `≈, from ${count(examined)} of ${COUNT_SIGNS[counted]}${count(total)} records`
      : `all ${records(examined)} that are not finished`,
    ...(readUnits > 0 ? [units(readUnits)] : []),
    `counted ${age(wall - counts.readAt)} ago`,
  ].join(', ');
  // If there is no group, the first unseen failure is the page's sentence.
  const details = [...(groups.length > 0 ? unseen : unseen.slice(1)), ...(unseen.length > 0 ? [UNSEEN] : [])];
  return (
    <>
      <Verdict note={note} details={details.length > 0 ? <bdi>{details.join(' ')}</bdi> : null}>
        <Sentence groups={groups} isSampled={isSampled} unseen={unseen[0]} />
      </Verdict>
      {groups.length > 0 ? <Heat context={context} groups={groups} /> : null}
      {isSampled && !more ? <ReadMore examined={examined} /> : null}
    </>
  );
}

/** The number of records in retry, which a local runtime counts; undefined: not known. */
function failedOf({ runtime, backlog }: ConsoleDeps, { queue, dead }: Stratum): number | undefined {
  if (dead) return undefined;
  return runtime?.status().queues.find(({ name, table }) => name === queue && table === backlog.table)?.ERROR;
}

/** The link that reads more records: a rare cause may be in none of those that were read. */
function ReadMore({ examined }: { examined: number }) {
  const { records: most, units: price } = LARGE_BUDGET;
  return (
    <p class="sub">
      A cause that few records have may be in none of these {count(examined)}.{' '}
      <a href={link('/failures', { more: 'yes' })}>
        Read up to {count(most)} records, for up to {units(price)}
      </a>
    </p>
  );
}

const UNSEEN = 'No record that was read shows it: the next reading may, or a later attempt has succeeded.';

/** `12 attempts of orders failed in the last 3 min.` */
function unseenText({ queue, failed, minutes }: UnseenFailures): string {
  const attempts = `${count(failed)} ${failed === 1 ? 'attempt' : 'attempts'}`;
  return `${attempts} of ${queue} failed in the last ${minutes} min.`;
}

function Sentence(props: {
  groups: readonly FailureGroup[];
  isSampled: boolean;
  unseen: string | undefined;
}) {
  const { groups, isSampled, unseen } = props;
  const [first] = groups;
  if (!first) {
    return unseen === undefined ? (
      <Mark tone="ok" icon="ok">
        No record that is not finished has failed.
      </Mark>
    ) : (
      <Mark tone="amber" icon="warn">
        <Foreign text={unseen} most={200} />
      </Mark>
    );
  }
  const recent = groups.reduce((sum, group) => sum + (group.counts[0] ?? 0), 0);
  const [bucket, all, when] =
    recent > 0
      ? [first.counts[0] ?? 0, recent, 'failed in the last hour']
      : [
          first.total,
          groups.reduce((sum, group) => sum + group.total, 0),
          'have failed, none in the last hour',
        ];
  const [part, whole] = [Math.round(bucket), Math.round(all)];
  return (
    <>
      {isSampled ? '≈ ' : ''}
      {part === whole
        ? `${records(whole)} ${when}, all for one cause: `
        : `${count(part)} of the ${count(whole)} records that ${when} share one cause: `}
      <Foreign text={`${first.errorName}: ${first.pattern}`} most={110} />
    </>
  );
}

function Heat({ context, groups }: { context: PageContext; groups: readonly FailureGroup[] }) {
  const most = Math.max(...groups.flatMap(({ counts }) => counts));
  return (
    <Panel
      title="Failures by cause and age"
      note={`by time of the last failure, ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}`}
      end={<HeatKey />}
    >
      <table class="heat cards">
        <thead>
          <tr>
            <th scope="col">Cause, queue and message</th>
            {BUCKETS.map(({ label }) => (
              <th scope="col" class="r">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row context={context} group={group} most={most} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function HeatKey() {
  return (
    <span class="key">
      <span>few</span>
      {[1, 2, 3, 4].map((level) => (
        <i class={`h${level}`} />
      ))}
      <span>many, each step 5 times as many</span>
    </span>
  );
}

function filterOf({ queue, dead, errorName, pattern }: FailureGroup) {
  return { queue, status: dead ? 'DEAD' : 'ERROR', errorName, pattern };
}

function Row({ context, group, most }: { context: PageContext; group: FailureGroup; most: number }) {
  const { queue, dead, errorName, pattern, example, counts, estimated } = group;
  const action = dead ? (['redrive', 'Redrive these'] as const) : (['run-now', 'Retry these'] as const);
  const stack = example.history.at(-1)?.stack;
  const { access } = context.deps;
  return (
    <tr data-key={JSON.stringify([queue, dead, errorName, pattern])}>
      <td class="full">
        <span class="cause">
          <b>
            <Foreign text={errorName} most={64} />
          </b>
          <Foreign text={queue} most={60} />
          {dead ? (
            <Mark tone="dead" icon="dead">
              dead
            </Mark>
          ) : (
            <Mark tone="retry" icon="retry">
              in retry
            </Mark>
          )}
        </span>
        <span class="msg block">
          <bdi>
            {pattern.split(/(\{[a-z]+\})/).map((part, i) => (i % 2 === 1 ? <mark>{part}</mark> : part))}
          </bdi>
        </span>
        <span class="sm sub causelinks">
          <span>
            such as{' '}
            <a href={recordLink(example.id)}>
              <Foreign text={example.id} most={48} />
            </a>
          </span>
          {access.write ? (
            <a href={link('/bulk', { do: action[0], ...filterOf(group) })}>{action[1]}…</a>
          ) : (
            <span class="q" title={access.reason}>
              {action[1]}: read-only
            </span>
          )}
        </span>
        {stack === undefined ? null : (
          <details>
            <summary>Stack</summary>
            <pre class="stack">
              <bdi>{stack}</bdi>
            </pre>
          </details>
        )}
      </td>
      {BUCKETS.map(({ label, within, before }, i) => {
        const number = counts[i] ?? 0;
        const href = link('/records', { ...filterOf(group), failedWithin: within, failedBefore: before });
        return (
          <td class="cell" data-label={label}>
            {number === 0 ? (
              <span class="q">0</span>
            ) : (
              <a class={`h${level(number, most)}`} href={href}>
                {estimated ? '≈ ' : ''}
                {count(Math.round(number))}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** The level of a number's colour: 4 for the largest count, and one less for each fifth of it. */
function level(number: number, most: number): number {
  return Math.max(1, 4 - Math.floor(Math.log(most / number) / Math.log(5)));
}
