import type { LineName, RecordLine } from 'dynamo-backlog';
import { LINE_STATES } from '../../line-words.js';
import { Badge, capitalized, Foreign, type IconName, link, recordLink, type Tone, When } from '../parts.js';

const LOOKS: Readonly<Record<RecordLine['state'], { readonly tone: Tone; readonly icon: IconName }>> = {
  dead: { tone: 'dead', icon: 'dead' },
  missing: { tone: 'amber', icon: 'warn' },
  retrying: { tone: 'retry', icon: 'retry' },
  attempting: { tone: 'run', icon: 'run' },
  ending: { tone: 'run', icon: 'run' },
  starting: { tone: 'new', icon: 'new' },
  idle: { tone: 'ok', icon: 'ok' },
};

/** The state of a line. */
export function LineBadge({ line: { state } }: { line: RecordLine }) {
  return <Badge {...LOOKS[state]}>{capitalized(LINE_STATES[state])}</Badge>;
}

/** The page of the line of a key. */
export const lineLink = ({ queue, key }: LineName): string => link('/lines/show', { queue, key });

/** The page of the keys of a queue that are held. */
export const heldLink = (queue: string, page = 1): string =>
  link('/lines', { queue, page: page === 1 ? undefined : String(page) });

/** The link to the head of a line, and its number. */
export function HeadLink({ head }: { head: NonNullable<RecordLine['head']> }) {
  return (
    <>
      <a href={recordLink(head.id)}>
        <Foreign text={head.id} most={120} />
      </a>
      , number {head.seq}
    </>
  );
}

/** The number that is missing, and since when. */
export function MissingNumber({ line: { missing }, now }: { line: RecordLine; now: number }) {
  if (missing === undefined) return null;
  return (
    <>
      number {missing.seq}, since <When at={missing.since} now={now} />
    </>
  );
}

/** The numbers that were left out, and when that was. */
export function LeftOut({ line: { leftOut }, now }: { line: RecordLine; now: number }) {
  if (leftOut === undefined) return null;
  const { from, to, at } = leftOut;
  return (
    <>
      {from === to ? `number ${from}` : `numbers ${from} to ${to}`}, <When at={at} now={now} />
    </>
  );
}
