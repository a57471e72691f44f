import type { Group } from 'dynamo-backlog';
import { count } from 'dynamo-backlog/overview';

/** The parts of the bar, from its left end. */
const PARTS = ['succeeded', 'dead', 'cancelled', 'removed', 'lost', 'waiting'] as const;
const WIDTH = 1_000;
/** The least width of a part: one dead member of a million is seen. */
const MIN_WIDTH = 8;
const GAP = 3;

/** The members of a group as a bar, and their numbers in words. @param sign `≥ `, where members may not have been read */
export function MembersBar({ group, sign = '', large }: { group: Group; sign?: string; large?: boolean }) {
  const shown = PARTS.filter((name) => group[name] > 0);
  let x = 0;
  return (
    <div class={`members ${large ? 'large' : ''}`}>
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="m-none" width={WIDTH} height="10" />
        {widthsOf(group).map(([name, width], i, all) => {
          const gap = i === all.length - 1 ? 0 : GAP;
          const part = (
            <rect class={`m-${name}`} x={x.toFixed(1)} width={(width - gap).toFixed(1)} height="10" />
          );
          x += width;
          return part;
        })}
      </svg>
      <ul class="words" aria-label="Members">
        {shown.map((name) => (
          <li>
            <i class={`m-${name}`} />
            {`${sign}${count(group[name])} ${name}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The width of each part. What small ones get beside their share, the large ones give. */
function widthsOf(group: Group): (readonly [string, number])[] {
  const parts = PARTS.filter((name) => group[name] > 0);
  const all = parts.reduce((sum, name) => sum + group[name], 0);
  const wide = parts.map((name) => Math.max(MIN_WIDTH, (WIDTH * group[name]) / all));
  const scale = WIDTH / wide.reduce((sum, width) => sum + width, 0);
  return parts.map((name, i) => [name, (wide[i] ?? 0) * scale] as const);
}
