import { BRAND } from '../record/outcomes/brand.js';

/** Characters of an error's name in a line of the log. */
const MAX_NAME_CHARACTERS = 100;

/** The failure that a call of several records has thrown. A record is dead or cancelled by a call of its own alone. */
export function asFailure(thrown: unknown): unknown {
  const kind = kindOf(thrown);
  if (kind !== 'dead' && kind !== 'cancel') return thrown;
  const { cause, message } = thrown as Error;
  if (cause instanceof Error && kindOf(cause) === undefined) return cause;
  return Object.assign(new Error(message, { cause: thrown }), { name: nameOf(thrown) });
}

/** The kind of a typed outcome; undefined: it is none, or throws when it is read. */
export function kindOf(thrown: unknown): unknown {
  try {
    return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, BRAND) : undefined;
  } catch {
    return undefined;
  }
}

/** The name of an error, cut; of another value its type. */
export function nameOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.name).slice(0, MAX_NAME_CHARACTERS) : typeof thrown;
  } catch {
    return typeof thrown;
  }
}
