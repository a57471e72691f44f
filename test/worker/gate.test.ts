import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { Gate } from '../../src/worker/guards/gate.js';
import type { Guard } from '../../src/worker/guards/guard.js';

const RECORD = { id: 'a' } as Parameters<Gate['enter']>[0];
const TURN = { attemptsLeft: 1, mayBegin: () => true };

/** A gate with a guard before which time is up after so many seconds, and others behind it. */
function gateUntil(seconds: number, behind: (time: VirtualTime) => readonly Guard[]) {
  const time = new VirtualTime(0);
  const clock = time.clock();
  const limit: Guard = { covers: (at) => Math.max(at, clock.wall()) < seconds * 1000 };
  const gate = new Gate([limit, ...behind(time)], clock);
  return { enter: () => time.until(gate.enter(RECORD, TURN)) };
}

describe('a record that has passed all guards', () => {
  it('is late where they have waited for too long, and none of them is asked whether it holds', async () => {
    const asked: string[] = [];
    const gate = gateUntil(5, (time) => [
      {
        enter: () => ({
          holds: () => Boolean(asked.push('holds')),
          abandon: () => void asked.push('abandon'),
        }),
      },
      {
        enter: () =>
          time
            .clock()
            .sleep(6_000)
            .then(() => ({})),
      },
    ]);
    expect(await gate.enter()).toBe('late');
    expect(asked).toEqual(['abandon']);
  });

  it('is late where the answer whether they hold comes too late', async () => {
    const gate = gateUntil(5, (time) => [
      {
        enter: () => ({
          holds: () =>
            time
              .clock()
              .sleep(6_000)
              .then(() => true),
        }),
      },
    ]);
    expect(await gate.enter()).toBe('late');
  });

  it('waits where one of them does not hold any more, and all is given back', async () => {
    const given: string[] = [];
    const guard = (name: string, holds: boolean): Guard => ({
      enter: () => ({ holds: async () => holds, abandon: () => void given.push(name) }),
    });
    const gate = gateUntil(5, () => [guard('first', true), guard('second', false), guard('third', true)]);
    expect(await gate.enter()).toBe('deferred');
    expect(given).toEqual(['third', 'second', 'first']);
  });
});
