/** Ran, if one of these texts became a script: see session.ts. */
const SCRIPT = 'window.hacked=1;alert(1)';

/** Texts that break out of where they stand, if one escape is missing. */
export const HOSTILE_TEXTS = [
  `<script>${SCRIPT}</script>`,
  `"><img src=x onerror="${SCRIPT}">`,
  `' autofocus onfocus='${SCRIPT}`,
  `</textarea></title></pre><script>${SCRIPT}</script>`,
  `<svg/onload=${SCRIPT}><style>@import '//elsewhere.example/x.css'</style>`,
  `javascript:${SCRIPT}`,
  '\u202Egnp.exe \u2066isolated\u2067 \u200F\u061C right to left \u202Dno end',
  '<!-- <![CDATA[ {{7*7}} %00 &lt;b&gt; &amp;',
  `line\nbreak\r\n\ttab \u0000 null \u001b[31m red \u0007 bell`,
  '\uD800 half a pair, and \uDFFF another',
] as const;

const all = HOSTILE_TEXTS.join(' ');

/** Ids that producers may choose. */
export const HOSTILE_IDS = [
  ...HOSTILE_TEXTS.filter((text) => !/[\uD800-\uDFFF]/.test(text)),
  '../../etc/passwd?x=1#y',
  '100%25 of %zz & a=b;c+d',
  `x${'long'.repeat(511)}`,
  '\u05E9\u05DC\u05D5\u05DD/\u0645\u0631\u062D\u0628\u0627',
] as const;

/** Ids of groups that producers may choose: 128 bytes at most. */
export const HOSTILE_GROUPS = [
  ...HOSTILE_IDS.filter((id) => Buffer.byteLength(id) <= 128),
  `x${'long'.repeat(31)}`,
];

/** Keys of lines that are held. */
export const HELD_KEYS: readonly string[] = ['customer-7', ...HOSTILE_GROUPS];

/** A megabyte of text that cannot be wrapped. */
const WALL = 'W'.repeat(1_000_000);

export const HOSTILE_PAYLOADS = [
  { texts: HOSTILE_TEXTS, [all]: { __proto__: null, [HOSTILE_TEXTS[0]]: [HOSTILE_TEXTS[1]] } },
  WALL,
  { wall: WALL },
  Array.from({ length: 500 }, (_, i) => ({ [`<b>${i}`]: HOSTILE_TEXTS[i % HOSTILE_TEXTS.length] })),
  Array.from({ length: 200 }).reduce((inner) => ({ deeper: inner }), HOSTILE_TEXTS[0]),
] as const;

/** Hostile text as an error's class, message and stack. */
export const HOSTILE_ERROR = {
  name: `Error<script>${SCRIPT}</script>`.slice(0, 64),
  message: `${all} ${'unbreakable'.repeat(30)}`,
  stack: `at ${all}\n`.repeat(3),
} as const;
