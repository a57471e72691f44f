const MAX_CHARACTERS = 160;

/** Letters, digits, and what joins them in an id. */
const RUN = /[0-9a-z_-]+/gi;
const WORDS = /[0-9a-z]+(?:[-_][0-9a-z]+)*/gi;

const PARTS: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '{uuid}'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '{time}'],
  // Hashes, and ids with digits in them: order-118342, c-9, 7791-B. A status such as 503 stays: it names the cause.
  [RUN, (run) => (/\d/.test(run) && /[a-z_-]/i.test(run) ? run.replace(WORDS, '{id}') : run)],
  [/\b\d{4,}\b/g, '{n}'],
  [/\b\d+(?:\.\d+)?(?= ?(?:ms|s|min|h|KB|MB|bytes?)\b)/g, '{n}'],
];

/** A message with what differs from record to record replaced, so that messages of the same cause are the same. */
export function patternOf(message: string): string {
  const cut = message.slice(0, 4 * MAX_CHARACTERS);
  const replaced = PARTS.reduce(
    (text, [part, name]) => (typeof name === 'string' ? text.replace(part, name) : text.replace(part, name)),
    cut,
  );
  return replaced.replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);
}
