/**
 * Stands in the handlers' bundles for the region that a machine's metadata names. Lambda has the region in the
 * environment.
 */
export const getInstanceMetadataRegion = async () => undefined;
