import type { Group } from 'dynamo-backlog';
import { count } from 'dynamo-backlog/overview';

/** The parts of the bar, from its left end. */
const PARTS = [
  ['succeeded', 'succeeded'],
  ['dead', 'dead'],
  ['cancelled', 'cancelled'],
  ['removed', 'removed'],
  ['lost', 'lost'],
  ['waiting', 'waiting'],
] as const satisfies readonly (readonly [keyof Group, string])[];

const WIDTH = 1_000;
/** The least width of a part: one dead member of a million is seen. */
const MIN_WIDTH = 8;
const GAP = 3;

/** The members of a group as a bar, and their numbers in words. @param sign `≥ `, where members may not have been read */
export function MembersBar({ group, sign = '', large }: { group: Group; sign?: string; large?: boolean }) {
  const shown = PARTS.filter(([name]) => group[name] > 0);
  const words = shown.map(([name, word]) => `${sign}${count(group[name])} ${word}`);
  let x = 0;
  return (
    <div class={`members ${large ? 'large' : ''}`}>
      <svg
        viewBox={`0 0 ${WIDTH} 10`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Members: ${words.join(', ') || 'none'}`}
      >
        <rect class="m-none" width={WIDTH} height="10" />
        {widthsOf(group).map(([name, width], i, all) => {
          const gap = i === all.length - 1 ? 0 : GAP;
          const part = <rect class={`m-${name}`} x={x} width={width - gap} height="10" />;
          x += width;
          return part;
        })}
      </svg>
      <ul class="words">
        {shown.map(([name], i) => (
          <li>
            <i class={`m-${name}`} />
            {words[i]}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The width of each part. What small ones get beside their share, the large ones give. */
function widthsOf(group: Group): (readonly [string, number])[] {
  const parts = PARTS.filter(([name]) => group[name] > 0);
  const all = parts.reduce((sum, [name]) => sum + group[name], 0);
  const wide = parts.map(([name]) => Math.max(MIN_WIDTH, (WIDTH * group[name]) / all));
  const scale = WIDTH / wide.reduce((sum, width) => sum + width, 0);
  return parts.map(([name], i) => [name, (wide[i] ?? 0) * scale] as const);
}
