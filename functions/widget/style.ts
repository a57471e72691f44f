import { Html } from './html.js';

/**
 * The colours of the console. CloudWatch says the theme; the width is the widget's, not the window's, so that both are
 * classes and no media queries.
 */
const STYLE = `
.bl{--ink:#14171c;--ink2:#4d5561;--line:#e3e6ea;--line2:#c9cfd6;--new:#4b5563;--run:#0b6468;--ok:#116b3a;--dead:#b42318;--amber:#855000;--hover:#eceef1;
box-sizing:border-box;color:var(--ink);padding:2px 4px;font:13px/18px "Amazon Ember","Open Sans",system-ui,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
.bl.dark{--ink:#e8eaed;--ink2:#a9b1bc;--line:#3a414a;--line2:#56606c;--new:#b3bac4;--run:#4fd1cf;--ok:#62cf8c;--dead:#ff958a;--amber:#f0b952;--hover:#2c333c}
.bl p{margin:0}
.bl .h{display:flex;gap:8px;align-items:flex-start;font-size:16px;line-height:22px;font-weight:600;overflow-wrap:anywhere}
.bl .h svg{width:18px;height:18px;margin-top:2px}
.bl .d{margin:2px 0 0 26px;color:var(--ink2);overflow-wrap:anywhere}
.bl svg{flex:none;width:14px;height:14px;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.bl table{border-collapse:collapse;width:100%;max-width:960px;margin-top:8px;font:inherit}
.bl th,.bl td{color:var(--ink);font:inherit;padding:5px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:baseline}
.bl thead th{color:var(--ink2);font-size:12px;padding-top:2px;padding-bottom:2px}
.bl th:first-child{padding-left:0}.bl th:last-child,.bl td:last-child{padding-right:0}
.bl .r{text-align:right;white-space:nowrap}
.bl .n{font-weight:600;overflow-wrap:anywhere;margin-right:8px}
.bl .s{display:inline-flex;gap:4px;align-items:center;margin-right:8px;font-size:12px;white-space:nowrap;vertical-align:-3px}
.bl .new{color:var(--new)}.bl .run{color:var(--run)}.bl .ok{color:var(--ok)}.bl .dead{color:var(--dead)}.bl .amber{color:var(--amber)}.bl .q{color:var(--ink2)}
.bl .f{margin-top:6px;color:var(--ink2);font-size:12px;line-height:16px;overflow-wrap:anywhere}
.bl button{font:inherit;font-size:12px;line-height:16px;color:inherit;background:none;border:1px solid var(--line2);border-radius:6px;padding:1px 8px;cursor:pointer}
.bl button:hover{background:var(--hover)}
.bl button:focus-visible{outline:2px solid currentColor;outline-offset:1px}
.bl .b{display:flex;flex-wrap:wrap;gap:8px;margin:10px 0 0 26px}
.bl code{display:block;margin:8px 0 0 26px;padding:6px 8px;border:1px solid var(--line);border-radius:6px;font:12px/18px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.bl cwdb-action{display:none}
.bl.narrow{font-size:12px;line-height:16px}
.bl.narrow th,.bl.narrow td{padding-left:3px;padding-right:3px}
.bl.narrow th:first-child{padding-left:0}.bl.narrow th:last-child,.bl.narrow td:last-child{padding-right:0}
.bl.narrow button{padding:1px 5px}
.bl.narrow .n{display:block;margin:0}
.bl.narrow .h{font-size:14px;line-height:18px}
.bl.narrow .h svg{margin-top:0}
.bl.narrow .s{margin:0;white-space:normal}
`;

export const style = new Html(
  `<div class="cwdb-no-default-styles"></div><style>${STYLE.replaceAll('\n', '')}</style>`,
);
