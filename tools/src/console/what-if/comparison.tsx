import { clockText, count } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { Foreign, Panel, Unknown, When } from '../parts.js';
import { Bars } from '../tiers/bars.js';
import { costOf, type ProjectedEnd, type Projection } from './projection.js';

/** One of the two policies, and its projection. */
export interface Side {
  /** `Present policy` or `Other policy`. */
  readonly title: string;
  /** The policy in one line; undefined: not known, or wrong. */
  readonly text: string | undefined;
  readonly projection: Projection | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Row {
  readonly label: string;
  readonly cell: (projection: Projection) => Child;
}

/** The numbers of both, one under the other's heading. */
export function NumbersPanel(props: { sides: readonly Side[]; now: number; about: string }) {
  const { sides, now, about } = props;
  const rows: readonly Row[] = [
    { label: 'Attempts in the next hour', cell: ({ minutes }) => about + rounded(sum(minutes)) },
    { label: 'Most in a minute', cell: ({ minutes }) => about + rounded(Math.max(...minutes)) },
    { label: 'Attempts a day', cell: ({ attemptsADay }) => <b>{about + rounded(attemptsADay)}</b> },
    {
      label: 'Write units a day',
      cell: ({ attemptsADay }) => about + rounded(costOf(attemptsADay).writeUnits),
    },
    { label: 'Dollars a day', cell: ({ attemptsADay }) => about + dollarsText(costOf(attemptsADay).dollars) },
    { label: 'Last record given up', cell: ({ end }) => <End end={end} now={now} /> },
  ];
  return (
    <Panel title="Side by side" note="3 write units an attempt, $0.625 a million" live="numbers">
      <table class="compare">
        <thead>
          <tr>
            <th scope="col">
              <span class="vh">Figure</span>
            </th>
            {sides.map(({ title, text }) => (
              <th scope="col" class="r">
                {title}
                <code class="block">{text === undefined ? '–' : <Foreign text={text} most={120} />}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, cell }) => (
            <tr>
              <th scope="row">{label}</th>
              {sides.map(({ projection }) => (
                <td class="r n">{projection ? cell(projection) : <Unknown />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** The time at which the last of the records is attempted for the last time. */
function End({ end, now }: { end: ProjectedEnd | undefined; now: number }) {
  if (end === undefined) return <Unknown why="no record waits" />;
  const which = { exact: '', about: '≈ ', notBefore: 'after ' }[end.kind];
  return (
    <>
      {which}
      <When at={end.at} now={now} />
      <span class="block sub sm">
        {end.reason === 'expired' ? 'by its greatest age' : 'by its number of attempts'}
      </span>
    </>
  );
}

/** Four pictures: both policies on the same scale, so that heights can be compared. */
export function WavePanels(props: { sides: readonly Side[]; now: number; about: string }) {
  const { sides, now, about } = props;
  const known = sides.filter(({ projection }) => projection !== undefined);
  const time = (at: number) => clockText(at, at).slice(0, 5);
  const views = [
    {
      name: 'per minute, next hour',
      unit: 'minute',
      step: MINUTE_MS,
      of: ({ minutes }: Projection) => minutes,
      label: (i: number) => (i % 15 === 0 ? time(now + i * MINUTE_MS) : undefined),
    },
    {
      name: 'per hour, next day',
      unit: 'hour',
      step: HOUR_MS,
      of: ({ hours }: Projection) => hours,
      label: (i: number) => (i % 4 === 0 ? `${time(now + i * HOUR_MS).slice(0, 2)} h` : undefined),
    },
  ];
  return (
    <>
      {views.map(({ name, unit, step, of, label }) => {
        const most = Math.max(
          ...known.flatMap(({ projection }) => (projection ? [...of(projection)] : [])),
          1,
        );
        return (
          <div class="cols half">
            {known.map(({ title, projection }) => {
              const values = projection ? of(projection) : [];
              const peak = Math.max(...values);
              const when = time(now + values.indexOf(peak) * step);
              const peakText =
                peak === 0 ? 'none' : `at most ${about}${rounded(peak)} in the ${unit} from ${when}`;
              return (
                <Panel title={`${title}: attempts ${name}`} note={peakText}>
                  <div class="pad">
                    <Bars
                      values={values}
                      most={most}
                      label={label}
                      title={`${title}: ${about}${rounded(sum(values))} attempts, ${peakText}.`}
                    />
                  </div>
                </Panel>
              );
            })}
          </div>
        );
      })}
    </>
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** A number of whole attempts, as text. */
export function rounded(value: number): string {
  return value > 0 && value < 1 ? '<1' : count(Math.round(value));
}

/** `$0.0023`, `$1.40`: two digits that say something. */
export function dollarsText(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars >= 1
    ? `$${dollars.toFixed(2)}`
    : `$${Number(dollars.toPrecision(2)).toFixed(digits(dollars))}`;
}

function digits(dollars: number): number {
  return Math.min(10, 1 - Math.floor(Math.log10(dollars)));
}
