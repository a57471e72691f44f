const MAX_CHARS = 90;

/** `fibonacci`, `list waits=[60,120]`: short enough for a legend. */
export function policyName(data: Readonly<Record<string, unknown>>): string {
  const { type, ...options } = data;
  const settings = Object.entries(options).map(([key, value]) => `${key}=${textOf(value)}`);
  const name = [textOf(type), ...settings].join(' ');
  return name.length <= MAX_CHARS ? name : `${name.slice(0, MAX_CHARS - 1)}…`;
}

function textOf(value: unknown): string {
  // JSON writes control characters and halves of characters as what can be read.
  const json = JSON.stringify(value);
  return typeof value === 'string' ? json.slice(1, -1) : json;
}
