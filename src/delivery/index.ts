export { HttpError, NetworkError } from './errors.js';
export { deliverByHttp, type HttpDeliveryOptions } from './http.js';
export { parseDeliveryUrl } from './url.js';
