import { Icon } from './parts.js';

/** The message as it came, and the next step. */
export function ReadError({ reason, stale }: { reason: string; stale?: boolean }) {
  return (
    <section class="panel" role="alert">
      <div class="blank">
        <h2 class="mark dead">
          <Icon name="fail" />
          <span>The tables cannot be read</span>
        </h2>
        <p>
          <bdi>{reason}</bdi>
        </p>
        {stale ? <p class="sub">The numbers below are the last ones that could be read.</p> : null}
        <pre class="cmd">npx backlog doctor</pre>
      </div>
    </section>
  );
}
