import { BRAND } from './brand.js';

/** The work can never succeed: the record is dead at once, and kept with this reason. */
export class Dead extends Error {
  /** Always `Dead`. */
  override readonly name = 'Dead';
  /** @hidden */
  readonly [BRAND] = 'dead';
  /**
   * @param reason why, in a few words; kept on the record as its `deadReason`
   * @param options `{ cause }`: the error behind it, whose name and message are kept as well
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** Dead before its handler was called, such as a payload that its schema refuses: it says nothing about the destination. */
export class Refused extends Dead {
  readonly untried = true;
}
