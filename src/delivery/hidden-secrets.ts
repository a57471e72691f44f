import { withoutTrailing } from '../support/trailing.js';

/** The least length of a secret that is hidden. Shorter ones would hide too much of any text, and are easy to guess. */
const MIN_CHARACTERS = 4;
/** The greatest length of a piece. A longer secret is hidden in pieces: half of it is hidden, too, and patterns stay short. */
const MAX_CHARACTERS = 96;
/** Most characters that one character of a secret may come back as: `%25E2%2582%25AC` and the like. */
const MAX_CHARACTER = 20;
const HIDDEN = '[secret]';
const REPEATED = /(?:\[secret\]){2,}/g;

/** Hides what was sent in secret from what comes back. */
export interface HiddenSecrets {
  /** @param isWhole otherwise the text may end in the middle of a secret, and then without its beginning */
  hide(text: string, isWhole?: boolean): string;
  /** The number of characters that no form of any secret exceeds. */
  readonly longestForm: number;
}

/**
 * A receiver can send back what it was sent, and mostly in another form: as JSON, percent-encoded or decoded, in HTML,
 * in base64, in other case. Hidden are, of every secret of four characters and more,
 *
 *     - each character as it is, in upper or lower case, behind backslashes, as `\\u0041`, `%41` or `&#65;`, mixed as may be
 *     - what it comes to where it is itself percent-encoded, escaped as in JSON, or the base64 of a readable text
 *     - its base64, alone or in the middle of something else's, in the alphabet for URLs, too
 *
 * and nothing else: a hash of it, its parts, or two of these at once (the base64 of its percent-encoded form) are not.
 */
export function hiddenSecrets(secrets: Iterable<string>): HiddenSecrets | undefined {
  const all = new Set([...secrets].flatMap((secret) => [secret, ...decodedForms(secret)]).flatMap(piecesOf));
  // The longest first: of one that begins with another the rest would be left.
  const longEnough = [...all]
    .filter((secret) => secret.length >= MIN_CHARACTERS)
    .sort((a, b) => b.length - a.length);
  const [longest] = longEnough;
  if (longest === undefined) return undefined;
  let patterns: { readonly whole: RegExp; readonly begun: RegExp }[] | undefined;
  return {
    hide: (text, isWhole = true) => {
      patterns ??= longEnough.flatMap((secret) => [...base64Forms(secret), spelled(secret)]);
      const hidden = patterns.reduce((shorter, { whole }) => shorter.replace(whole, HIDDEN), text);
      const shown = isWhole ? hidden : patterns.reduce((rest, { begun }) => rest.replace(begun, ''), hidden);
      return shown.replace(REPEATED, HIDDEN);
    },
    longestForm: MAX_CHARACTER * longest.length,
  };
}

function piecesOf(secret: string): string[] {
  const count = Math.ceil(secret.length / MAX_CHARACTERS);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, i) => secret.slice(i * length, (i + 1) * length));
}

/** Decodes a secret that is percent-encoded, escaped as in JSON, or the base64 of a text. */
function decodedForms(secret: string): string[] {
  const forms = [
    attempt(() => decodeURIComponent(secret)),
    attempt(() => JSON.parse(`"${secret}"`) as string),
  ];
  if (/^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(secret)) {
    const text = Buffer.from(secret, 'base64').toString();
    // Such as the user name and the password of `Basic`.
    if (/^[ -~]+$/.test(text)) forms.push(text, text.slice(text.indexOf(':') + 1));
  }
  return forms.filter((form) => form !== undefined && form !== secret) as string[];
}

function attempt(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Each of its characters in any of its forms. */
function spelled(secret: string) {
  // Backslashes in a row are one: each may be doubled twice, and one by one they would fit in too many ways.
  const texts = Array.from(secret.matchAll(/\\+|./gsu), ([part]) => part);
  /** @param least how many of the backslashes of a row there are at least */
  const patternOf = (part: string, least: number) => {
    const code = part.codePointAt(0) ?? 0;
    const entityCode = `&#0{0,2}(?:${code}|x${code.toString(16)});`;
    if (part.startsWith('\\')) {
      const n = part.length;
      const coded = `(?:(?:%(?:25)?5c|\\\\{1,4}u005c|${entityCode}){${least},${n}})`;
      return `(?:${coded}|\\\\{${least},${4 * n}})`;
    }
    const percent = Array.from(Buffer.from(part), (byte) => `%(?:25)?${hex(byte, 2)}`).join('');
    const units = Array.from({ length: part.length }, (_, i) => `\\\\u${hex(part.charCodeAt(i), 4)}`).join(
      '',
    );
    const forms = [literal(part), percent, units, entityCode];
    const entity = ENTITIES[part];
    if (entity !== undefined) forms.unshift(entity);
    if (part === ' ') forms.push('\\+');
    return `\\\\{0,4}(?:${forms.join('|')})`;
  };
  const whole = texts.map((part) => patternOf(part, part.length)).join('');
  // A text can end in the middle of a row.
  const parts = texts.map((part) => ({ pattern: patternOf(part, 1), characters: part.length }));
  return { whole: new RegExp(whole, 'gi'), begun: begun(parts, HALF_A_CHARACTER, 'i') };
}

const HALF_A_CHARACTER = '(?:\\\\{0,4}(?:u[0-9a-f]{0,3})?|%(?:25?)?[0-9a-f]?|&[#a-z0-9]{0,6})';

/** One or two characters at the end of a text say nothing. */
const MIN_BEGUN = 3;

interface Part {
  readonly pattern: string;
  /** The number of characters of the secret that it stands for. */
  readonly characters: number;
}

/** Matches the beginning of a secret at the end of a text. */
function begun(parts: readonly Part[], half: string, flags: string): RegExp {
  let characters = 0;
  const needed = parts.findIndex((part) => {
    characters += part.characters;
    return characters >= MIN_BEGUN;
  });
  const all = parts.map(({ pattern }) => pattern);
  const first = all.slice(0, needed + 1).join('');
  const rest = all.slice(needed + 1).reduceRight((behind, part) => `(?:${part}${behind})?`, '');
  return new RegExp(`${first}${rest}${half}$`, flags);
}

/** Patterns of a secret's base64, alone or inside other text: one for each place that a byte can have in a group of three. */
function base64Forms(secret: string) {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const coded = withoutTrailing(Buffer.concat([Buffer.alloc(before), bytes]).toString('base64'), '=');
    const bits = 8 * (before + bytes.length);
    // The characters at its ends hold bits of its neighbours, too.
    const own = coded.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    const first = before === 0 ? '' : '[A-Za-z0-9+/_-]?';
    const last = bits % 6 === 0 ? '' : '[A-Za-z0-9+/_-]?';
    const parts = Array.from(own, (character) => {
      if (character === '+') return '(?:[+-]|%2[Bb])';
      return character === '/' ? '(?:\\\\?/|_|%2[Ff])' : character;
    });
    const whole = new RegExp(`${first}${parts.join('')}${last}(?:=|%3[Dd]){0,2}`, 'g');
    const begunParts = parts.map((pattern) => ({ pattern, characters: 1 }));
    return { whole, begun: begun(begunParts, '(?:%2?)?', '') };
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
