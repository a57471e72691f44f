import { webcrypto } from 'node:crypto';

/** A source of numbers uniform in [0, 1). A test hands in one that it can repeat. */
export type Random = () => number;

/** Node's cryptographic random numbers. */
export const systemRandom: Random = () => {
  const [word = 0] = webcrypto.getRandomValues(new Uint32Array(1));
  return word / 2 ** 32;
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Eight characters, 48 bits: unique among the few writes that can meet on one record; short, as it is billed. */
export function randomToken(random: Random): string {
  let token = '';
  for (let i = 0; i < 8; i++) token += ALPHABET[Math.floor(random() * 64)];
  return token;
}

/** The values in random order. */
export function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  return values
    .map((value) => [random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}
