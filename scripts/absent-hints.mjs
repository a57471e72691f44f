/**
 * Replaces, in the handlers' bundles, the search for the name that a misspelt one may mean. The CDK app has checked
 * all settings before they were deployed, and has suggested such names then.
 */
export const distance = () => Number.POSITIVE_INFINITY;
export const closest = (name) => name;
