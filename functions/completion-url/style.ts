import { createHash } from 'node:crypto';
import { Html } from '../widget/html.js';

/** The colours of the console, on one card that fits a telephone. */
const CSS = `
:root{--ink:#14171c;--ink2:#4d5561;--line:#e3e6ea;--line2:#c9cfd6;--page:#f6f7f8;--card:#fff;--run:#0b6468;--on:#fff;--dead:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--ink2:#a9b1bc;--line:#2c333c;--line2:#56606c;--page:#14171c;--card:#1d2228;--run:#4fd1cf;--on:#10201f;--dead:#ff958a}}
*{box-sizing:border-box}
body{margin:0;padding:24px 16px;background:var(--page);color:var(--ink);font:16px/24px system-ui,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:560px;margin:min(10vh,80px) auto 0;padding:28px;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0;font-size:22px;line-height:30px;font-weight:650;overflow-wrap:anywhere;white-space:pre-line}
p{margin:8px 0 0;color:var(--ink2)}
dl{margin:20px 0 0;font-size:14px;line-height:20px}
dl div{display:flex;gap:12px;padding:7px 0;border-top:1px solid var(--line)}
dt{flex:0 0 104px;color:var(--ink2)}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
label{display:block;margin:20px 0 6px;font-size:14px;font-weight:600}
label span{font-weight:400;color:var(--ink2)}
textarea{width:100%;padding:9px 11px;font:inherit;color:inherit;background:none;border:1px solid var(--line2);border-radius:8px;resize:vertical}
.buttons{display:flex;flex-wrap:wrap;gap:10px;margin-top:16px}
button{flex:1 1 auto;min-height:46px;padding:8px 18px;font:inherit;font-weight:600;color:var(--ink);background:none;border:1px solid var(--line2);border-radius:8px;cursor:pointer;overflow-wrap:anywhere}
button.first{color:var(--on);background:var(--run);border-color:var(--run)}
button.fail:not(.first){color:var(--dead)}
button:hover{filter:brightness(.94)}
textarea:focus-visible,button:focus-visible{outline:2px solid var(--run);outline-offset:2px}
@media (max-width:480px){body{padding:16px 12px}main{margin-top:0;padding:20px}button{flex-basis:100%}dt{flex-basis:88px}}
`.replaceAll('\n', '');

/** The style of the pages. */
export const STYLE = new Html(`<style>${CSS}</style>`);

/** Its hash, by which the Content-Security-Policy allows it and nothing that came from outside. */
export const STYLE_HASH = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`;
