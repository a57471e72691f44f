/**
 * Stands in the handlers' bundles for those links of the SDK's credential chain that have nothing to offer in Lambda:
 * profiles, single sign-on, processes, web identities and instance metadata. Lambda's credentials are in the
 * environment, or at the address of AWS_CONTAINER_CREDENTIALS_FULL_URI, and the SDK's own code for both stays in.
 */
export const ENV_CMDS_FULL_URI = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
export const ENV_CMDS_RELATIVE_URI = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI';

/** The chain goes on, and ends with "Could not load credentials from any providers". */
const absent = () => async () => {
  throw Object.assign(new Error('not in the bundle'), { tryNextLink: true });
};

export {
  absent as fromContainerMetadata,
  absent as fromIni,
  absent as fromInstanceMetadata,
  absent as fromProcess,
  absent as fromSSO,
  absent as fromTokenFile,
};
