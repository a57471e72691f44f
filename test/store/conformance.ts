import { afterAll, beforeAll, describe } from 'vitest';
import { claimingArrivals } from './conformance/arrivals.js';
import { keepingGroups } from './conformance/groups.js';
import { insertingAndReading } from './conformance/inserting.js';
import { insertingNumbered } from './conformance/inserting-numbered.js';
import { keepingJobs } from './conformance/jobs.js';
import { keepingKeySlots } from './conformance/key-slots.js';
import { keepingLeases } from './conformance/leases.js';
import { listing } from './conformance/listing.js';
import { operating } from './conformance/operating.js';
import { queryingDue } from './conformance/query-due.js';
import { keepingQueues } from './conformance/queues.js';
import { registering } from './conformance/registering.js';
import { settling } from './conformance/settling.js';
import { settlingTogether } from './conformance/settling-together.js';
import { sweeping } from './conformance/sweeping.js';
import type { StoreUnderTest } from './conformance/under-test.js';

export type { StoreUnderTest } from './conformance/under-test.js';

/** Tests that every store must pass. */
export function storeConformance(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let underTest: StoreUnderTest;
    beforeAll(async () => {
      underTest = await makeStore();
    });
    afterAll(() => underTest?.close());
    const current = () => underTest;

    describe('inserting and reading', () => insertingAndReading(current));
    describe('settling', () => settling(current));
    describe('settling at the same time', () => settlingTogether(current));
    describe('querying what is due', () => queryingDue(current));
    describe('listing', () => listing(current));
    describe('leases', () => keepingLeases(current));
    describe('claims of arrivals', () => claimingArrivals(current));
    describe('queues', () => keepingQueues(current));
    describe('slots of keys', () => keepingKeySlots(current));
    describe('owners of queues', () => registering(current));
    describe('jobs of operators', () => keepingJobs(current));
    describe('inserting with numbers', () => insertingNumbered(current));
    describe('groups', () => keepingGroups(current));
    describe('what operators do', () => operating(current));
    describe('the search for records that are not indexed', () => sweeping(current));
  });
}
