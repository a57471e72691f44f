/**
 * The default export of the module that `--redact` names: it returns what an operator sees of a payload in the console, and
 * in `backlog show` and `backlog list --json`.
 *
 *     const redact: RedactPayload = (payload, { queue }) =>
 *       queue === 'orders' ? { ...(payload as object), customer: '[hidden]' } : payload;
 *     export default redact;
 *
 * @param payload a copy of its own, as JSON has it: a set is an array, a binary value base64 text. A whole number that a
 *   double cannot hold is a `bigint`; such a fraction is an object with its text as `value`
 * @returns what is shown: anything that JSON can hold. Where it throws, or answers with nothing or a promise, the payload
 *   of that record is hidden
 */
export type RedactPayload = (
  payload: unknown,
  record: {
    /** The record's id. */
    readonly id: string;
    /** The record's queue. */
    readonly queue: string;
  },
) => unknown;
