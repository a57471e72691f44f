import { describe, expect, it } from 'vitest';
import { whenUsed } from '../src/support/when-used.js';

class Role {
  constructor(private readonly name: string) {}
  async greet(whom: string): Promise<string> {
    return `${this.name} greets ${whom}`;
  }
}

describe('a role that is loaded when it is used', () => {
  it('is loaded once, at its first call', async () => {
    let loads = 0;
    const role = whenUsed(async () => {
      loads++;
      return new Role('ana');
    });
    expect(loads).toBe(0);
    expect(await Promise.all([role.greet('ben'), role.greet('eva')])).toEqual([
      'ana greets ben',
      'ana greets eva',
    ]);
    expect(loads).toBe(1);
  });

  it('is loaded again after a failure', async () => {
    const answers = [Promise.reject(new Error('too many open files')), Promise.resolve(new Role('ana'))];
    const role = whenUsed(() => answers.shift() as Promise<Role>);
    await expect(role.greet('ben')).rejects.toThrow('too many open files');
    expect(await role.greet('ben')).toBe('ana greets ben');
  });

  it('is no promise', async () => {
    const role = whenUsed(async () => new Role('ana'));
    expect(await role).toBe(role);
  });
});
