import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ConfigurationError, defineTask } from '../../src/index.js';

const perform = () => {};

describe('a task', () => {
  it('has the queue "default" unless it says another one', () => {
    expect(defineTask({ name: 'a', perform })).toMatchObject({ name: 'a', queue: 'default' });
    expect(defineTask({ name: 'a', queue: 'mails', perform }).queue).toBe('mails');
  });

  it.each(['constructor', '__proto__', 'toString', 'mail/send:v2', 'a', 'x'.repeat(128)])(
    'may be called %j',
    (name) => expect(defineTask({ name, perform }).name).toBe(name),
  );

  it.each([
    [{}, 'defineTask.name: expected string, got nothing'],
    [{ name: '' }, 'defineTask.name: expected letters, digits and "_.:/-", at most 128, got ""'],
    [{ name: 'two words' }, 'defineTask.name: expected letters, digits and "_.:/-", at most 128'],
    [{ name: 'x'.repeat(129) }, 'at most 128'],
    [{ name: 'a', queue: 'a/b' }, 'defineTask.queue: expected the name of a queue'],
    [{ name: 'a', perform: undefined }, 'defineTask.perform: expected a function, got nothing'],
    [{ name: 'a', attemptTimeout: 0 }, 'defineTask.attemptTimeout: expected seconds or a duration'],
    [{ name: 'a', priorities: { high: '' } }, 'defineTask.priorities.high: expected the name of a queue'],
    [{ name: 'a', previousNames: ['b c'] }, 'defineTask.previousNames.0: expected letters'],
    [{ name: 'a', schema: {} }, 'defineTask.schema: expected a schema with "~standard"'],
    [
      { name: 'a', schema: { '~standard': { version: 2, validate: perform } } },
      'defineTask.schema: expected',
    ],
    [{ name: 'a', key: 'customer' }, 'defineTask.key: expected a function, got "customer"'],
    [{ name: 'a', retry: { type: 'fibonaci' } }, 'defineTask "a": retry.type: expected one of'],
    [{ name: 'a', deadOn: [1] }, 'defineTask.deadOn.0: expected the name of an error'],
    [
      { name: 'a', queue: 'q', retryQueue: 'q' },
      'defineTask "a": retryQueue: expected another queue than the task\'s own, got "q"',
    ],
    [{ name: 'a', performe: perform }, 'defineTask: unknown option "performe"; did you mean "perform"?'],
  ])('is refused with %j', (options, message) => {
    const define = () => defineTask({ perform, ...options } as never);
    expect(define).toThrow(ConfigurationError);
    expect(define).toThrow(message);
  });

  it('knows its attempt timeout in seconds', () => {
    expect(defineTask({ name: 'a', attemptTimeout: '1m30s', perform }).attemptTimeout).toBe(90);
  });

  it('cannot be changed behind the back of its handler', () => {
    const task = defineTask({ name: 'a', perform });
    expect(() => Object.assign(task, { name: 'b' })).toThrow(TypeError);
  });

  it('takes a schema that is a function, as those of some libraries are', () => {
    const schema = Object.assign(() => {}, { '~standard': z.string()['~standard'] });
    expect(() => defineTask({ name: 'a', schema, perform })).not.toThrow();
  });
});
