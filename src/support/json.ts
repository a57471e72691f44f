/**
 * The payload as JSON. What DynamoDB has and JSON has not becomes its nearest: sets are arrays, binary values base64
 * text. Numbers keep all their digits, as `JSON.stringify` cannot do. An absent payload is `null`.
 */
export function jsonOf(payload: unknown): string {
  if (typeof payload === 'bigint') return payload.toString();
  if (typeof payload !== 'object' || payload === null) return JSON.stringify(payload) ?? 'null';
  if (payload instanceof Uint8Array) return JSON.stringify(Buffer.from(payload).toString('base64'));
  if (Array.isArray(payload) || payload instanceof Set) return `[${Array.from(payload, jsonOf).join(',')}]`;
  if (isPlain(payload)) {
    const entries = Object.entries(payload).filter(([, value]) => value !== undefined);
    return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
  }
  return exactNumber(payload) ?? JSON.stringify(payload);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reads a fraction of more digits than a number holds: the store gives an object with the text as `value`. */
function exactNumber(object: { value?: unknown }): string | undefined {
  const { value } = object;
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? value : undefined;
}
