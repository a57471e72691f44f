import { ConfigurationError } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import type { Child } from 'hono/jsx';

/** Changes per second that an operator can choose; 0: as fast as it goes. */
const PACES: readonly number[] = [5, 20, 50, 100, 0];

const SHOWN = 40;

/** The pace that a form asks for; `Infinity`: as fast as it goes. @throws ConfigurationError for what is none */
export function paceOf(text: string): number {
  if (text === '0') return Number.POSITIVE_INFINITY;
  const pace = Number(text);
  if (pace > 0) return pace;
  throw new ConfigurationError(
    `pace: expected records a second, such as 20, got ${JSON.stringify(text.slice(0, SHOWN))}`,
  );
}

interface PaceProps {
  readonly chosen: number;
  /** Records that are to be changed. Undefined: not known. */
  readonly total: number | undefined;
  /** `at least `, if there may be more. */
  readonly atLeast?: string | undefined;
  readonly children: Child;
}

/** The field that asks for the pace of a job. */
export function Pace({ chosen, total, atLeast = '', children }: PaceProps) {
  // A command can have asked for any pace.
  const paces = PACES.includes(chosen) ? PACES : [chosen, ...PACES];
  return (
    <label class="f">
      {children}
      <select name="pace">
        {paces.map((perSecond) => (
          <option value={String(perSecond)} selected={perSecond === chosen}>
            {paceText(perSecond, total, atLeast)}
          </option>
        ))}
      </select>
    </label>
  );
}

function paceText(perSecond: number, total: number | undefined, atLeast: string): string {
  if (perSecond === 0) return 'as fast as it goes';
  if (total === undefined) return `${perSecond} a second`;
  const milliseconds = (1000 * total) / perSecond;
  return `${perSecond} a second: ${milliseconds < 1000 ? 'under a second' : `${atLeast}${age(milliseconds)}`}`;
}
