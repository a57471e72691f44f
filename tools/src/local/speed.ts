import { count } from 'dynamo-backlog/overview';

/** Bounds and presets of the speed: seconds of the backlog that pass in a real one. */
export const SPEEDS = {
  least: 1,
  most: 100_000,
  /** Real time; an hour in six minutes; a minute in a second; an hour in ten; a day in a minute. */
  presets: [1, 10, 60, 360, 1_440],
} as const;

/** `2,500× asked, 312× now: this machine cannot keep up`. Undefined: the clock goes as it was asked to. */
export function slowedText({
  speed,
  askedSpeed,
}: {
  readonly speed: number;
  readonly askedSpeed?: number | undefined;
}): string | undefined {
  return askedSpeed === undefined
    ? undefined
    : `${count(askedSpeed)}× asked, ${count(speed)}× now: this machine cannot keep up`;
}

/** A speed that was typed. Undefined: it is none, or out of bounds. */
export function parseSpeed(text: string): number | undefined {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return speed >= SPEEDS.least && speed <= SPEEDS.most ? speed : undefined;
}
