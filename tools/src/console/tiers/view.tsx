import { age, type StoreTypes, Tables } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  type CountsReader,
  clockText,
  count,
  counted,
  explainRead,
  leastExact,
  type OverviewStats,
  records,
  signsText,
  tiersOf,
  units,
  waitText,
} from 'dynamo-backlog/overview';
import type { ConsoleDeps } from '../deps.js';
import { ReadError } from '../errors.js';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Mark, Panel, When } from '../parts.js';
import { queuePolicy } from '../queue-policy.js';
import { Bars } from './bars.js';
import { DrainPanel, doneText } from './drain.js';
import { type Forecast, forecastOf } from './forecast.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The view of tiers: how much comes due when, and when it is done. */
export async function tiersPage(context: PageContext, reader: CountsReader) {
  const { deps, now } = context;
  const { counts, error } = await reader.read();
  if (!counts) {
    const reason = explainRead(error);
    return page({ context, title: 'Tiers', view: 'Tiers', children: <ReadError reason={reason} /> });
  }
  const { queues } = counts.stats;
  const { store, units: spent } = new Tables(deps.backlog).open();
  const forecast = await forecastOf(store, queues, now);
  const cost = spent().readUnits;
  const byAge = queues.filter(({ ages }) => ages !== undefined);
  const details = [
    ...byAge.map((stats) => nextTierText(deps, stats, now)),
    doneText(deps, queues, now),
  ].filter((text) => text !== undefined);
  return page({
    context,
    title: 'Tiers',
    view: 'Tiers',
    refreshSeconds: deps.runtime ? LOCAL_REFRESH_SECONDS : 10,
    children: (
      <>
        <Verdict
          note={`forecast from ${count(forecast.examined)} index entries${cost > 0 ? `, ${units(cost)}` : ''}; attempts that are still to fail are not in it`}
          details={details.length > 0 ? <Foreign text={details.join(' ')} most={600} /> : null}
        >
          {dueText(forecast, COUNT_SIGNS[leastExact(queues)], now)}
        </Verdict>
        <ForecastPanels forecast={forecast} now={now} />
        <DrainPanel deps={deps} queues={queues} now={now} />
        {byAge.map((stats) => (
          <BandsPanel context={context} stats={stats} state={counts.states.get(stats.queue)} />
        ))}
      </>
    ),
  });
}

/**
 * `102 records are due within the hour: 46 now, then at most 5 in a minute, at 14:50.`
 *
 * @param sign of the counts of the queues
 */
function dueText({ minutes: [first = 0, ...later], until }: Forecast, sign: string, now: number): string {
  if (until !== undefined && until <= now)
    return `${sign}${records(first)} ${first === 1 ? 'is' : 'are'} due now.`;
  const nextHour = later.reduce((sum, number) => sum + number, first);
  if (nextHour === 0) return 'No retry is due within the hour.';
  const peak = Math.max(...later);
  const at = clockText(now + (1 + later.indexOf(peak)) * MINUTE_MS, now).slice(0, 5);
  const most = `at most ${count(peak)} in a minute, at ${at}`;
  const isWhole = until === undefined || until >= now + HOUR_MS;
  const due = `${isWhole ? '' : '≥ '}${records(nextHour)} ${nextHour === 1 ? 'is' : 'are'} due within the hour`;
  if (first === 0) return `${due}, ${most}.`;
  return peak === 0 ? `${due}, now.` : `${due}: ${count(first)} now, then ${most}.`;
}

/** Names the records of a progressive queue that come next: `catalog: 33 records, up to 1 d old, come in 42 s.` */
function nextTierText({ runtime }: ConsoleDeps, { queue, ages = [] }: OverviewStats, now: number) {
  const rules =
    runtime?.status().rules.filter(({ queues, enabled }) => enabled && queues.includes(queue)) ?? [];
  const [next] = rules
    .map(({ tier = 0, nextAt = '' }) => ({ band: ages[tier - 1], at: Date.parse(nextAt) }))
    .filter(({ band, at }) => band !== undefined && band.count > 0 && at > now)
    .sort((one, other) => one.at - other.at);
  if (next?.band === undefined) return undefined;
  const { count: number } = next.band;
  return `${queue}: ${records(number)}, ${bandText(next.band)} old, ${number === 1 ? 'comes' : 'come'} in ${age(next.at - now)}.`;
}

const GIVEN_UP = 'given up at their next turn';

type Band = NonNullable<OverviewStats['ages']>[number];

/** `up to 1 d`, `1 d to 7 d`, `over 360 d`. */
function bandText({ fromAgeSeconds, untilAgeSeconds }: Band): string {
  if (untilAgeSeconds === undefined) return `over ${age(fromAgeSeconds * 1000)}`;
  const until = age(untilAgeSeconds * 1000);
  return fromAgeSeconds === 0 ? `up to ${until}` : `${age(fromAgeSeconds * 1000)} to ${until}`;
}

/** The records of a progressive queue by age, and when the rule of each age runs. */
function BandsPanel(props: {
  context: PageContext;
  stats: OverviewStats;
  state: StoreTypes.QueueState | undefined;
}) {
  const { context, stats, state } = props;
  const { queue, ages = [], delayed = 0, pending, counted } = stats;
  const sign = COUNT_SIGNS[counted];
  const tiers = tiersOf(queuePolicy(context.deps, queue, stats.reading));
  const most = Math.max(...ages.map((band) => band.count), 1);
  const note = [
    waitText({ pending, counted }),
    ...signsText([{ stats }], context.now),
    ...(delayed > 0 ? [`${count(delayed)} delayed by their producer`] : []),
  ].join('; ');
  return (
    <Panel
      title={`${queue} by age`}
      note={
        <>
          {note}
          <span class="only-wide">; heights are square roots</span>
        </>
      }
      live={`bands-${queue}`}
    >
      <ol class="bands">
        {ages.map((band, i) => {
          const { count: number } = band;
          // Bands that are not those of its tiers have no rules.
          const tier = tiers[i]?.untilAge === band.untilAgeSeconds ? tiers[i] : undefined;
          return (
            <li>
              <h3>{bandText(band)}</h3>
              <span class="sm sub every">
                {tier ? `every ${age(tier.every * 1000)}` : band.untilAgeSeconds ? '' : GIVEN_UP}
              </span>
              <svg class="mass" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
                {number === 0 ? null : (
                  <rect class="c-new" y={40 - mass(number, most)} width="100" height={mass(number, most)} />
                )}
              </svg>
              <span class={number === 0 ? 'num q' : 'num'}>
                {number === 0 ? '' : sign}
                {count(number)}
              </span>
              <TierRuns context={context} queue={queue} tier={i + 1} state={state} every={tier?.every} />
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** The height of a bar, by the square root: one record is seen beside a thousand. */
function mass(number: number, most: number): number {
  return Math.max(2, 40 * Math.sqrt(number / most));
}

function TierRuns(props: {
  context: PageContext;
  queue: string;
  tier: number;
  state: StoreTypes.QueueState | undefined;
  every: number | undefined;
}) {
  const { context, queue, tier, state, every } = props;
  const { deps, now } = context;
  // Tiers of its own have other ages than the bands that are shown.
  const isKnown = every !== undefined;
  const rule = isKnown
    ? deps.runtime?.status().rules.find((one) => one.tier === tier && one.queues.includes(queue))
    : undefined;
  const last = state?.tiers.get(String(tier));
  const next = rule?.nextAt === undefined ? undefined : Date.parse(rule.nextAt);
  const expected = last && every !== undefined ? last.at + every * 1000 : undefined;
  return (
    <span class="sm runs-of-tier">
      {next !== undefined ? (
        <span class="block">
          next <When at={next} now={now} expected />
        </span>
      ) : expected !== undefined && expected > now ? (
        <span class="block">
          next ≈ <When at={expected} now={now} />
        </span>
      ) : null}
      {last === undefined ? null : (
        <span class="block sub">
          last <When at={last.at} now={now} />
          {last.complete ? null : ', cut short'}
        </span>
      )}
      {next === undefined && expected !== undefined && expected + HOUR_MS < now ? (
        <Mark tone="amber" icon="warn">
          <b>missed</b>
        </Mark>
      ) : null}
    </span>
  );
}

/** Labels of the bars in which a round time lies, each quarter of an hour, say. The first bar is `now`. */
function roundTimes(now: number, { step, every, bars }: { step: number; every: number; bars: number }) {
  return (i: number): string | undefined => {
    if (i === 0) return 'now';
    const round = Math.ceil((now + i * step) / (every * step)) * every * step;
    const isIn = round < now + (i + 1) * step;
    // A label nearer to the first one, or to the edge, would touch it.
    return isIn && i >= bars / 7 && i <= bars * 0.93
      ? new Date(round).toISOString().slice(11, 16)
      : undefined;
  };
}

/** `12 attempts are due` */
function attemptsAreDue(number: number): string {
  return `${counted(number, 'attempt')} ${number === 1 ? 'is' : 'are'} due`;
}

function ForecastPanels({ forecast, now }: { forecast: Forecast; now: number }) {
  const { minutes, hours, until } = forecast;
  const atLeast = until === undefined ? '' : 'At least ';
  const sum = (all: readonly number[]) => all.reduce((total, number) => total + number, 0);
  const from = (step: number, bins: number) => {
    const bin = until === undefined ? bins : Math.floor((until - now) / step);
    return bin < bins ? bin : undefined;
  };
  return (
    <div class="cols half">
      <Panel title="Due per minute, next hour" note="what is due already is in the first bar" live="minutes">
        <div class="pad">
          <Bars
            values={minutes}
            label={roundTimes(now, { step: MINUTE_MS, every: 15, bars: minutes.length })}
            title={`${atLeast}${attemptsAreDue(sum(minutes))} within the hour, at most ${count(Math.max(...minutes))} in a minute.`}
            unknownFrom={from(MINUTE_MS, minutes.length)}
          />
        </div>
      </Panel>
      <Panel title="Due per hour, next day" note="queues that retry per record" live="hours">
        <div class="pad">
          <Bars
            values={hours}
            label={roundTimes(now, { step: HOUR_MS, every: 4, bars: hours.length })}
            title={`${atLeast}${attemptsAreDue(sum(hours))} within the day, at most ${count(Math.max(...hours))} in an hour.`}
            unknownFrom={from(HOUR_MS, hours.length)}
          />
        </div>
      </Panel>
      {until === undefined ? null : (
        <p class="sub sm">
          The first {count(forecast.examined)} due times were read, up to{' '}
          <Foreign text={clockText(until, now)} />. What follows is not known.
        </p>
      )}
    </div>
  );
}
