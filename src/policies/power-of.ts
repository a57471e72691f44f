/**
 * `base ** exponent` for whole exponents, by squaring: to the last bit the same on every machine. V8's own power
 * function is not: that of Node 24 rounds differently from that of Node 22.
 */
export function powerOf(base: number, exponent: number): number {
  let power = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power *= square;
    square *= square;
  }
  return power;
}
