import { type AlarmOn, minuteText, muteText, shortened } from 'dynamo-backlog/overview';
import { Fact, Foreign, Mark } from '../parts.js';

const MAX_SHOWN = 4;

/** The alarms of an incident that are on, with their mutes: an operator was paged, or was not. */
export function AlarmFact(props: {
  on: readonly AlarmOn[] | undefined;
  reason: string | undefined;
  now: number;
}) {
  const { on, reason, now } = props;
  if (!on) {
    return (
      <Fact label="Alarms" whole>
        {reason === undefined ? 'not read yet' : <Foreign text={`not known, ${reason}`} most={300} />}
      </Fact>
    );
  }
  if (on.length === 0)
    return (
      <Fact label="Alarms" whole>
        no queue alarm is on
      </Fact>
    );
  const more = on.length - MAX_SHOWN;
  return (
    <Fact label="Alarms" whole>
      {on.slice(0, MAX_SHOWN).map((alarm) => (
        <AlarmLine alarm={alarm} now={now} />
      ))}
      {more > 0 ? <div class="sub sm">and {more} more</div> : null}
    </Fact>
  );
}

function AlarmLine({ alarm, now }: { alarm: AlarmOn; now: number }) {
  const { id, name, level, since, muted } = alarm;
  return (
    <div>
      <Mark tone={muted ? 'grey' : level === 'page' ? 'dead' : 'amber'} icon={muted ? 'paused' : 'warn'}>
        <b>{level === 'page' ? 'Page' : 'Ticket'}</b>
      </Mark>{' '}
      <span title={shortened(name, 300)}>
        <Foreign text={id} most={100} />
      </span>{' '}
      <span class="sub">
        since {minuteText(since, now)} UTC
        {muted ? (
          <>
            , muted <Foreign text={muteText(muted, now)} most={300} />
          </>
        ) : null}
      </span>
    </div>
  );
}
