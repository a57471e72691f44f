/** Version 00 of https://www.w3.org/TR/trace-context/#traceparent-header: neither id may be all zeros. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** The form that `isTraceparent` asks for, in the words of an error. */
export const TRACEPARENT_FORM =
  'a W3C traceparent such as "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"';

export function isTraceparent(value: unknown): value is string {
  return typeof value === 'string' && TRACEPARENT.test(value);
}

/**
 * The id of the trace in a `traceparent` of W3C.
 *
 * @param traceparent a valid one
 */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
