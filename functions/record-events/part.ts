/**
 * One of the works that the function does with a batch of the stream.
 *
 * @returns the sequence number of the first change that must come again. Undefined: none must
 */
export type Part = (input: unknown) => Promise<string | undefined>;
