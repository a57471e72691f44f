/** `HTTP 503`, `status code 503`, `answered 503`: as the HTTP delivery, fetch, axios and handlers write it. */
const STATUS_WORD =
  /\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?|response code|answered|returned|responded)(?: with)?[ :=]{1,3}([3-5]\d\d)\b/i;
/** `503`, `503: down`, `503 Service Unavailable`. */
const STATUS_FIRST = /^([3-5]\d\d)(?=$|:| [A-Z])/;

/** The HTTP status of an answer, from 300 to 599, as an error's message has it; undefined: it has none. */
export function httpStatusOf(message: string): number | undefined {
  const status = (STATUS_FIRST.exec(message) ?? STATUS_WORD.exec(message))?.[1];
  return status === undefined ? undefined : Number(status);
}
