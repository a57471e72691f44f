import { jsonOf } from '../../../delivery/body.js';
import { indentJson } from '../../cli/show.js';
import { bytes, shortened } from '../../format.js';
import { link, Panel } from '../parts.js';

/** Above this the payload is folded. */
const FOLDED_CHARACTERS = 3_000;
/** No more than this is on a page; all of it can be downloaded. */
const MOST_CHARACTERS = 40_000;

/** The payload as JSON over several lines. Numbers keep all their digits. */
export function PayloadPanel({ id, payload }: { id: string; payload: unknown }) {
  const json = jsonOf(payload);
  const text = indentJson(shortened(json, MOST_CHARACTERS));
  const isCut = json.length > MOST_CHARACTERS;
  const body = (
    <pre class="json" dir="ltr">
      <bdi>{text}</bdi>
    </pre>
  );
  const size = bytes(Buffer.byteLength(json));
  return (
    <Panel title="Payload" note={size} end={<a href={link('/record/payload', { id })}>Raw</a>}>
      <div class="pad">
        {json.length > FOLDED_CHARACTERS ? (
          <details id="payload">
            <summary>
              {isCut ? `The first ${bytes(MOST_CHARACTERS)} of ${size}` : `All of it, ${size}`}
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
