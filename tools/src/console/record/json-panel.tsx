import { bytes, shortened } from 'dynamo-backlog/overview';
import type { ShownPayload } from '../../shown-payload.js';
import { Mark, Panel } from '../parts.js';
import { visibleJson } from '../visible-json.js';

/** Most characters of a payload that is not folded. */
const FOLDED_CHARACTERS = 3_000;
/** No more than this is on a page; all of it can be downloaded. */
const MAX_CHARACTERS = 40_000;

interface ShownPart {
  readonly title: 'Payload' | 'Result';
  readonly shown: ShownPayload;
  /** The address of the whole, to download. Undefined: all of it is on the page. */
  readonly raw?: string | undefined;
}

/** A payload or a result as JSON over several lines, as far as it is shown. Numbers keep all their digits. */
export function JsonPanel({ title, shown, raw }: ShownPart) {
  if (shown.hidden !== undefined) {
    return (
      <Panel title={title} note="hidden">
        <p class="amberline">
          <Mark tone="amber" icon="warn">
            {shown.hidden}
          </Mark>
        </p>
      </Panel>
    );
  }
  const { json, isRedacted } = shown;
  const text = visibleJson(shortened(json, MAX_CHARACTERS));
  const isCut = json.length > MAX_CHARACTERS;
  const body = (
    <pre class="json" dir="ltr">
      <bdi>{text}</bdi>
    </pre>
  );
  const size = bytes(Buffer.byteLength(json));
  return (
    <Panel
      title={title}
      note={isRedacted ? `redacted, ${size}` : size}
      end={raw === undefined ? undefined : <a href={raw}>Raw</a>}
    >
      <div class="pad">
        {json.length > FOLDED_CHARACTERS ? (
          <details id="payload">
            <summary>
              {isCut ? `The first ${bytes(MAX_CHARACTERS)} of ${size}` : `All of it, ${size}`}
            </summary>
            {body}
          </details>
        ) : (
          body
        )}
      </div>
    </Panel>
  );
}
