import {
  COUNT_SIGNS,
  count,
  counted,
  type KeyCounts,
  keyPauseNote,
  minuteText,
  records,
  sumOf,
} from 'dynamo-backlog/overview';
import { Badge, Foreign, link, Panel } from '../parts.js';

const MAX_KEYS = 5;

/** The keys with most waiting records and those with most failures; nothing where no record that was read has a key. */
export function KeyList(props: { keys: readonly KeyCounts[]; isSampled: boolean; now: number }) {
  const { keys, isSampled, now } = props;
  const named = keys.filter(({ key }) => key !== undefined);
  if (named.length === 0) return null;
  const waiting = keys.reduce((sum, one) => sum + one.waiting, 0);
  const failures = keys.reduce((sum, one) => sum + sumOf(one), 0);
  const sign = isSampled ? '≈ ' : '';
  const among = isSampled ? ' among the records that were read' : '';
  return (
    <Panel
      title="Keys"
      note={`${counted(named.length, 'key')}${among}`}
      end={<span class="sub">A key is a customer or tenant.</span>}
      class="keys"
    >
      <div class="keylists">
        <Ranking
          title="Most waiting"
          ofAll={`${sign}${records(Math.round(waiting))} that ${Math.round(waiting) === 1 ? 'waits' : 'wait'}`}
          none="No record with a key waits."
          keys={ranked(named, ({ waiting: own }) => own)}
          total={waiting}
          now={now}
        />
        <Ranking
          title="Most failures"
          ofAll={`${sign}${records(Math.round(failures))} in retry or dead`}
          none="No record with a key is in retry or dead."
          keys={ranked(named, sumOf)}
          total={failures}
          now={now}
          statusOf={({ retry, dead }) => (retry === 0 ? 'DEAD' : dead === 0 ? 'ERROR' : undefined)}
        />
      </div>
    </Panel>
  );
}

/** A key with the number that it is ranked by. */
interface Ranked {
  readonly of: KeyCounts;
  readonly number: number;
}

function ranked(keys: readonly KeyCounts[], numberOf: (one: KeyCounts) => number): Ranked[] {
  return keys
    .map((of) => ({ of, number: numberOf(of) }))
    .filter(({ number }) => number > 0)
    .sort((one, other) => other.number - one.number)
    .slice(0, MAX_KEYS);
}

function Ranking(props: {
  title: string;
  /** The records of all keys, and those without one, in words. */
  ofAll: string;
  none: string;
  keys: readonly Ranked[];
  /** The number of these records. */
  total: number;
  now: number;
  /** The status of the records that a key leads to. Default: any that is not finished. */
  statusOf?: (one: KeyCounts) => 'ERROR' | 'DEAD' | undefined;
}) {
  const { title, ofAll, none, keys, total, now, statusOf } = props;
  return (
    <section>
      <h3>
        {title} <span class="q">of {ofAll}</span>
      </h3>
      {keys.length === 0 ? <p class="sub sm">{none}</p> : null}
      <ol>
        {keys.map(({ of, number }) => (
          <li data-key={of.key}>
            <span class="name">
              <a href={link('/records', { key: of.key, status: statusOf?.(of) })}>
                <Foreign text={of.key ?? ''} most={40} />
              </a>
              {of.busyUntil === undefined ? null : (
                <Badge tone="amber" icon="warn">
                  busy until {minuteText(of.busyUntil, now)}
                </Badge>
              )}
              <KeyPauseLink of={of} now={now} />
            </span>
            <span class="r b">
              {COUNT_SIGNS[of.counted]}
              {count(Math.round(number))}
            </span>
            <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width={Math.max(1, (100 * number) / total).toFixed(1)} height="4" />
            </svg>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** That a key is paused, and the link to the page that pauses or resumes it: in the queue with most of its records. */
function KeyPauseLink({ of, now }: { of: KeyCounts; now: number }) {
  const { key, paused: [first] = [], queues } = of;
  const queue = first?.queue ?? queues[0];
  if (key === undefined || queue === undefined) return null;
  const verb = first === undefined ? 'Pause' : 'Resume';
  return (
    <>
      {first === undefined ? null : (
        <Badge tone="grey" icon="paused">
          <Foreign text={`paused${keyPauseNote(first.pause, now)}`} most={80} />
        </Badge>
      )}
      <a class="sub sm" href={link('/queue-key', { name: queue, key })} aria-label={`${verb}… ${key}`}>
        {verb}…
      </a>
    </>
  );
}
