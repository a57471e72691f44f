import { EventEmitter } from 'node:events';

/** The stdin of a terminal, whose keys a test presses. */
export class FakeKeyboard extends EventEmitter {
  readonly isTTY = true;
  raw = false;
  flowing = false;

  setRawMode(raw: boolean): void {
    this.raw = raw;
  }

  setEncoding(): void {}

  resume(): void {
    this.flowing = true;
  }

  pause(): void {
    this.flowing = false;
  }

  /** Characters that come at once. */
  press(text: string): void {
    this.emit('data', text);
  }
}
