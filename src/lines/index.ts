export type { Entry as LineEntry } from './line-page.js';
export type { RecordLine } from './line-view.js';
export type { LineName } from './names.js';
export type { HeldKeys } from './note-held.js';
export type { RecordLinesOptions } from './options.js';
export { type InsertLinesOptions, RecordLines } from './record-lines.js';
