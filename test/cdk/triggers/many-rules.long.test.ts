import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { grouped } from '../../../cdk/triggers/groups.js';
import { eventsIn } from '../../../functions/event.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import { backlogWith, newStack, propertiesOf } from '../support.js';

const PER_RECORD: QueueProps = { retry: { type: 'fibonacci' }, worker: 'all' };
const PROGRESSIVE: QueueProps = { progressive: true, worker: 'all' };

const namesOf = (count: number, prefix = 'customer') =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const queuesOf = (names: readonly string[], props: QueueProps | ((name: string) => QueueProps)) =>
  Object.fromEntries(names.map((name) => [name, typeof props === 'function' ? props(name) : props]));

interface Turn {
  readonly schedule: string;
  readonly event: {
    readonly queue?: string;
    readonly queues?: Readonly<Record<string, number>>;
    readonly tier?: { readonly number: number; readonly every: number };
    readonly catchUp?: readonly object[];
    readonly part?: { readonly number: number; readonly of: number };
  };
  readonly input: string;
}

/** All queues share one imported function: how many settings fit into the environment of others is another question. */
function synthesized(props: BacklogProps) {
  const stack = newStack();
  const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:all';
  const handler = LambdaFunction.fromFunctionAttributes(stack, 'All', {
    functionArn: arn,
    sameEnvironment: true,
  });
  const backlog = new Backlog(stack, 'Backlog', {
    alarms: 'essential',
    metrics: 'off',
    intake: false,
    workers: { all: { handler } },
    ...props,
  });
  return { backlog, stack, template: Template.fromStack(stack) };
}

/** The targets of all rules, or all schedules, that start a function of queues. */
function turnsOf(template: Template): Turn[] {
  const rules = propertiesOf(template, 'AWS::Events::Rule').flatMap(({ ScheduleExpression, Targets }) =>
    Targets.map(({ Input }: { Input: string }) => ({ schedule: ScheduleExpression, input: Input })),
  );
  const schedules = propertiesOf(template, 'AWS::Scheduler::Schedule').map(
    ({ ScheduleExpression, Target }) => ({ schedule: ScheduleExpression, input: Target.Input as string }),
  );
  return [...rules, ...schedules]
    .map(({ schedule, input }) => ({ schedule, input, event: JSON.parse(input) }))
    .filter(({ event }) => event.queue !== undefined || event.queues !== undefined);
}

const queuesIn = ({ event }: Turn) => Object.keys(event.queues ?? {});
/** The number of turns of each queue. */
const turnsByQueue = (turns: readonly Turn[]) => {
  const counts: Record<string, number> = {};
  for (const queue of turns.flatMap(queuesIn)) counts[queue] = (counts[queue] ?? 0) + 1;
  return counts;
};

describe('groups by the hashes of names', () => {
  const fits = ({ length }: readonly string[]) => length <= 20;
  const of = (names: readonly string[]) => grouped(names, (name) => name, fits);

  it('hold each name once, and no more than fit', () => {
    const names = namesOf(200);
    const groups = of(names);
    expect(groups.flatMap(({ items }) => items).sort()).toEqual([...names].sort());
    expect(Math.max(...groups.map(({ items }) => items.length))).toBeLessThanOrEqual(20);
    expect(groups.length).toBeLessThanOrEqual(24);
  });

  it('stay as they are for a name more or less: one of them changes, or is halved', () => {
    const names = namesOf(200);
    const textsOf = (some: readonly string[]) =>
      new Set(of(some).map(({ bits, items }) => `${bits}: ${[...items].sort().join(' ')}`));
    const before = textsOf(names);
    for (const changed of [[...names, 'a-new-one'], names.slice(1), [...names].reverse().slice(1)]) {
      expect([...textsOf(changed)].filter((text) => !before.has(text)).length).toBeLessThanOrEqual(2);
    }
    expect(textsOf([...names].reverse())).toEqual(before);
  });

  it('end, too, where nothing fits', () => {
    const same = grouped(
      ['a', 'a'],
      (name) => name,
      () => false,
    );
    expect(same.map(({ items }) => items)).toEqual([['a', 'a']]);
  });
});

describe('a function with more than 40 rules', () => {
  it('shares them: 200 queues that retry per record and 200 progressive ones', () => {
    const queues = {
      ...queuesOf(namesOf(200, 'orders'), PER_RECORD),
      ...queuesOf(namesOf(200, 'bulk'), PROGRESSIVE),
    };
    const { template } = synthesized({ queues });
    const rules = propertiesOf(template, 'AWS::Events::Rule');
    expect(rules.length).toBeLessThan(50);
    for (const { Targets } of rules) expect(Targets.length).toBeLessThanOrEqual(5);
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(250);
    const turns = turnsOf(template);
    expect(turnsByQueue(turns)).toEqual({
      ...queuesOf(namesOf(200, 'orders'), 1 as never),
      ...queuesOf(namesOf(200, 'bulk'), 6 as never),
    });
    expect(Math.max(...turns.map((turn) => queuesIn(turn).length))).toBeLessThanOrEqual(20);
    const own = synthesized({ queues: { one: PROGRESSIVE } }).template;
    const bandsOf = (some: readonly Turn[]) =>
      [
        ...new Set(
          some.map(({ schedule, event: { tier, catchUp } }) => JSON.stringify([schedule, tier, catchUp])),
        ),
      ].sort();
    expect(bandsOf(turns.filter(({ event }) => event.tier))).toEqual(bandsOf(turnsOf(own)));
  });

  it('has none of 40 shared, and 41 of them on a few rules of the function', () => {
    const short: QueueProps = { retry: { type: 'none' }, deliverTo: 'https://a.b' };
    const eventsOf = (count: number) => {
      const { template } = backlogWith({
        queues: queuesOf(namesOf(count, 'q'), short),
        intake: false,
        metrics: 'off',
      });
      return turnsOf(template);
    };
    expect(
      eventsOf(40)
        .map(({ event }) => event.queue)
        .sort(),
    ).toEqual(namesOf(40, 'q').sort());
    const shared = eventsOf(41);
    expect(shared.length).toBeLessThan(8);
    expect(turnsByQueue(shared)).toEqual(queuesOf(namesOf(41, 'q'), 1 as never));
  });

  it('moves few queues where one more comes', () => {
    const eventsOf = (count: number) =>
      new Set(
        turnsOf(synthesized({ queues: queuesOf(namesOf(count), PROGRESSIVE) }).template).map(
          ({ input }) => input,
        ),
      );
    const before = eventsOf(200);
    const changed = [...eventsOf(201)].filter((input) => !before.has(input));
    // One event of each tier, or two where it was full.
    expect(changed.length).toBeLessThanOrEqual(12);
    expect(before.size).toBeGreaterThan(60);
  });

  it('sends events that its handler understands, with the parts of their shards', () => {
    const queues = {
      ...queuesOf(namesOf(60), PER_RECORD),
      ...queuesOf(namesOf(30, 'sharded'), { ...PER_RECORD, shards: 12 }),
    };
    const turns = turnsOf(synthesized({ queues }).template);
    const settings: QueuesSettings = Object.fromEntries(
      Object.keys(queues).map((name) => [name, { retryMode: 'perRecord' as const }]),
    );
    const parsed = turns.flatMap(({ event }) => eventsIn(event, settings).map(({ parse }) => parse()));
    const parts = new Map(
      Object.keys(queues).map((name) => [name, parsed.filter(({ queue }) => queue === name)]),
    );
    for (const [queue, some] of parts) {
      const expected = queue.startsWith('sharded')
        ? [
            { number: 0, of: 2 },
            { number: 1, of: 2 },
          ]
        : [undefined];
      expect(some.map(({ part }) => part).sort((a, b) => (a?.number ?? 0) - (b?.number ?? 0))).toEqual(
        expected,
      );
    }
    expect(parts.size).toBe(90);
  });

  it('puts queues with other tiers into events of their own, on the same rules', () => {
    const tiersOf = (name: string) => [
      { every: Duration.minutes(5), untilAge: Duration.days(Number(name.split('-')[1]) < 50 ? 1 : 2) },
      { every: Duration.hours(12), untilAge: Duration.days(30) },
    ];
    const queues = queuesOf(namesOf(100), (name) => ({
      ...PROGRESSIVE,
      progressive: { tiers: tiersOf(name) },
    }));
    const { template } = synthesized({ queues });
    expect(Object.values(turnsByQueue(turnsOf(template)))).toEqual(Array(100).fill(2));
    expect(turnsOf(template).length).toBeLessThan(24);
  });

  it('leaves queues out that are not enabled, and has no rules of theirs', () => {
    const queues = {
      ...queuesOf(namesOf(60), PER_RECORD),
      ...queuesOf(namesOf(60, 'off'), { ...PER_RECORD, enabled: false }),
    };
    const { backlog, template } = synthesized({ queues });
    expect(turnsByQueue(turnsOf(template))).toEqual(queuesOf(namesOf(60), 1 as never));
    expect(backlog.disabledQueues).toHaveLength(60);
  });

  it('keeps each input below what a rule takes, with the longest names', () => {
    const names = namesOf(120).map((name) => name.padEnd(128, 'x'));
    const turns = turnsOf(synthesized({ queues: queuesOf(names, PROGRESSIVE) }).template);
    expect(Math.max(...turns.map(({ input }) => input.length))).toBeLessThanOrEqual(8_192);
    expect(Object.keys(turnsByQueue(turns))).toHaveLength(120);
  });

  it('shares schedules in the same way', () => {
    const queues = queuesOf(namesOf(200), PROGRESSIVE);
    const { template } = synthesized({ queues, trigger: 'scheduler' });
    expect(turnsByQueue(turnsOf(template))).toEqual(queuesOf(namesOf(200), 6 as never));
    expect(propertiesOf(template, 'AWS::Scheduler::Schedule').length).toBeLessThan(110);
  });
});

describe('a worker with many queues', () => {
  const withWorker = (names: readonly string[], weightOf: (name: string) => number = () => 1) => {
    const queues = queuesOf(names, (name) => ({ ...PER_RECORD, weight: weightOf(name) }));
    return turnsOf(synthesized({ queues }).template);
  };

  it('polls up to 40 of them together, and more in events of up to 20', () => {
    expect(withWorker(namesOf(40)).map((turn) => queuesIn(turn).length)).toEqual([40]);
    const turns = withWorker(namesOf(41));
    expect(turnsByQueue(turns)).toEqual(queuesOf(namesOf(41), 1 as never));
    expect(Math.max(...turns.map((turn) => queuesIn(turn).length))).toBeLessThanOrEqual(20);
  });

  it('keeps those with weights together as long as a rule takes them', () => {
    const weightOf = (name: string) => 1 + (name.length % 2);
    expect(withWorker(namesOf(60), weightOf).map((turn) => queuesIn(turn).length)).toEqual([60]);
    const names = namesOf(80).map((name, i) => name.padEnd(127 + (i % 2), 'x'));
    const turns = withWorker(names, weightOf);
    expect(turns.length).toBeGreaterThan(1);
    expect(Math.max(...turns.map(({ input }) => input.length))).toBeLessThanOrEqual(8_192);
    expect(Object.keys(turnsByQueue(turns))).toHaveLength(80);
  });
});
