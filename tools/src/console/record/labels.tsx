/** A stretch of a picture, in its units. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A text of a picture, and where it may stand. */
export interface Label {
  readonly text: string;
  readonly x: number;
  /** The height of its base line. */
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly class?: string;
}

/** The width of a character, about that of 11 px in the widest of the usual fonts. */
const CHARACTER = 6.4;
const ASCENT = 9;
const DESCENT = 3;
/** The gap between two texts of a line, so that they do not read as one. */
const GAP = 6;

/** Finds free places for the texts of a picture: none is cut off at an edge, or stands on another thing. */
export class Room {
  private readonly taken: Box[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  /** Takes the stretch between two points: a line, or what is there. @param around how much more, on each side */
  take(x1: number, y1: number, x2: number, y2: number, around = 1): void {
    this.taken.push({
      left: Math.min(x1, x2) - around,
      right: Math.max(x1, x2) + around,
      top: Math.min(y1, y2) - around,
      bottom: Math.max(y1, y2) + around,
    });
  }

  /** Gives the first of the places that is free, and takes it. Undefined: none is. */
  place(...places: readonly Label[]): Label | undefined {
    const found = places.find((label) => this.isFree(boxOf(label)));
    if (found) {
      const { left, right, ...box } = boxOf(found);
      this.taken.push({ ...box, left: left - GAP, right: right + GAP });
    }
    return found;
  }

  private isFree(box: Box): boolean {
    const isInside = box.left >= 0 && box.right <= this.width && box.top >= 0 && box.bottom <= this.height;
    return isInside && !this.taken.some((other) => overlap(box, other));
  }
}

function boxOf({ text, x, y, anchor = 'start' }: Label): Box {
  const width = text.length * CHARACTER;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - ASCENT, bottom: y + DESCENT };
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** The texts that have found a place. */
export function Labels({ of }: { of: readonly (Label | undefined)[] }) {
  return (
    <>
      {of.map((label) =>
        label ? (
          <text class={label.class} x={label.x.toFixed(1)} y={label.y.toFixed(1)} text-anchor={label.anchor}>
            {label.text}
          </text>
        ) : null,
      )}
    </>
  );
}
