import type { OperatorStore } from '../../src/store/operator-store.js';
import type { SharedItems } from '../../src/store/shared-items.js';
import type { BacklogStore } from '../../src/store/store.js';

/** Methods of a store, by role. */
export type Methods = { readonly [Role in keyof Stores]?: Partial<Stores[Role]> };

interface Stores extends OperatorStore {
  readonly groups: SharedItems;
  readonly lines: SharedItems & OperatorStore['lines'];
}

/** The store with some of its methods replaced. */
export function replacing<Store extends BacklogStore>(methods: Methods, store: Store): Store {
  return new Proxy(store, {
    get: (_, name) => {
      const member: unknown = Reflect.get(store, name);
      if (typeof member === 'function') return member.bind(store);
      const replaced: unknown = Reflect.get(methods, name);
      return replaced ? withMethods(member as object, replaced) : member;
    },
  });
}

function withMethods(role: object, methods: object): unknown {
  return new Proxy(role, {
    get: (_, name) => Reflect.get(methods, name) ?? Reflect.get(role, name)?.bind(role),
  });
}
