/** How an action is spoken of. */
export interface Verbs {
  /** `Redrive` 12 records? */
  readonly ask: string;
  /** 12 records `redriven` */
  readonly done: string;
}

export function plural(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}
