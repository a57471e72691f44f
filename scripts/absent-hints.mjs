/**
 * Stands in the handlers' bundles for the search of the name that somebody may have meant: the CDK app, which has
 * checked all settings before they were deployed, has said it then.
 */
export const distance = () => Number.POSITIVE_INFINITY;
export const closest = (name) => name;
