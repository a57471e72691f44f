/** The mutes of alarms, by queue. Each method asks the place where the alarms are, and may throw. */
export interface QueueMutes {
  /** The end of the mute of a queue, and its words: `until 16:00 UTC, by ann, "the bank is down"`. Undefined: there is none. */
  read(queue: string): Promise<string | undefined>;
  /** Mutes the alarms of a queue, in place of an earlier mute, and says how many, until when. */
  mute(queue: string, options: QueueMute): Promise<string>;
  /** Has the alarms of a queue notify again, and says so. */
  unmute(queue: string): Promise<string>;
}

/** A mute as an operator has typed it. */
export interface QueueMute {
  /** Its end: `2h`, `16:00Z`, or a time with its date. */
  readonly until: string;
  /** The reason, for other operators. */
  readonly reason?: string | undefined;
  /** The operator's name. */
  readonly by?: string | undefined;
}

/** A mute has an end: this one, unless another is typed. */
export const DEFAULT_MUTE = '2h';
