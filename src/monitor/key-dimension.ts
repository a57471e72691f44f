/**
 * The value of the dimension `Key` for a key. CloudWatch takes printable ASCII that does not begin with a colon: everything beside it,
 * spaces and `%` included, is written as `%` and two hexadecimal digits for each byte of UTF-8. `decodeURIComponent` gives the key
 * back. A key of 256 bytes has 768 characters at most, of the 1,024 that CloudWatch takes.
 */
export function keyDimension(key: string): string {
  return key.replace(/^:|[^!-$&-~]+/gu, percentEncoded);
}

function percentEncoded(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&');
}
