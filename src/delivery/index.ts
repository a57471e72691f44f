export { deliverByHttp, type HttpDeliveryOptions } from './http.js';
export { parseDeliveryUrl } from './url.js';
