import type { SentForm } from '../forms.js';
import { capitalized } from '../parts.js';
import type { Field } from './catalog.js';
import { Problem } from './confirm.js';

interface PauseFieldsProps {
  readonly labels: { readonly reason: string; readonly until: string };
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why the form was refused. Default: it was not sent yet. */
  readonly problem?: string | undefined;
}

/** The fields of a pause, or of a mute. One that was refused has the focus, and its problem below it. */
export function PauseFields({ labels, field, problem }: PauseFieldsProps) {
  const { of, text } = pauseProblem(problem);
  return (
    <div class="rows">
      {Object.entries(labels).map(([name, label]) => {
        const isRefused = name === of;
        const refusal = isRefused ? { 'aria-invalid': true, 'aria-describedby': 'problem' } : {};
        const most = name === 'reason' ? { maxlength: 200 } : {};
        return (
          <>
            <label class="f">
              {label}
              <input
                name={name}
                value={field(name)}
                autofocus={name === (of ?? 'reason')}
                {...most}
                {...refusal}
              />
            </label>
            {isRefused ? <Problem id="problem" text={text} /> : null}
          </>
        );
      })}
    </div>
  );
}

/** The options of a pause, or of a mute, as the form has them. */
export function noteOf({ field }: Exclude<SentForm, { refusal: string }>, by: string) {
  const [until, reason] = [field('until').trim(), field('reason').trim()];
  return { by, ...(until === '' ? {} : { until }), ...(reason === '' ? {} : { reason }) };
}

/** The field that a message of a refused pause, or mute, is about, and the message without it. */
export function pauseProblem(message = ''): { readonly of?: string | undefined; readonly text: string } {
  const [, of, text = message] = /^(?:pause|mute)\.(until|reason): (.*)$/s.exec(message) ?? [];
  return { of, text: capitalized(text) };
}
