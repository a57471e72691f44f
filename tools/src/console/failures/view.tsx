import { age } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  type Counts,
  type CountsReader,
  causesOf,
  count,
  errorText,
  explainRead,
  type FailureCause,
  keysOf,
  minuteText,
  records,
  sumOf,
  units,
} from 'dynamo-backlog/overview';
import { ReadError } from '../errors.js';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, link, Mark } from '../parts.js';
import { LARGE_BUDGET, LOCAL_BUDGET, PAGE_BUDGET } from '../read-budgets.js';
import { CauseList } from './cause-list.js';
import { KeyList } from './key-list.js';
import { readSample } from './read-causes.js';
import { type UnseenFailures, unseenFailures } from './unseen.js';

/** Seconds between two readings in AWS, where each is billed: with 40 read units, $0.03 a day for a page that stays open. */
const AWS_REFRESH_SECONDS = 15;

/** Index entries that a read unit has at least. */
const ENTRIES_OF_UNIT = 80;

/** The view of failures: one row for each cause, how new it is, and what to do about it. */
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
  const read = await readSample(deps, queues, budget);
  const { strata, examined, total, counted, isSampled, readUnits } = read;
  const causes = causesOf(strata, now);
  const names = queues.map(({ queue }) => queue);
  const unseen = unseenFailures(deps, names, causes, now).map(unseenText);
  const wall = deps.backlog.clock?.wall() ?? Date.now();
  const note = [
    isSampled
      ? `≈, from ${count(examined)} of ${COUNT_SIGNS[counted]}${count(total)} records`
      : `all ${records(examined)} that are not finished`,
    ...(readUnits > 0 ? [units(readUnits)] : []),
    `counted ${age(wall - counts.readAt)} ago`,
  ].join(', ');
  // If there is no cause, the first unseen failure is the page's sentence.
  const details = [
    ...deadText(causes, isSampled),
    ...(causes.length > 0 ? unseen : unseen.slice(1)),
    ...(unseen.length > 0 ? [UNSEEN] : []),
  ];
  return (
    <>
      <Verdict note={note} details={details.length > 0 ? <bdi>{details.join(' ')}</bdi> : null}>
        <Sentence causes={causes} isSampled={isSampled} unseen={unseen[0]} now={now} />
      </Verdict>
      {causes.length > 0 ? <CauseList context={context} causes={causes} /> : null}
      <KeyList keys={keysOf(strata, queues, now)} isSampled={isSampled} now={now} />
      {isSampled && !more ? <ReadMore examined={examined} /> : null}
    </>
  );
}

/** The link that reads more records: a rare cause may be in none of those that were read. */
function ReadMore({ examined }: { examined: number }) {
  const { records: most, units: ofRecords, entries } = LARGE_BUDGET;
  const price = ofRecords + entries / ENTRIES_OF_UNIT;
  return (
    <p class="sub">
      A cause or a key that few records have may be in none of these {count(examined)}.{' '}
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
  causes: readonly FailureCause[];
  isSampled: boolean;
  unseen: string | undefined;
  now: number;
}) {
  const { causes, isSampled, unseen, now } = props;
  const [first] = causes;
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
  const part = Math.round(sumOf(first));
  const whole = Math.round(causes.reduce((sum, cause) => sum + sumOf(cause), 0));
  const { error, host } = { error: errorText(first.cause), host: first.cause.host };
  const since = first.firstAt === undefined ? '' : `, since ${minuteText(first.firstAt, now)} UTC`;
  return (
    <>
      <Foreign text={host === undefined ? error : `${error} of ${host}`} most={110} /> is the cause of{' '}
      {isSampled ? '≈ ' : ''}
      {causes.length > 1
        ? `${count(part)} of ${count(whole)} failing records`
        : whole === 1
          ? 'the only failing record'
          : `all ${count(whole)} failing records`}
      {since}.
    </>
  );
}

/** `57 are dead and need a decision.` */
function deadText(causes: readonly FailureCause[], isSampled: boolean): string[] {
  const dead = Math.round(causes.reduce((sum, cause) => sum + cause.dead, 0));
  if (dead === 0) return [];
  return [
    `${isSampled ? '≈ ' : ''}${count(dead)} ${dead === 1 ? 'is dead and needs' : 'are dead and need'} a decision.`,
  ];
}
