import type { VirtualTime } from 'dynamo-backlog/engine';
import type { Arrival } from './arrivals.js';

/** Puts records at their times. Only the next one waits in the virtual time. */
export class Producer {
  private next = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly zero: number,
    private readonly arrivals: readonly Arrival[],
    private readonly insert: (arrival: Arrival) => void,
    /** Asked before each of them: no more is put from then on. */
    private readonly isOver: (arrival: Arrival) => boolean = () => false,
  ) {
    this.plan();
  }

  /** The number of records that have been put. */
  get put(): number {
    return this.next;
  }

  get isDone(): boolean {
    return this.next >= this.arrivals.length;
  }

  private plan(): void {
    const arrival = this.arrivals[this.next];
    if (!arrival) return;
    this.time.after(this.zero + arrival.at - this.time.now, () => {
      for (let due = this.arrivals[this.next]; due; due = this.arrivals[++this.next]) {
        if (this.zero + due.at > this.time.now) break;
        if (this.isOver(due)) this.next = this.arrivals.length;
        else this.insert(due);
      }
      this.plan();
    });
  }
}
