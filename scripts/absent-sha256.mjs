/** Stands in the handlers' bundles for SHA-256 in JavaScript, which the SDK has for a Node.js without OpenSSL. */
export class Sha256Js {
  constructor() {
    throw new Error('SHA-256 is not in the bundle: expected a Node.js with OpenSSL');
  }
}
