import type { ListAddress } from './address.js';
import { FilterWords } from './filter-words.js';
import type { StateCounts } from './state-counts.js';
import { StateLinks } from './state-links.js';

const AGES = [
  ['', 'any time'],
  ['1h', 'an hour ago'],
  ['3h', '3 h ago'],
  ['1d', 'a day ago'],
  ['7d', '7 d ago'],
] as const;
const OLDER = [
  ['', 'any time'],
  ['1h', 'an hour ago'],
  ['1d', 'a day ago'],
  ['7d', '7 d ago'],
  ['30d', '30 d ago'],
] as const;

interface FilterProps {
  readonly address: ListAddress;
  readonly queues: readonly string[];
  /** The filter looks into what is shown of payloads. */
  readonly isRedacted: boolean;
  /** Undefined: what matches is not counted by state. */
  readonly states: StateCounts | undefined;
}

/** The filter, folded on a narrow page: the fold says in words what it has. Wide pages show it without a fold. */
export function FilterFold(props: FilterProps) {
  const { text } = props.address;
  const isFiltered = Object.values(text).some((part) => part !== '');
  return (
    <details class="filterfold">
      <summary>
        <b>Filter</b>{' '}
        <span class="sub">
          {isFiltered ? <FilterWords text={text} /> : 'none: records that are not finished'}
        </span>
      </summary>
      <FilterForm {...props} />
      <StateLinks text={text} counts={props.states} />
    </details>
  );
}

/** The filter as a form: it is sent by GET, so that the address of a page says what it shows. */
function FilterForm({ address: { text, isReversed }, queues, isRedacted }: FilterProps) {
  const hidden = (['status', 'failedWithin', 'failedBefore', 'pattern', 'errorName'] as const).filter(
    (name) => text[name] !== '',
  );
  const known = text.queue === '' || queues.includes(text.queue) ? queues : [...queues, text.queue];
  return (
    <form class="filters" method="get" action="/records">
      {hidden.map((name) => (
        <input type="hidden" name={name} value={text[name]} />
      ))}
      {isReversed ? <input type="hidden" name="order" value="reversed" /> : null}
      <Choice
        label="Queue"
        name="queue"
        value={text.queue}
        options={[['', 'all'], ...known.map((name) => [name, name] as const)]}
      />
      <Input label="Error contains" name="error" value={text.error} />
      <Choice label="Inserted since" name="younger" value={text.younger} options={AGES} />
      <Choice label="Inserted before" name="older" value={text.older} options={OLDER} />
      <Input label="Id begins with" name="id" value={text.id} mono />
      <Input label="Key" name="key" value={text.key} mono />
      <Input
        label={isRedacted ? 'Payload, as shown' : 'Payload'}
        name="where"
        value={text.where}
        mono
        placeholder="customer.id=7"
      />
      <span class="buttons">
        <button class="btn" type="submit">
          Filter
        </button>
        <a class="sm" href="/records">
          Clear
        </a>
      </span>
    </form>
  );
}

function Input(props: { label: string; name: string; value: string; mono?: boolean; placeholder?: string }) {
  const { label, name, value, mono, placeholder } = props;
  return (
    <label class="f">
      {label}
      <input class={mono ? 'mono' : undefined} name={name} value={value} placeholder={placeholder} />
    </label>
  );
}

function Choice(props: {
  label: string;
  name: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
}) {
  const { label, name, value, options } = props;
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value] as const];
  return (
    <label class="f">
      {label}
      <select name={name}>
        {all.map(([one, word]) => (
          <option value={one} selected={one === value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
