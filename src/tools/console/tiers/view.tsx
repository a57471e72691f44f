import { age } from '../../../duration.js';
import type { QueueStats } from '../../../operate/index.js';
import { Tables } from '../../../operate/tables.js';
import { DEFAULT_TIERS } from '../../../policies/index.js';
import type { QueueState } from '../../../store/store.js';
import { clockText, count, records, units } from '../../format.js';
import type { CountsReader } from '../../overview/counts.js';
import { explainRead } from '../../overview/explain-read.js';
import type { ConsoleDeps } from '../deps.js';
import { ReadError } from '../errors.js';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Fact, Foreign, Mark, Panel, When } from '../parts.js';
import { whatIfLink } from '../what-if/view.js';
import { Bars } from './bars.js';
import { type Forecast, forecastOf } from './forecast.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How much comes when, and when it is done. */
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
  const nextHour = forecast.minutes.reduce((sum, number) => sum + number, 0);
  const peak = Math.max(...forecast.minutes);
  const peakAt = forecast.minutes.indexOf(peak);
  const about = forecast.until === undefined ? '' : '≈ ';
  return page({
    context,
    title: 'Tiers',
    view: 'Tiers',
    refreshSeconds: deps.runtime ? LOCAL_REFRESH_SECONDS : 10,
    children: (
      <>
        <Verdict
          note={`forecast from ${count(forecast.examined)} index entries${cost > 0 ? `, ${units(cost)}` : ''}; attempts that are still to fail are not in it`}
        >
          {nextHour === 0
            ? 'No retry is due within the hour.'
            : `${about}${records(nextHour)} due within the hour, at most ${count(peak)} in a minute${
                peakAt === 0 ? ': now' : `, at ${clockText(now + peakAt * MINUTE_MS, now).slice(0, 5)}`
              }.`}
        </Verdict>
        <DrainPanel deps={deps} queues={queues} now={now} />
        {byAge.map((stats) => (
          <BandsPanel context={context} stats={stats} state={counts.states.get(stats.queue)} />
        ))}
        <ForecastPanels forecast={forecast} now={now} />
      </>
    ),
  });
}

const PACE_MS = 15 * MINUTE_MS;

function DrainPanel({
  deps,
  queues,
  now,
}: {
  deps: ConsoleDeps;
  queues: readonly QueueStats[];
  now: number;
}) {
  if (queues.length === 0) return null;
  const note = deps.runtime
    ? 'at the pace of successes in the last 15 min, if nothing comes in'
    : 'the pace of a deployed backlog is in its metrics, and not known here';
  return (
    <Panel title="Time to drain" note={note} live="drain">
      <dl class="facts2">
        {queues.map(({ queue, pending, due }) => (
          <Fact label={queue}>
            <span class="num">{drainText(deps, queue, pending, now)}</span>
            <span class="sm sub block">{records(pending)} waiting</span>
            {due === undefined ? null : (
              <a class="sm" href={whatIfLink(queue)}>
                What if<span class="vh"> {queue} had another policy</span>
              </a>
            )}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

function drainText({ runtime }: ConsoleDeps, queue: string, pending: number, now: number): string {
  if (pending === 0) return 'drained';
  if (!runtime) return '–';
  const recent = runtime.minutesOf(queue).filter(({ at }) => at > now - PACE_MS);
  const succeeded = recent.reduce((sum, minute) => sum + minute.succeeded, 0);
  return succeeded === 0 ? 'no success in 15 min' : `≈ ${age((pending / succeeded) * PACE_MS)}`;
}

/** The records of a progressive queue by age, and when the rule of each age runs. */
function BandsPanel(props: { context: PageContext; stats: QueueStats; state: QueueState | undefined }) {
  const { context, stats, state } = props;
  const { queue, ages = [], delayed = 0, pending } = stats;
  const own = context.deps.queues?.().find(({ name }) => name === queue)?.retry;
  const hasOwnTiers = own?.type === 'progressive' && own.tiers !== undefined;
  const most = Math.max(...ages.map((band) => band.count), 1);
  const note = [
    `${records(pending)}, in the bands of the default tiers`,
    ...(hasOwnTiers ? ['the queue has tiers of its own, whose rules run at other times'] : []),
    ...(delayed > 0 ? [`${count(delayed)} delayed by their producer`] : []),
  ].join('; ');
  return (
    <Panel title={`${queue} by age`} note={note} live={`bands-${queue}`}>
      <ol class="bands">
        {ages.map(({ fromAgeSeconds, untilAgeSeconds, count: number }, i) => {
          const tier = DEFAULT_TIERS[i];
          return (
            <li>
              <h3>
                {untilAgeSeconds === undefined
                  ? `over ${age(fromAgeSeconds * 1000)}`
                  : fromAgeSeconds === 0
                    ? `up to ${age(untilAgeSeconds * 1000)}`
                    : `${age(fromAgeSeconds * 1000)} to ${age(untilAgeSeconds * 1000)}`}
              </h3>
              <span class="sm sub">
                {tier === undefined || hasOwnTiers
                  ? 'given up at their next turn'
                  : `every ${age(tier.every * 1000)}`}
              </span>
              <svg class="mass" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
                {number === 0 ? null : (
                  <rect class="c-new" y={40 - mass(number, most)} width="100" height={mass(number, most)} />
                )}
              </svg>
              <span class={number === 0 ? 'num q' : 'num'}>{count(number)}</span>
              <TierRuns
                context={context}
                queue={queue}
                tier={i + 1}
                state={state}
                every={hasOwnTiers ? undefined : tier?.every}
              />
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** Logarithmic: one record is seen beside a thousand. */
function mass(number: number, most: number): number {
  return 4 + (36 * Math.log1p(number)) / Math.log1p(most);
}

function TierRuns(props: {
  context: PageContext;
  queue: string;
  tier: number;
  state: QueueState | undefined;
  every: number | undefined;
}) {
  const { context, queue, tier, state, every } = props;
  const { deps, now } = context;
  // Tiers of its own have other ages than the bands that are shown.
  const isKnown = every !== undefined;
  const rule = isKnown
    ? deps.runtime?.status().rules.find((one) => one.queue === queue && one.tier === tier)
    : undefined;
  const last = state?.tiers.get(String(tier));
  const next = rule?.nextAt === undefined ? undefined : Date.parse(rule.nextAt);
  const expected = last && every !== undefined ? last.at + every * 1000 : undefined;
  return (
    <span class="sm">
      {last === undefined ? null : (
        <span class="block sub">
          last <When at={last.at} now={now} />
          {last.complete ? null : ', cut short'}
        </span>
      )}
      {next !== undefined ? (
        <span class="block">
          next <When at={next} now={now} />
        </span>
      ) : expected !== undefined && expected > now ? (
        <span class="block">
          next ≈ <When at={expected} now={now} />
        </span>
      ) : null}
      {next === undefined && expected !== undefined && expected + HOUR_MS < now ? (
        <Mark tone="amber" icon="warn">
          <b>missed</b>
        </Mark>
      ) : null}
    </span>
  );
}

function ForecastPanels({ forecast, now }: { forecast: Forecast; now: number }) {
  const { minutes, hours, until } = forecast;
  const hour = (i: number) => clockText(now + i * HOUR_MS, now + i * HOUR_MS).slice(0, 2);
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
            label={(i) =>
              i % 15 === 0 ? clockText(now + i * MINUTE_MS, now + i * MINUTE_MS).slice(0, 5) : undefined
            }
            title={`${count(sum(minutes))} attempts are due within the hour, at most ${count(Math.max(...minutes))} in a minute.`}
            unknownFrom={from(MINUTE_MS, minutes.length)}
          />
        </div>
      </Panel>
      <Panel title="Due per hour, next day" note="queues that retry per record" live="hours">
        <div class="pad">
          <Bars
            values={hours}
            label={(i) => (i % 4 === 0 ? `${hour(i)} h` : undefined)}
            title={`${count(sum(hours))} attempts are due within the day, at most ${count(Math.max(...hours))} in an hour.`}
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
