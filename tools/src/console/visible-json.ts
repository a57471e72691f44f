import { indentJson } from '../cli/show.js';

/** Marks that turn the direction of what follows, by which a text can look like another one. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** JSON over several lines. Marks that would turn the direction of a line are escapes, so the same JSON is read. */
export function visibleJson(json: string): string {
  return indentJson(json).replace(TURNS, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}
