/** The checks of a delivery's options for the CDK app, which delivers nothing. */
export { type Answers, checkAnswers } from './answers.js';
export { checkHeaders, holdsCredentials } from './custom-headers.js';
export { type DeliveryBatch, deliveryShape, type Method } from './options.js';
export { type AllowedAddresses, addressCheck, checkAddress, checkNetworks } from './private-addresses.js';
export { areSecrets } from './secret-text.js';
export { parseDeliveryUrl } from './url.js';
