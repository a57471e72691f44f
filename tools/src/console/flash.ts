import { randomBytes } from 'node:crypto';
import type { Flash } from './layout.js';

const MAX_NOTES = 100;

/**
 * Results of actions, for the page after them. The address has only a random name of the note: a link that others made
 * cannot put words into the console's mouth.
 */
export class FlashNotes {
  private readonly notes = new Map<string, Flash>();

  /** Keeps a note, and gives its name. */
  write(note: Flash): string {
    const name = randomBytes(9).toString('base64url');
    this.notes.set(name, note);
    for (const oldest of this.notes.keys()) {
      if (this.notes.size <= MAX_NOTES) break;
      this.notes.delete(oldest);
    }
    return name;
  }

  read(name: string | undefined): Flash | undefined {
    return name === undefined ? undefined : this.notes.get(name);
  }
}
