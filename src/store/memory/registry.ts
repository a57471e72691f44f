import { isDeepStrictEqual } from 'node:util';
import type { OperatorActiveRegionStore } from '../operator-store.js';
import type { ActiveRegion, Registry, RegistryStore } from '../store.js';

/** The owners of the queues. */
export class MemoryRegistry implements RegistryStore {
  private registry: Registry = { rev: '', queues: new Map() };

  async read(): Promise<Registry> {
    return this.registry;
  }

  async write({ queues, ...registry }: Registry, read: string): Promise<boolean> {
    if (this.registry.rev !== read && this.registry.rev !== registry.rev) return false;
    this.registry = { ...registry, queues: new Map(structuredClone([...queues])) };
    return true;
  }
}

/** The active region. */
export class MemoryActiveRegion implements OperatorActiveRegionStore {
  private active: ActiveRegion | undefined;

  async read(): Promise<ActiveRegion | undefined> {
    return this.active;
  }

  async write(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean> {
    const isThat = [read, next].some((state) => isDeepStrictEqual(this.active, state));
    if (read && !isThat) return false;
    this.active = { ...next };
    return true;
  }
}
