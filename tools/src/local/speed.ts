/** Bounds and presets of the speed: seconds of the backlog that pass in a real one. */
export const SPEEDS = {
  least: 1,
  most: 100_000,
  /** Real time; an hour in six minutes; a minute in a second; an hour in ten; a day in a minute. */
  presets: [1, 10, 60, 360, 1_440],
} as const;

/** A speed that was typed. Undefined: it is none, or out of bounds. */
export function parseSpeed(text: string): number | undefined {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return speed >= SPEEDS.least && speed <= SPEEDS.most ? speed : undefined;
}
