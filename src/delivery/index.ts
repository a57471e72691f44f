export type { Answers } from './answers.js';
export { deliverByHttp, httpDelivery } from './http.js';
export type { DeliveryBatch, HttpDelivery, HttpDeliveryOptions } from './options.js';
export type { SecretsSource } from './signing.js';
export { parseDeliveryUrl } from './url.js';
