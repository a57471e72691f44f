import { type ResolvedPolicy, resolvePolicy, Tables } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  type CountsReader,
  count,
  explainRead,
  type OverviewStats,
  units,
} from 'dynamo-backlog/overview';
import { ReadError } from '../errors.js';
import { type PageContext, page, Verdict } from '../layout.js';
import { Foreign, link, Panel } from '../parts.js';
import { queuePolicy } from '../queue-policy.js';
import { dollarsText, NumbersPanel, rounded, type Side, WavePanels } from './comparison.js';
import { type FormState, PolicyForm } from './form.js';
import { type PolicyInput, readPolicyInput } from './input.js';
import { costOf, projectAttempts } from './projection.js';
import { sampleWaiting, type WaitingSample } from './sample.js';

/** The fields of the address; absent ones are empty. */
export type Field = (name: string) => string;

const ASSUMPTION =
  'This is what comes if every attempt fails and no further record comes in; a record that waits keeps its due time, and the other policy decides from its next failure on.';

/** The page that shows what another policy would make of the records that wait in a queue. */
export async function whatIfPage(context: PageContext, reader: CountsReader, field: Field) {
  const { deps } = context;
  const { counts, error } = await reader.read();
  if (!counts) return shell(context, <ReadError reason={explainRead(error)} />);
  const { queues } = counts.stats;
  const asked = field('queue');
  const stats = queues.find(({ queue }) => queue === asked);
  const own = stats && queuePolicy(deps, stats.queue, stats.reading);
  const present = own ? undefined : readPolicyInput(field('present') || '', () => '');
  const other = readPolicyInput(field('policy') || otherThan(own?.type ?? present?.type), field);
  const form: FormState = {
    queue: asked,
    queues: queues.map(({ queue }) => queue),
    other,
    present: present && {
      text: field('present'),
      error: field('present') === '' ? undefined : Object.values(present.errors).join('; ') || undefined,
    },
  };
  const panel = (
    <Panel title="Another policy" note="empty fields have the defaults that are shown">
      <PolicyForm state={form} />
    </Panel>
  );
  const verdict = (text: string, details?: string) => (
    <Verdict details={details}>
      <Foreign text={text} most={400} />
    </Verdict>
  );
  if (!stats) {
    const text = asked === '' ? 'Choose a queue.' : `There is no queue ${asked}.`;
    return shell(context, verdict(text), panel);
  }
  const isProgressive = stats.retryMode === 'progressive' || own?.type === 'progressive';
  if (isProgressive) return shell(context, <ByAge queue={stats.queue} />, panel);
  const presentPolicy = own ? resolvedOr(own) : present?.read?.policy;
  if (stats.pending === 0) {
    const text = `No record waits in ${stats.queue}: no policy attempts anything.`;
    return shell(context, verdict(text), panel);
  }
  return compare({
    context,
    stats,
    panel,
    other,
    presentPolicy,
    presentText: textOf(own ?? present?.read?.data),
  });
}

/** The type that the page opens with: not the present one, which compared with itself says nothing. */
function otherThan(present: string | undefined): string {
  return present === 'fibonacci' ? 'exponential' : 'fibonacci';
}

function resolvedOr(policy: unknown): ResolvedPolicy | undefined {
  try {
    return resolvePolicy(policy);
  } catch {
    return undefined;
  }
}

const textOf = (data: unknown) => (data === undefined ? undefined : JSON.stringify(data));

interface Comparison {
  readonly context: PageContext;
  readonly stats: OverviewStats;
  readonly panel: unknown;
  readonly other: PolicyInput;
  readonly presentPolicy: ResolvedPolicy | undefined;
  readonly presentText: string | undefined;
}

async function compare({ context, stats, panel, other, presentPolicy, presentText }: Comparison) {
  const { deps, now } = context;
  const sample = await sampleWaiting(new Tables(deps.backlog), stats, now);
  // The rules decide which records an age reaches: a schedule per record has no rules.
  const isByAge = other.read?.policy.type === 'progressive';
  const otherPolicy = isByAge ? undefined : other.read?.policy;
  const project = (policy: ResolvedPolicy | undefined) =>
    policy && projectAttempts(sample.records, policy, now);
  const sides: readonly [Side, Side] = [
    { title: 'Present policy', text: presentText, projection: project(presentPolicy) },
    { title: 'Other policy', text: textOf(other.read?.data), projection: project(otherPolicy) },
  ];
  const about = isExact(sample) ? '' : '≈ ';
  const title = sentence(stats.queue, sides, { isByAge, isWrong: other.read === undefined, about });
  return shell(
    context,
    <Verdict note={noteOf(sample, stats.counted)} details={ASSUMPTION}>
      <Foreign text={title} most={400} />
    </Verdict>,
    panel,
    sides[0].projection || sides[1].projection ? (
      <>
        <NumbersPanel sides={sides} now={now} about={about} />
        <WavePanels sides={sides} now={now} about={about} />
      </>
    ) : null,
  );
}

function isExact({ read, total }: WaitingSample): boolean {
  return read >= total;
}

function noteOf(sample: WaitingSample, counted: OverviewStats['counted']): string {
  const { total, dueTimes, read, ownPolicies, readUnits } = sample;
  const sign = COUNT_SIGNS[counted];
  const from = isExact(sample)
    ? total === 1
      ? 'from the one record that waits'
      : `from all ${count(total)} records that wait`
    : `≈ from ${count(dueTimes)} due times and ${count(read)} of ${sign}${count(total)} records that wait`;
  const own =
    ownPolicies === 0 ? '' : `; ${count(ownPolicies)} of those read keep a policy of their own on both sides`;
  return `${from}${own}${readUnits > 0 ? `, ${units(readUnits)}` : ''}`;
}

/** The difference in one sentence. */
function sentence(
  queue: string,
  [{ projection: present }, { projection: other }]: readonly [Side, Side],
  { isByAge, isWrong, about }: { isByAge: boolean; isWrong: boolean; about: string },
): string {
  const attempts = (number: number) =>
    `${about}${rounded(number)} ${rounded(number) === '1' ? 'attempt' : 'attempts'} a day`;
  const dollars = (number: number) => dollarsText(costOf(number).dollars);
  if (isWrong) return `The other policy for ${queue} is not valid.`;
  if (isByAge) {
    return 'A progressive queue attempts its records by age, at the rules of its tiers: its attempts are not computed here.';
  }
  if (!other) return `No policy can be shown for ${queue}.`;
  if (!present) {
    return `${queue}: ${attempts(other.attemptsADay)}, ${dollars(other.attemptsADay)} a day. Say the present policy to compare.`;
  }
  return `${queue}: ${attempts(other.attemptsADay)} instead of ${rounded(present.attemptsADay)}, ${dollars(other.attemptsADay)} a day instead of ${dollars(present.attemptsADay)}.`;
}

function ByAge({ queue }: { queue: string }) {
  return (
    <Verdict
      details={
        <>
          Its records have no due times: the rule of each tier attempts all records of that age. A policy per
          record changes how the queue is deployed, and it is not computed here. <a href="/tiers">Tiers</a>{' '}
          shows how many records stand in each band and when its rule runs.
        </>
      }
    >
      <Foreign text={queue} most={60} /> retries by age.
    </Verdict>
  );
}

function shell(context: PageContext, ...children: unknown[]) {
  return page({
    context,
    title: 'What if',
    view: 'Tiers',
    children: <>{children as never}</>,
  });
}

/** The link to the page for one queue. */
export const whatIfLink = (queue: string): string => link('/what-if', { queue });
