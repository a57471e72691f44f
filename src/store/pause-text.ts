/** Characters of the reason of a pause, and of the operator's name. */
export const MAX_PAUSE_TEXT = 200;

/** Characters that a terminal obeys, that reorder or break a line, or that are half a character. */
const TRICKS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Tells whether a value is a text that can be shown on one line as it is. */
export function isPauseText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_PAUSE_TEXT && !TRICKS.test(value)
  );
}
