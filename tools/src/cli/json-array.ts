import { decoded, MAX_LINE_CHARS, rawText, TOO_LONG, type Value } from './ndjson.js';

/** The characters that matter outside of strings, and within them: a string's end and escapes. */
const OUTSIDE = /["[\]{},]/g;
const INSIDE = /["\\]/g;

/**
 * The elements of a stream that is one JSON array, one at a time and never all at once, each as its text. Only brackets,
 * commas and strings are looked at: whether an element is JSON, its reader says. Text behind the array, and an array that
 * has no end, are a value with a `problem`, and so is an element that is not in UTF-8.
 */
export async function* readElements(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const scanner = new Scanner();
  let bytesRead = 0;
  let number = 0;
  const next = (raw: string | typeof TOO_LONG): Value => {
    number++;
    return raw === TOO_LONG ? { number, text: raw, bytesRead } : { number, ...decoded(raw), bytesRead };
  };
  for await (const chunk of stream) {
    bytesRead += chunk.byteLength;
    for (const raw of scanner.read(rawText(chunk))) yield next(raw);
  }
  const rest = scanner.end();
  if (rest !== undefined) yield { number: number + 1, ...rest, bytesRead };
}

class Scanner {
  #depth = 0;
  #inString = false;
  /** A backslash was the last character of what was read. */
  #escapes = false;
  #element = '';
  #isTooLong = false;
  #count = 0;
  #hasEnded = false;

  *read(text: string): Generator<string | typeof TOO_LONG> {
    let from = 0;
    let at = 0;
    if (this.#escapes) {
      if (text === '') return;
      this.#escapes = false;
      at = 1;
    }
    for (;;) {
      const pattern = this.#inString ? INSIDE : OUTSIDE;
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) break;
      at = found.index + 1;
      const char = found[0];
      if (char === '\\') {
        if (at === text.length) this.#escapes = true;
        at++;
      } else if (char === '"') this.#inString = !this.#inString;
      else if (this.#hasEnded) continue;
      else if (char === '{' || char === '[') {
        if (this.#depth++ === 0) from = at;
      } else if (char === ',') {
        if (this.#depth !== 1) continue;
        yield this.#take(text.slice(from, at - 1));
        from = at;
      } else if (--this.#depth === 0) {
        this.#add(text.slice(from, at - 1));
        // `[]` has none.
        const isEmpty = this.#count === 0 && !this.#isTooLong && this.#element.trim() === '';
        if (!isEmpty) yield this.#take('');
        this.#hasEnded = true;
        from = at;
      }
    }
    this.#add(text.slice(from));
  }

  /** Returns what is wrong with the end of the array; undefined: nothing. */
  end(): { readonly text: string; readonly problem: string } | undefined {
    const text = this.#element.trim();
    if (!this.#hasEnded) return { text, problem: 'the array has no "]": is the file cut off?' };
    return text === '' && !this.#isTooLong ? undefined : { text, problem: 'there is text behind the array' };
  }

  #take(text: string): string | typeof TOO_LONG {
    this.#add(text);
    const element = this.#isTooLong ? TOO_LONG : this.#element;
    this.#element = '';
    this.#isTooLong = false;
    this.#count++;
    return element;
  }

  #add(text: string): void {
    if (this.#isTooLong) return;
    this.#element += text;
    if (this.#element.length <= MAX_LINE_CHARS) return;
    this.#isTooLong = true;
    this.#element = '';
  }
}
