import { Icon } from './parts.js';

/**
 * An error that is shown: its message as it came, and the next step. Where `stale` is not said, it is all that the page
 * has.
 */
export function ReadError({ reason, stale }: { reason: string; stale?: boolean }) {
  const Heading = stale === undefined ? 'h1' : 'h2';
  return (
    <section class="panel" role="alert">
      <div class="blank">
        <Heading class="mark dead">
          <Icon name="fail" />
          <span>The tables cannot be read</span>
        </Heading>
        <p>
          <bdi>{reason}</bdi>
        </p>
        {stale ? <p class="sub">The numbers below are the last ones that could be read.</p> : null}
        <pre class="cmd">npx backlog doctor</pre>
      </div>
    </section>
  );
}
