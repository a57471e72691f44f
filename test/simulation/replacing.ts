import type { OperatorStore } from '../../src/store/operator-store.js';

/** The store with some of its methods replaced. */
export function replacing(methods: Partial<OperatorStore>, store: OperatorStore): OperatorStore {
  return new Proxy(store, {
    get(_, name) {
      const member = methods[name as keyof OperatorStore] ?? store[name as keyof OperatorStore];
      return typeof member === 'function' ? member.bind(store) : member;
    },
  });
}
