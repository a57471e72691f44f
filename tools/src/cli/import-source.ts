import { ConfigurationError } from 'dynamo-backlog';
import { parseExactly } from './exact-json.js';
import { readElements } from './json-array.js';
import { MAX_LINE_CHARS, readLines, type Value } from './ndjson.js';

/** Values that an import reads, one at a time. */
export interface ImportSource {
  /** Unit that the values are counted by: the lines of a file, or the elements of a JSON array. */
  readonly unit: 'line' | 'element';
  readonly values: AsyncGenerator<Value>;
}

/**
 * Looks at the beginning of a source. NDJSON is read line by line; a source that is one JSON array, element by element.
 * A source with several lines, the first of which is a whole array, is NDJSON.
 *
 * @param name of the file, for the error
 * @throws ConfigurationError for a value over several lines, and for UTF-16
 */
export async function openValues(stream: AsyncIterable<Uint8Array>, name: string): Promise<ImportSource> {
  const chunks = stream[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  const decoder = new TextDecoder('utf-8');
  const beginning = new Beginning();
  let shape: Shape | undefined;
  while (shape === undefined) {
    const next = await chunks.next();
    if (!next.done) {
      head.push(next.value);
      beginning.add(decoder.decode(next.value, { stream: true }));
    }
    if (isUtf16(head[0])) throw new ConfigurationError(`${name} is UTF-16: ${encodeHint(name)}`);
    shape = beginning.shape(next.done === true);
  }
  if (shape === 'indented') throw new ConfigurationError(indentedText(name));
  async function* all() {
    yield* head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return shape === 'array'
    ? { unit: 'element', values: readElements(all()) }
    : { unit: 'line', values: readLines(all()) };
}

type Shape = 'lines' | 'array' | 'indented';

/** The first two lines of a source that are not blank. Each character is looked at a few times, in however many pieces it comes. */
class Beginning {
  readonly #lines: string[] = [];
  /** The first character that is no space, once there is one. */
  #first = '';
  /** The beginning of the line that may go on. */
  #rest = '';
  #characters = 0;
  #isWhole: boolean | undefined;

  add(text: string): void {
    this.#first ||= text.trimStart().charAt(0);
    if (this.#first !== '') this.#characters += text.length;
    const [start = '', ...others] = text.split('\n');
    this.#rest += start;
    for (const line of others) {
      this.#end();
      this.#rest = line;
    }
  }

  /** undefined: more of the source is needed to tell. */
  shape(isAll: boolean): Shape | undefined {
    const first = this.#first;
    if (first !== '' && first !== '[' && first !== '{') return 'lines';
    if (this.#characters > MAX_LINE_CHARS) return first === '[' ? 'array' : 'lines';
    if (isAll) this.#end();
    const [line, next] = this.#lines;
    if (line === undefined) return isAll ? 'lines' : undefined;
    this.#isWhole ??= isValue(line);
    if (first === '{' && this.#isWhole) return 'lines';
    if (first === '[' && !this.#isWhole) return 'array';
    if (next === undefined && !isAll) return undefined;
    if (first === '[') return next === undefined ? 'array' : 'lines';
    // A line that was cut off stands before lines that were not.
    return next !== undefined && isOpen(line) && !isObject(next) ? 'indented' : 'lines';
  }

  #end(): void {
    if (this.#lines.length < 2 && this.#rest.trim() !== '') this.#lines.push(this.#rest);
    this.#rest = '';
  }
}

/** Tells whether a bracket is open at the end of a line. */
function isOpen(line: string): boolean {
  let depth = 0;
  for (const [token, end] of line.matchAll(/"(?:[^"\\]|\\[\s\S])*\\?("|$)|[[\]{}]/g)) {
    if (end === '') return false;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
  }
  return depth > 0;
}

function isObject(line: string): boolean {
  return line.trimStart().startsWith('{') && isValue(line);
}

function isValue(line: string): boolean {
  try {
    parseExactly(line);
    return true;
  } catch {
    return false;
  }
}

function isUtf16(start: Uint8Array | undefined): boolean {
  const [one, two] = start ?? [];
  return (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff);
}

function encodeHint(name: string): string {
  return `expected UTF-8. Convert it first: iconv -f UTF-16 -t UTF-8 ${fileIn(name)}| backlog import -`;
}

function indentedText(name: string): string {
  return (
    `a record of ${name} takes several lines, expected one JSON value per line. Put each on a line of its own:\n` +
    `  jq -c . ${fileIn(name)}| backlog import -`
  );
}

/** Name of the file as an argument of a shell's command; a pipe needs none. */
function fileIn(name: string): string {
  if (name === 'stdin') return '';
  return /^[\w./-]+$/.test(name) ? `${name} ` : `'${name.replaceAll("'", "'\\''")}' `;
}
