import { describe, expect, it } from 'vitest';
import type { BacklogOperator } from '../../src/operate/index.js';
import type { LeaseHold } from '../../src/store/index.js';
import { type RaceStore, sceneIn, TIERS, type World } from './race-world.js';

export function operatorRaces(name: string, current: () => RaceStore): void {
  const scene = sceneIn(current);

  describe(`on ${name}, an action during an attempt`, () => {
    it.each<[string, (operator: BacklogOperator, id: string) => Promise<{ changed: number }>, object]>([
      ['discard', (operator, id) => operator.discard(id), { status: 'DEAD', deadReason: 'discarded' }],
      ['snooze', (operator, id) => operator.snooze(id, { delay: '1h' }), { status: 'NEW' }],
      ['edit', (operator, id) => operator.editPayload(id, { payload: 2 }), { status: 'NEW', payload: 2 }],
      [
        'a new policy',
        (operator, id) => operator.changePolicy(id, { retry: { type: 'none' } }),
        { status: 'NEW', retry: { type: 'none' } },
      ],
    ])('that writes first wins: %s', (_, act, left) =>
      scene(async (its) => {
        await its.put();
        const summary = await its.run(async ({ id }) => {
          expect(await act(its.operator(), id)).toMatchObject({ changed: 1 });
        });
        expect(summary).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
        expect(await its.item()).toMatchObject(left);
        expect(await its.item()).not.toHaveProperty('attempts');
      })(),
    );

    it(
      'that comes second looks and decides again',
      scene(async (its) => {
        await its.put();
        let writes = 0;
        const store = its.between({
          'records.change': async () => {
            if (writes++ === 0) await its.run(() => Promise.reject(new Error('no')));
          },
        });
        expect(await its.operator(store).snooze(its.id(), { delay: '1h' })).toMatchObject({ changed: 1 });
        expect(await its.item()).toMatchObject({ status: 'ERROR', failures: 1, dueAt: its.iso(3600) });
        expect(writes).toBe(2);
      }),
    );

    it(
      'that comes second leaves alone what has succeeded meanwhile',
      scene(async (its) => {
        await its.put();
        const store = its.between({ 'records.change': () => its.run() });
        const result = await its.operator(store).discard({ queue: its.queue, status: 'NEW' });
        expect(result).toMatchObject({ changed: 0, skipped: { changedMeanwhile: 1 } });
        expect(await its.item()).toMatchObject({ status: 'SUCCESS' });
      }),
    );

    it(
      'cannot make it be attempted twice: retry now waits for the lane’s lease',
      scene(async (its) => {
        await its.put();
        await its.run(async ({ id }) => {
          if (its.attempts.length > 1) return;
          await its.operator().snooze(id, { delay: '1h' });
          expect(await its.operator().runNow(id)).toMatchObject({ changed: 1 });
          expect(await its.run()).toMatchObject({ attempted: 0, ended: 'leaseHeld' });
        });
        expect(await its.run()).toMatchObject({ attempted: 0 });
        expect(its.attempts).toHaveLength(2);
        expect(await its.item()).toMatchObject({ status: 'SUCCESS', attempts: 1 });
      }),
    );

    it(
      'removes it permanently: the attempt’s end does not bring it back',
      scene(async (its) => {
        await its.put();
        const summary = await its.run(async ({ id }) => {
          expect(await its.operator().discard(id, { delete: true })).toMatchObject({ changed: 1 });
        });
        expect(summary).toMatchObject({ attempted: 1, unsettled: 1 });
        expect(await its.item()).toEqual({});
      }),
    );
  });

  describe(`on ${name}, a record that was discarded during its attempt`, () => {
    it.each([
      ['into its own queue, where another tier would take it', false],
      ['into another queue', true],
    ])('is not redriven %s before that is over', (_, moved) =>
      scene(async (its) => {
        const options = moved ? { queue: its.elsewhere } : {};
        await its.put({ insertedAt: its.iso(-100_000), dueAt: its.iso(-100_000) });
        const [young, old] = TIERS;
        await its.run(
          async ({ id }) => {
            await its.operator().discard(id);
            expect(await its.operator().redrive(id, options)).toMatchObject({ skipped: { inFlight: 1 } });
            await its.run(undefined, { band: young });
            await its.run(undefined, { queue: its.elsewhere });
          },
          { band: old },
        );
        expect(its.attempts).toHaveLength(1);
        expect(await its.operator().redrive(its.id(), options)).toMatchObject({ changed: 1 });
        expect(await its.item()).toMatchObject({ status: 'NEW', dueAt: its.iso() });
        expect(await its.item()).not.toHaveProperty('notBefore');
      })(),
    );

    it(
      'set to DEAD by hand, it stays so, and is not redriven either',
      scene(async (its) => {
        await its.put();
        await its.run(async ({ id }) => {
          await current().put({ ...(await its.item()), status: 'DEAD' });
          expect(await its.operator().redrive(id, { queue: its.elsewhere })).toMatchObject({
            skipped: { inFlight: 1 },
          });
        });
        expect(await its.item()).toMatchObject({ status: 'DEAD' });
      }),
    );

    it(
      'set to DEAD by hand and discarded, is not redriven into another queue while it is under attempt',
      scene(async (its) => {
        await its.put();
        await its.run(async ({ id }) => {
          await current().put({ ...(await its.item()), status: 'DEAD' });
          expect(await its.operator().discard(id)).toMatchObject({ changed: 1 });
          expect(await its.operator().redrive(id, { queue: its.elsewhere })).toMatchObject({
            skipped: { inFlight: 1 },
          });
        });
        expect(await its.item()).toMatchObject({ status: 'DEAD' });
      }),
    );
  });

  describe(`on ${name}, a record that is not indexed yet`, () => {
    const bare = (its: World) => ({ lane: undefined, dueAt: undefined, rev: undefined, queue: its.queue });

    it(
      'is not touched while it is under attempt on arrival',
      scene(async (its) => {
        await its.put(bare(its));
        const summary = await its.run(
          async ({ id }) => {
            const operator = its.operator();
            for (const acting of [
              operator.snooze(id, { delay: '1h' }),
              operator.runNow(id),
              operator.discard(id),
              operator.editPayload(id, { payload: 2 }),
              operator.move(id, { queue: its.elsewhere }),
            ])
              expect(await acting).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
          },
          { arrivals: [its.id()] },
        );
        expect(summary).toMatchObject({ succeeded: 1, unsettled: 0 });
      }),
    );

    it(
      'set to DEAD by hand, is not redriven while it is under attempt on arrival',
      scene(async (its) => {
        await its.put(bare(its));
        await its.run(
          async ({ id }) => {
            await current().put({ ...(await its.item()), status: 'DEAD' });
            expect(await its.operator().discard(id)).toMatchObject({ skipped: { inFlight: 1 } });
            expect(await its.operator().redrive(id)).toMatchObject({ skipped: { inFlight: 1 } });
          },
          { arrivals: [its.id()] },
        );
      }),
    );

    it(
      'is indexed with the action, and is not attempted on arrival any more',
      scene(async (its) => {
        await its.put(bare(its));
        expect(await its.operator().snooze(its.id(), { delay: '1h' })).toMatchObject({ changed: 1 });
        expect(await its.item()).toMatchObject({ lane: its.queue, dueAt: its.iso(3600) });
        expect(await its.run(undefined, { arrivals: [its.id()] })).toMatchObject({ attempted: 0 });
      }),
    );

    it(
      'is not attempted on arrival while an action is at work on it',
      scene(async (its) => {
        await its.put(bare(its));
        const store = its.between({
          'records.change': async () => {
            expect(await its.run(undefined, { arrivals: [its.id()] })).toMatchObject({ attempted: 0 });
          },
        });
        expect(await its.operator(store).editPayload(its.id(), { payload: 2 })).toMatchObject({ changed: 1 });
        expect(its.attempts).toEqual([]);
      }),
    );
  });

  describe(`on ${name}, a move to another queue`, () => {
    it(
      'of a record whose queue no run is at work on is due there as it was, at once',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put();
        const before = await its.item();
        expect(await its.operator().move(its.id(), { queue: to })).toMatchObject({ changed: 1, delayed: 0 });
        expect(await its.item()).toEqual({ ...before, queue: to, lane: to, rev: expect.any(String) });
        expect(await its.run()).toMatchObject({ attempted: 0 });
        expect(await its.run(undefined, { queue: to })).toMatchObject({ succeeded: 1 });
      }),
    );

    it(
      'during its attempt leaves it due when that must be over, and fences its outcome off',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put();
        const summary = await its.run(async ({ id }) => {
          expect(await its.operator().move(id, { queue: to })).toMatchObject({ changed: 1, delayed: 1 });
          const { dueAt, notBefore } = await its.item();
          expect(dueAt).toBe(its.iso(900));
          expect(notBefore).toEqual({ lane: its.queue, until: its.iso(900) });
          expect(await its.run(undefined, { queue: to })).toMatchObject({ attempted: 0 });
          for (const acting of [
            its.operator().runNow(id),
            its.operator().move(id, { queue: its.queue }),
            its.operator().move(id, { queue: 'third' }),
          ])
            expect(await acting).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
        });
        expect(summary).toMatchObject({ attempted: 1, unsettled: 1 });
        expect(await its.operator().runNow(its.id())).toMatchObject({ changed: 1 });
        expect(await its.run(undefined, { queue: to })).toMatchObject({ succeeded: 1 });
      }),
    );

    it(
      'during its attempt does not attempt it twice at once, where a person brings its due time forward as well',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put();
        await its.run(async ({ id }) => {
          await its.operator().move(id, { queue: to });
          await current().put({ ...(await its.item()), dueAt: its.iso() });
          await its.run(undefined, { queue: to });
        });
        expect(its.attempts).toHaveLength(1);
        expect(await its.operator().runNow(its.id())).toMatchObject({ changed: 1 });
        expect(await its.run(undefined, { queue: to })).toMatchObject({ succeeded: 1 });
      }),
    );

    it(
      'during its attempt by an old tier is not due by a young one either',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put({ insertedAt: its.iso(-100_000), dueAt: its.iso(-100_000) });
        await its.run(
          async ({ id }) => {
            expect(await its.operator().move(id, { queue: to })).toMatchObject({ delayed: 1 });
            await its.run(undefined, { queue: to, band: TIERS[0] });
            await its.run(undefined, { queue: to, band: TIERS[1] });
          },
          { band: TIERS[1] },
        );
        expect(its.attempts).toHaveLength(1);
      }),
    );

    it(
      'is brought forward by run-now as soon as the run in its previous queue is over',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put();
        await its.put({ dueAt: its.iso(-50) }, 'beside');
        await its.run(
          async ({ id }) => {
            if (id !== its.id('r')) return;
            expect(await its.operator().move(its.id('beside'), { queue: to })).toMatchObject({ delayed: 1 });
          },
          { concurrency: 1 },
        );
        expect(await its.run(undefined, { queue: to })).toMatchObject({ attempted: 0 });
        expect(await its.operator().runNow(its.id('beside'))).toMatchObject({ changed: 1 });
        expect(await its.run(undefined, { queue: to })).toMatchObject({ succeeded: 1 });
      }),
    );

    it(
      'of a record that a run has read, and names in no journal yet, is not due before that attempt is over',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        // It has lost a worker: its attempt comes last, behind the journals of other pages.
        const lastError = { name: 'WorkerLost', message: '', at: its.iso(), attempt: 1 };
        await its.put({ status: 'ERROR', attempts: 1, failures: 1, dueAt: its.iso(-70), lastError });
        for (let i = 0; i < 3; i++) await its.put({ dueAt: its.iso(-60 + i) }, `r${i}`);
        const journals: (readonly string[])[] = [];
        const store = its.between({
          'leases.hold': async (_key: string, { ids, begun }: LeaseHold) => {
            if (begun)
              expect(await its.operator().move(its.id(), { queue: to })).toMatchObject({ delayed: 1 });
            journals.push(ids);
          },
        });
        await its.run(
          async ({ id }) => {
            if (id === its.id()) await its.run(undefined, { queue: to });
          },
          { store, concurrency: 1 },
        );
        expect(journals.map((ids) => ids.includes(its.id()))).toEqual([true, false, true]);
        expect(its.attempts).toHaveLength(4);
      }),
    );

    it(
      'of a record whose attempt begins behind a renewal of the lease is not due before that is over',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        // The limit of outcomes on their way to the store, with which further attempts begin.
        for (let i = 0; i < 50; i++) await its.put({ dueAt: its.iso(-70) }, `slow-${i}`);
        await its.put();
        const store = its.between({
          'records.settle': async ({ id }: { id: string }) => {
            if (id !== its.id()) await its.clock.sleep(61_000);
          },
        });
        await its.run(
          async ({ id }) => {
            if (id !== its.id()) return;
            const lease = (await its.leases()).get(its.queue);
            // Behind a renewal, what has not begun is journalled once more.
            expect(lease?.ids).toEqual([its.id()]);
            expect(await its.operator().move(id, { queue: to })).toMatchObject({ delayed: 1 });
            await its.run(undefined, { queue: to });
          },
          { store, concurrency: 1, attemptTimeout: 1 },
        );
        expect(its.attempts).toHaveLength(51);
      }),
    );

    it(
      'of a dead record changes its queue, and leaves it dead',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put({ status: 'DEAD', lane: `${its.queue}/dead`, deadReason: 'expired' });
        const before = await its.item();
        expect(await its.operator().move(its.id(), { queue: to })).toMatchObject({ changed: 1, delayed: 0 });
        expect(await its.item()).toEqual({
          ...before,
          queue: to,
          lane: `${to}/dead`,
          rev: expect.any(String),
        });
      }),
    );

    it(
      'of one that is due later leaves it due then',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put({ dueAt: its.iso(7200) });
        await its.operator().move(its.id(), { queue: to });
        expect(await its.item()).toMatchObject({ lane: to, dueAt: its.iso(7200) });
        expect(await its.item()).not.toHaveProperty('notBefore');
      }),
    );

    it(
      'that ends half-way leaves it due in a quarter of an hour',
      scene(async (its) => {
        const to = `${its.queue}-to`;
        await its.put();
        const store = its.between({
          'leases.readAll': () => {
            throw new Error('killed');
          },
        });
        await its
          .operator(store)
          .move(its.id(), { queue: to })
          .catch(() => {});
        expect(await its.item()).toMatchObject({ lane: to, dueAt: its.iso(900) });
        expect(await its.run(undefined, { queue: to })).toMatchObject({ attempted: 0 });
        await its.clock.sleep(900_000);
        expect(await its.run(undefined, { queue: to })).toMatchObject({ succeeded: 1 });
      }),
    );
  });
}
