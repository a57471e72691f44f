import { createRequire } from 'node:module';

/**
 * A client of the SDK that Lambda's runtime has, and that is no dependency: most backlogs send no events. Lambda has it in a
 * folder of NODE_PATH, where `require` looks; an `import` does so in Lambda's own build of Node.js alone.
 */
export function runtimeSdk<Sdk>(name: string): Sdk {
  return createRequire(import.meta.url)(name) as Sdk;
}

/** Makes a thing when it is first asked for, and keeps it: a client has connections. */
export function madeOnce<Thing extends object>(make: () => Thing): () => Thing {
  let made: Thing | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
