/** How an action is spoken of. */
export interface Verbs {
  /** `Redrive` 12 records? */
  readonly ask: string;
  /** 12 records `redriven` */
  readonly done: string;
}
