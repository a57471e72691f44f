/** Stands in the handlers' bundles for what tells browsers apart: the SDK would ask it in a browser, and never does in Lambda. */
export const parse = () => ({});
