import fc from 'fast-check';

/** Any JSON but numbers that DynamoDB cannot hold. Names have this number of characters, or more. */
function jsonWith(minName: number): fc.Arbitrary<unknown> {
  const name = fc.string({ unit: 'binary', minLength: minName });
  return fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'large', maxDepth: 8 },
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.integer().map((cents) => cents / 100),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json')),
      fc.dictionary(name, tie('json')),
    ),
  })).json;
}

/**
 * Payloads as webhooks have them, by id: deep, with text of all scripts, up to 32 KB; the same at every run.
 *
 * @param minName characters of a name. DynamoDB Local refuses one of none
 */
export function webhookPayloads(count: number, minName: 0 | 1): ReadonlyMap<string, unknown> {
  return new Map(
    fc.sample(jsonWith(minName), { seed: 3, numRuns: count }).map((value, i) => [
      `event/${i}.opened`,
      {
        value,
        padding: 'ä€😀'.repeat(i % 10 === 0 ? 3_600 : i),
        list: Array.from({ length: i % 7 }, (_, n) => ({ n })),
      },
    ]),
  );
}
