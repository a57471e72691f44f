export type { Answer, Answers } from './answers.js';
export { deliverByHttp, httpDelivery } from './http.js';
export type { HeaderValue, HttpDelivery, HttpDeliveryOptions } from './options.js';
export type { Secrets, SecretsSource } from './signing.js';
export { parseDeliveryUrl } from './url.js';
