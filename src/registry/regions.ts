import type { ActiveRegion, BacklogStore } from '../store/store.js';

/** The region of a function, and the one that its deployment names as primary. */
export interface Place {
  /** The function's own region, such as `eu-central-1`. Undefined: it is not known, as on a developer's machine. */
  readonly region?: string | undefined;
  /** Active until an operator makes another one so. Undefined: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
}

/**
 * Tells whether another region's functions attempt the records: then these must leave all of them alone. Reads the control table,
 * unless the backlog is in one region.
 *
 * @param now the backlog's time, epoch milliseconds
 * @throws StoreError
 */
export async function isPassive(
  place: Place,
  store: Pick<BacklogStore, 'activeRegion'>,
  now: number,
): Promise<boolean> {
  const { region, primaryRegion } = place;
  if (region === undefined || primaryRegion === undefined) return false;
  return isPassiveBy(await store.activeRegion.read(), place, now);
}

/** The same, by what an operator has written. */
export function isPassiveBy(
  active: ActiveRegion | undefined,
  { region, primaryRegion }: Place,
  now: number,
): boolean {
  if (region === undefined || primaryRegion === undefined) return false;
  return active ? active.region !== region || now < active.from : primaryRegion !== region;
}

/** Tells whether a function is in another region, as far as its ARN says. */
export function isElsewhere(arn: string | undefined, region: string | undefined): boolean {
  const [, , , other = ''] = arn?.split(':') ?? [];
  return region !== undefined && other !== '' && other !== region;
}
