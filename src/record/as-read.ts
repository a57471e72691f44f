/** The key of what its store read of a record: a copy of the record has it, too, but its JSON does not. */
export const AS_READ: unique symbol = Symbol('asRead');

/**
 * The item of a record as its store had it when it was read: what the record is fenced by before the library's first
 * write. Only that store knows what is in it. Nothing that prints or serializes a record shows it.
 */
export class AsRead {
  readonly #stored: unknown;

  constructor(stored: unknown) {
    this.#stored = stored;
  }

  /** @throws TypeError if the record was not read by a store, or has been written by the library */
  static of({ [AS_READ]: asRead, id }: { readonly id: string; readonly [AS_READ]?: AsRead | undefined }) {
    if (asRead === undefined) throw new TypeError(`record ${id}: it is not known as what it was read`);
    return asRead.#stored;
  }
}
