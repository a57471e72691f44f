/**
 * Stands in the handlers' bundles for the SDK's endpoint discovery, which DynamoDB's client configures and none of its
 * commands uses.
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

export function resolveEndpointDiscoveryConfig(config) {
  return Object.assign(config, { endpointDiscoveryEnabled: async () => false });
}
