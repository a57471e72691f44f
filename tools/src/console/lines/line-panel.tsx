import type { BacklogRecord } from 'dynamo-backlog';
import { isPending } from 'dynamo-backlog/engine';
import { waitingText } from '../../line-words.js';
import { Fact, Foreign, Icon, Panel } from '../parts.js';
import type { LineLook } from './line-looks.js';
import { HeadLink, LeftOut, LineBadge, lineLink, MissingNumber } from './looks.js';

/** The line of a record's key: its head, and what waits. Nothing, if it is in none. */
export function LinePanel(props: { record: BacklogRecord; look: LineLook; now: number }) {
  const { record, look, now } = props;
  if (look === undefined) return null;
  const title = 'Line of its key';
  if ('problem' in look)
    return (
      <Panel title={title} live="line">
        <p class="amberline">
          <Icon name="warn" /> It cannot be read: <Foreign text={look.problem} most={300} />
        </p>
      </Panel>
    );
  const { line } = look;
  const { head, missing, leftOut, queue, key } = line;
  const isHead = head?.id === record.id;
  return (
    <Panel
      title={title}
      live="line"
      note={<Foreign text={`${key} in ${queue}`} most={120} />}
      end={<a href={lineLink(line)}>Whole line</a>}
    >
      <dl class="facts2">
        <Fact label="State">
          <LineBadge line={line} />
        </Fact>
        <Fact label="This record">
          number {record.seq}
          {isHead ? ', the head' : placeText(record, head?.seq ?? line.next)}
        </Fact>
        {head === undefined || isHead ? null : (
          <Fact label="Head">
            <HeadLink head={head} />
          </Fact>
        )}
        <Fact label="Waiting">{waitingText(line)} behind the head</Fact>
        {missing === undefined ? null : (
          <Fact label="Missing">
            <MissingNumber line={line} now={now} />
          </Fact>
        )}
        {leftOut === undefined ? null : (
          <Fact label="Left out">
            <LeftOut line={line} now={now} />
          </Fact>
        )}
      </dl>
    </Panel>
  );
}

/** Tells whether a record waits for its turn, so that no rule has it next. */
export function isBehind(record: BacklogRecord, look: LineLook): boolean {
  if (look === undefined || 'problem' in look || !isPending(record)) return false;
  return record.lane === undefined && look.line.head?.id !== record.id;
}

function placeText(record: BacklogRecord, first: number): string {
  if (!isPending(record) || record.seq === undefined) return '';
  const before = record.seq - first;
  if (before <= 0) return ', back in the line';
  return `, behind ${before} ${before === 1 ? 'number' : 'numbers'}`;
}
