import { count, fullClock } from 'dynamo-backlog/overview';
import { SPEEDS, slowedText } from '../../local/speed.js';
import { otherClocks } from '../../local/status/other-clocks.js';
import { ActionForm } from '../action-form.js';
import type { ConsoleDeps } from '../deps.js';
import { Badge } from '../parts.js';

const PRESETS: readonly number[] = SPEEDS.presets;

/** The clock of a local runtime, and what changes it. The script of the page counts the time on. */
export function ClockStrip({
  context,
}: {
  context: { readonly deps: ConsoleDeps; readonly now: number; readonly csrf: string };
}) {
  const { deps, now } = context;
  const status = deps.runtime?.status();
  if (!status) return null;
  const { speed, paused, askedSpeed = speed } = status;
  const slowed = slowedText(status);
  const others = otherClocks(status);
  const next = status.rules.flatMap(({ nextAt }) => nextAt ?? []).sort()[0];
  const { access } = deps;
  const why = access.write ? undefined : access.reason;
  return (
    <>
      <span>
        <span class="word">{speed === 1 && !paused ? 'Clock' : 'Virtual clock'}</span>{' '}
        <b data-clock="">{fullClock(now)}</b>
        {paused ? (
          <Badge tone="amber" icon="paused">
            Paused
          </Badge>
        ) : null}
        {slowed === undefined ? null : (
          <Badge tone="amber" icon="warn">
            {slowed}
          </Badge>
        )}
      </span>
      <details class="clockfold" data-key="clock">
        <summary>
          {count(speed)}×, change<span class="vh"> the clock</span>
        </summary>
        {others === undefined ? null : <p class="s">{others}</p>}
        <span>
          <ActionForm context={context} action={`/runtime/clock/${paused ? 'resume' : 'pause'}`}>
            <button class="btn s" type="submit" disabled={!access.write} title={why}>
              {paused ? 'Resume clock' : 'Pause clock'}
            </button>
          </ActionForm>
          <ActionForm context={context} action="/runtime/clock/next">
            <button
              class="btn s"
              type="submit"
              disabled={!access.write || next === undefined}
              title={why ?? (next === undefined ? 'No rule is to fire.' : undefined)}
            >
              {/* While it runs, the time on the button would be over soon. */}
              Next tick{paused && next !== undefined ? ` ${next.slice(11, 19)}` : ''}
            </button>
          </ActionForm>
        </span>
        <span>
          <span class="word">Speed</span>
          <ActionForm context={context} action="/runtime/clock/speed" class="segments">
            {PRESETS.map((preset) => (
              <button
                class="btn s"
                type="submit"
                name="speed"
                value={String(preset)}
                aria-label={`Speed ${count(preset)}×`}
                aria-pressed={preset === askedSpeed ? 'true' : 'false'}
                disabled={!access.write}
              >
                {count(preset)}×
              </button>
            ))}
          </ActionForm>
          {PRESETS.includes(askedSpeed) ? null : <span class="tag">{count(askedSpeed)}×</span>}
          <ActionForm context={context} action="/runtime/clock/speed" class="other">
            <input
              type="number"
              name="speed"
              min={SPEEDS.least}
              max={SPEEDS.most}
              step="any"
              required
              aria-label={`Another speed, ${count(SPEEDS.least)} to ${count(SPEEDS.most)}`}
              placeholder="other"
              disabled={!access.write}
            />
            <button class="btn s" type="submit" aria-label="Set speed" disabled={!access.write}>
              Set
            </button>
          </ActionForm>
        </span>
      </details>
    </>
  );
}
