const AT = /^[ \t]+at /m;
/** The most that is read of a stack. */
const MAX_TEXT_CHARACTERS = 16_384;

/**
 * The lines that say where: what comes before them repeats the error's name and message, however long it is and
 * whatever is in it. A pattern that goes on over the ends of lines would take minutes for one of empty lines.
 */
export function stackOf(thrown: unknown): string | undefined {
  try {
    const { stack, name, message } = thrown as Error;
    if (typeof stack !== 'string') return undefined;
    // Only so much of it is looked through. It begins with the message, mostly behind the name, and they may be longer.
    const ends = stack.length > MAX_TEXT_CHARACTERS ? [message.length, message.length + name.length] : [0];
    const parts = ends.map((end) => stack.slice(end, end + MAX_TEXT_CHARACTERS));
    const part = parts.find((one) => AT.test(one));
    if (part === undefined) return undefined;
    const from = part.search(AT);
    const lines = part.slice(from).split('\n');
    return lines.map((line) => line.trim()).join('\n');
  } catch {
    return undefined;
  }
}
