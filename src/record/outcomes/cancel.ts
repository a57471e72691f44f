import { BRAND } from './brand.js';

/**
 * The work is not wanted any more: the record is given up with this reason. That is neither a failure nor a death that
 * sets off an alarm.
 */
export class Cancel extends Error {
  /** Always `Cancel`. */
  override readonly name = 'Cancel';
  /** @hidden */
  readonly [BRAND] = 'cancel';
  /**
   * @param reason why, in a few words; kept on the record as its `deadReason`, behind `cancelled: `
   * @param options `{ cause }`: the error behind it
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}
