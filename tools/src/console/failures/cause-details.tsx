import {
  AGES,
  COUNT_SIGNS,
  causeText,
  count,
  counted,
  type FailureCause,
  type FailurePattern,
  minuteText,
  sumOf,
} from 'dynamo-backlog/overview';
import { Foreign, link, Mark, recordLink } from '../parts.js';

/** The opened part of a cause: its records by state and age, and the patterns of their messages. */
export function CauseDetails({ cause, now }: { cause: FailureCause; now: number }) {
  const sign = COUNT_SIGNS[cause.counted];
  const errorName = causeText(cause.cause);
  return (
    <div class="opened">
      <ByAge cause={cause} errorName={errorName} sign={sign} />
      <table class="patterns cards">
        <thead>
          <tr>
            <th scope="col">Message pattern</th>
            <th scope="col" class="r">
              Records
            </th>
            <th scope="col">First and last, UTC</th>
            <th scope="col">Examples</th>
          </tr>
        </thead>
        <tbody>
          {cause.patterns.map((pattern) => (
            <PatternRow pattern={pattern} errorName={errorName} sign={sign} now={now} />
          ))}
        </tbody>
      </table>
      {cause.morePatterns > 0 ? (
        <p class="sub sm">{counted(cause.morePatterns, 'more pattern')} with fewer records.</p>
      ) : null}
    </div>
  );
}

function PatternRow(props: { pattern: FailurePattern; errorName: string; sign: string; now: number }) {
  const { pattern, errorName, sign, now } = props;
  const { firstAt, lastAt, examples } = pattern;
  const stack = examples[0]?.stack;
  const times = [firstAt, lastAt].flatMap((at) => (at === undefined ? [] : [minuteText(at, now)]));
  return (
    <tr data-key={pattern.pattern}>
      <td class="full">
        <span class="msg mono">
          <bdi>
            {pattern.pattern === ''
              ? 'no message'
              : pattern.pattern
                  .split(/(\{(?:n|id|time|word)\})/)
                  .map((part, i) => (i % 2 === 1 ? <mark>{part}</mark> : part))}
          </bdi>
        </span>
        {stack === undefined ? null : (
          <details>
            <summary>Stack</summary>
            <pre class="stack">
              <bdi>{stack}</bdi>
            </pre>
          </details>
        )}
      </td>
      <td class="r b" data-label="records">
        <a href={link('/records', { errorName, pattern: pattern.pattern })}>
          {sign}
          {count(Math.round(sumOf(pattern)))}
          <span class="vh"> records of this pattern</span>
        </a>
      </td>
      <td class="sm sub nw">{[...new Set(times)].join(' to ') || '–'}</td>
      <td class="full">
        <span class="examples">
          {examples.map(({ id }) => (
            <a class="mono" href={recordLink(id)}>
              <Foreign text={id} most={36} />
            </a>
          ))}
        </span>
      </td>
    </tr>
  );
}

/** Numbers by state and by the time since the last failure; each leads to its records. */
function ByAge({ cause, errorName, sign }: { cause: FailureCause; errorName: string; sign: string }) {
  const states = [
    { ages: cause.ages.retry, status: 'ERROR', tone: 'retry', word: 'in retry' },
    { ages: cause.ages.dead, status: 'DEAD', tone: 'dead', word: 'dead' },
  ] as const;
  return (
    <dl class="byage">
      {states
        .filter(({ ages }) => ages.some((number) => number > 0))
        .map(({ ages, status, tone, word }) => (
          <>
            <dt>
              <Mark tone={tone} icon={tone}>
                {word}
              </Mark>
              <span class="vh">, by the time since the last failure</span>
            </dt>
            {AGES.map(({ label, within, before }, i) => {
              const number = Math.round(ages[i] ?? 0);
              const query = { errorName, status, failedWithin: within, failedBefore: before };
              return (
                <dd class="cell">
                  {label}{' '}
                  {number === 0 ? (
                    <span class="q">0</span>
                  ) : (
                    <a class="b" href={link('/records', query)}>
                      {sign}
                      {count(number)}
                    </a>
                  )}
                </dd>
              );
            })}
          </>
        ))}
    </dl>
  );
}
