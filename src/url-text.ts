/** A URL in a text, in parts: what comes before the host, the host with the path, and what comes behind. */
const URLS = /\b(https?:\/\/)(?:[^\s/?#"'<>\\]*@)?([^\s?#"'<>\\]*)(?:[?#][^\s"'<>\\]*)?/gi;
/** What a URL has no part of stands between them. */
const WORDS = /[^\s"'<>\\]+/g;
const URL_AND_REST = /\bhttps?:\/\/[\s\S]*/i;

/**
 * A text whose URLs have origin and path only: queries, fragments, user names and passwords are where secrets stand.
 * One URL, or a text of any kind.
 *
 * @param maxCharacters what is behind these is left out, before anything looks through the text
 */
export function withoutUrlSecrets(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxCharacters) return text.replace(URLS, '$1$2');
  // The end of a URL tells which of its parts is which.
  const cut = text.slice(0, maxCharacters);
  return cut
    .replace(WORDS, (word, at) => (at + word.length < cut.length ? word : word.replace(URL_AND_REST, '')))
    .replace(URLS, '$1$2');
}
