/** A text behind `//`, up to the next `//` or a space. */
const BEHIND_SLASHES = /\/\/((?:(?!\/\/)\S)*)/g;
const SCHEME = /(?:^|[^a-z0-9+.-])([a-z][a-z0-9+.-]*:)$/i;
const MAX_SCHEME_CHARACTERS = 33;
/** Schemes in which a path may have an `@`, and digits behind a colon are a port. */
const WEB = /^(?:https?|wss?):$/i;
/** The characters that end a URL in a text. A password may have them all the same. */
const QUOTE = /["'<>\\]/;
const END_OF_AUTHORITY = /[/?#;]/;
const HOST_AND_PORT = /^[^:]*:(\d{1,5})$/;
const MAX_PORT = 65_535;
/** A name that could as well be a user's: no domain, no address, not this machine. */
const MAY_BE_USER = /^(?!localhost:)[^.:[]*:/i;
/** An `@` in the path, which is no handle or scope (`/@me`). */
const AT_IN_PATH = /^[^?#]*[^?#/]@/;
/** Quotes, and behind them what stands in a password rather than behind a text that is quoted, or an attribute of HTML. */
const QUOTE_IN_PASSWORD = /^(?!["']>)["'<>\\]+(?:@|[^\s,:;)\]}/"'<>\\@][^@]*@)/;
/** `user/password@` follows it, without slashes between. */
const ORACLE = /jdbc:oracle:[a-z0-9]{1,16}:/gi;
const MAX_ORACLE_USER_CHARACTERS = 200;
const END_OF_ORACLE_USER = /[\s@"'<>]/;

/**
 * A text whose URLs, of any scheme, have origin and path only: queries, fragments, user names and passwords are where secrets
 * stand. Where it is not clear which `@` ends a password, more is left out. One URL, or a text of any kind.
 *
 * @param maxCharacters what is behind these is left out, before anything looks through the text
 */
export function withoutUrlSecrets(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const isCut = text.length > maxCharacters;
  const cut = isCut ? withoutLastUrl(text.slice(0, maxCharacters)) : text;
  const shown = cut.replace(BEHIND_SLASHES, (_, run: string, at: number) => {
    const end = at + '//'.length + run.length;
    const goesOn = cut.startsWith('//', end) || (isCut && end === cut.length);
    return `//${shownOf(run, schemeBefore(cut, at), goesOn)}`;
  });
  return withoutOracleUsers(shown);
}

function withoutOracleUsers(text: string): string {
  let kept = '';
  let from = 0;
  for (const { 0: scheme, index } of text.matchAll(ORACLE)) {
    const start = index + scheme.length;
    const length = text.slice(start, start + MAX_ORACLE_USER_CHARACTERS + 1).search(END_OF_ORACLE_USER);
    if (length < 0 || text.charAt(start + length) !== '@') continue;
    kept += text.slice(from, start);
    from = start + length + 1;
  }
  return kept + text.slice(from);
}

/** The end of a URL tells which of its parts is which: one that is cut is left out. */
function withoutLastUrl(cut: string): string {
  let start = cut.length;
  while (start > 0 && !/[\s"'<>\\]/.test(cut.charAt(start - 1))) start--;
  const slashes = cut.indexOf('//', start);
  return slashes < 0 ? cut : cut.slice(0, slashes - (schemeBefore(cut, slashes) ?? '').length);
}

/** The scheme before the slashes, with its colon. */
function schemeBefore(text: string, slashes: number): string | undefined {
  return SCHEME.exec(text.slice(Math.max(0, slashes - MAX_SCHEME_CHARACTERS), slashes))?.[1];
}

/** @param goesOn its end is not known */
function shownOf(run: string, scheme: string | undefined, goesOn: boolean): string {
  const url = upTo(QUOTE, run);
  const behind = run.slice(url.length);
  const authority = upTo(END_OF_AUTHORITY, url);
  const isWeb = scheme !== undefined && WEB.test(scheme);
  // Digits behind a colon are a port, or the beginning of a password that goes on behind a slash or a quote.
  const isPort = hasPort(authority);
  if (isWeb && isPort && MAY_BE_USER.test(authority) && AT_IN_PATH.test(url)) return behind;
  const goesOnInQuotes = isPort && QUOTE_IN_PASSWORD.test(behind);
  if (!mayHavePassword(authority, isWeb) && !goesOnInQuotes) {
    const host = url.slice(authority.lastIndexOf('@') + 1);
    return (scheme === undefined ? host : withoutQuery(host)) + behind;
  }
  const at = url.lastIndexOf('@');
  const user = url.slice(0, Math.max(0, at));
  if (at >= 0) return /[?#;]/.test(user) ? behind : withoutQuery(url.slice(at + 1)) + behind;
  if (isPort && !goesOnInQuotes) return withoutQuery(url) + behind;
  // A password that a quote or two slashes stand in, or that is cut.
  const last = run.lastIndexOf('@');
  if (last >= 0) return withoutQuery(run.slice(last + 1));
  return goesOn ? '' : withoutQuery(url) + behind;
}

function mayHavePassword(authority: string, isWeb: boolean): boolean {
  const colon = authority.indexOf(':');
  const at = authority.lastIndexOf('@');
  if (at >= 0) return colon >= 0 && colon < at;
  if (colon < 0 || authority.startsWith('[')) return false;
  return !isWeb || !hasPort(authority);
}

function hasPort(authority: string): boolean {
  const [, digits] = HOST_AND_PORT.exec(authority) ?? [];
  return digits !== undefined && Number(digits) <= MAX_PORT;
}

/** Leaves out query, fragment, and the properties of JDBC behind semicolons. */
function withoutQuery(url: string): string {
  const path = upTo(/[?#]/, url);
  const properties = path.indexOf(';');
  return properties >= 0 && path.includes('=', properties) ? path.slice(0, properties) : path;
}

function upTo(end: RegExp, text: string): string {
  const at = text.search(end);
  return at < 0 ? text : text.slice(0, at);
}
