import { shortened } from 'dynamo-backlog/overview';
import { Icon } from '../parts.js';
import { CHOICES, POLICY_OPTIONS, type PolicyInput } from './input.js';

/** The values that the form was sent with. */
export interface FormState {
  readonly queue: string;
  readonly queues: readonly string[];
  readonly other: PolicyInput;
  /** The present policy as it was typed; undefined: the app says it. */
  readonly present: { readonly text: string; readonly error: string | undefined } | undefined;
}

/** Another policy and its options. It is sent by GET, so that the address says what the page shows. */
export function PolicyForm({ state }: { state: FormState }) {
  const { queue, queues, other, present } = state;
  const types = CHOICES.includes(other.type) ? CHOICES : [...CHOICES, other.type];
  const options = POLICY_OPTIONS[other.type] ?? [];
  const otherErrors = Object.entries(other.errors)
    .filter(([field]) => !options.some(([name]) => name === field))
    .map(([, message]) => message)
    .join('; ');
  return (
    <form class="filters policy" method="get" action="/what-if">
      <Choice label="Queue" name="queue" value={queue} options={queues} />
      {present ? (
        <Input
          label="Present policy"
          name="present"
          value={present.text}
          placeholder="fibonacci"
          error={present.error}
        />
      ) : null}
      <Choice
        label="Other policy"
        name="policy"
        value={other.type}
        options={types}
        error={otherErrors || undefined}
      />
      {options.map(([name, fallback]) => (
        <Input
          label={name}
          name={name}
          value={other.options[name] ?? ''}
          placeholder={fallback}
          error={other.errors[name]}
        />
      ))}
      <span class="buttons">
        <button class="btn pri" type="submit">
          Show
        </button>
        <span class="sm sub">Another type shows its own options.</span>
      </span>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly error?: string | undefined;
}

function Input({ label, name, value, placeholder, error }: FieldProps & { placeholder: string }) {
  return (
    <label class="f">
      {label}
      <input
        class="mono"
        name={name}
        value={shortened(value, 1_000)}
        placeholder={placeholder}
        maxlength={1_000}
        autocomplete="off"
        {...described(name, error)}
      />
      <FieldError name={name} error={error} />
    </label>
  );
}

function Choice({ label, name, value, options, error }: FieldProps & { options: readonly string[] }) {
  const all = value === '' || options.includes(value) ? options : [...options, value];
  return (
    <label class="f">
      {label}
      <select name={name} {...described(name, error)}>
        {all.map((one) => (
          <option value={shortened(one, 1_000)} selected={one === value}>
            {shortened(one, 60)}
          </option>
        ))}
      </select>
      <FieldError name={name} error={error} />
    </label>
  );
}

function described(name: string, error: string | undefined) {
  return error === undefined ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': `${name}-error` };
}

function FieldError({ name, error }: Pick<FieldProps, 'name' | 'error'>) {
  if (error === undefined) return null;
  return (
    <span class="mark dead wrap" id={`${name}-error`}>
      <Icon name="fail" />
      <bdi>{error}</bdi>
    </span>
  );
}
