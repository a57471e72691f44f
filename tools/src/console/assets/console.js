// Brings the live parts of a page up to date, and counts times on. Without it each page works all the same.

const { refresh, now, speed } = document.body.dataset;
/** A speed of 0: the clock is paused. */
let base = { page: Number(now), real: Date.now(), speed: Number(speed) };

/** The backlog's time, which may be faster than the real one. */
const backlogNow = () => base.page + (Date.now() - base.real) * base.speed;

/** As the server writes it: `Mon 23 Nov 2026 14:47:18`. */
const clockText = (milliseconds) =>
  new Date(milliseconds)
    .toUTCString()
    .replace(',', '')
    .replace(/ 0(\d )/, ' $1')
    .replace(' GMT', '');

/** As the server writes it: `2 h 5 min`. */
function ageText(milliseconds) {
  let rest = Math.max(0, Math.round(milliseconds / 1000));
  const parts = [];
  for (const [name, seconds] of [
    ['d', 86400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ]) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const zoned = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** Pages have times in UTC. The user's own stand behind them. */
function tellZone() {
  if (timeZone === 'UTC') return;
  for (const element of document.querySelectorAll('[data-zone]'))
    element.textContent = `Times are in UTC. Point at one for ${timeZone}.`;
  for (const element of document.querySelectorAll('time[datetime]')) {
    const time = Date.parse(element.dateTime);
    if (!element.title && !Number.isNaN(time)) element.title = zoned.format(time);
  }
}

function countOn() {
  tellZone();
  const current = backlogNow();
  for (const element of document.querySelectorAll('time[datetime] [data-relative]')) {
    const difference = Date.parse(element.closest('time').dateTime) - current;
    if (Number.isNaN(difference)) continue;
    // What was to come has come, or comes with a delay: the next answer says so.
    const isReached = difference < 0 && element.dataset.relative === 'expected';
    if (Math.abs(difference) < 1000 || isReached) element.textContent = 'now';
    else element.textContent = difference > 0 ? `in ${ageText(difference)}` : `${ageText(-difference)} ago`;
  }
  for (const element of document.querySelectorAll('[data-clock]')) element.textContent = clockText(current);
  for (const element of document.querySelectorAll('time[data-countdown]')) {
    const difference = Date.parse(element.dateTime) - current;
    element.textContent = difference > 0 ? ageText(difference) : 'due now';
  }
}

/** What an element is about. It stays the same element for that, wherever it stands among the others. */
const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.dataset.key : undefined);

/** Makes one element like another, and keeps what the user has opened, closed, focused, filled in or selected. */
function become(element, wanted) {
  if (element.isEqualNode(wanted)) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.type !== 'hidden') return;
  const isUsers = (name) => name === 'open' && element.tagName === 'DETAILS';
  for (const { name } of [...element.attributes]) {
    if (!wanted.hasAttribute(name) && !isUsers(name)) element.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value && !isUsers(name)) element.setAttribute(name, value);
  }
  const byKey = new Map([...element.childNodes].map((node) => [keyOf(node), node]));
  let node = element.firstChild;
  for (const next of [...wanted.childNodes]) {
    const key = keyOf(next);
    const same = key === undefined ? node : byKey.get(key);
    const isLike = same && same.nodeName === next.nodeName && keyOf(same) === key;
    if (!isLike) {
      const replaced = node && keyOf(node) === undefined ? node : undefined;
      element.insertBefore(document.importNode(next, true), node);
      if (replaced) {
        node = replaced.nextSibling;
        replaced.remove();
      }
      continue;
    }
    if (same === node) node = node.nextSibling;
    else element.insertBefore(same, node);
    if (same.nodeType === Node.ELEMENT_NODE) become(same, next);
    else if (same.nodeValue !== next.nodeValue) same.nodeValue = next.nodeValue;
  }
  while (node) {
    const { nextSibling } = node;
    node.remove();
    node = nextSibling;
  }
}

let isLive = Number(refresh) > 0;
/** Since when the console has not answered with a page. */
let lostSince;

/** Old figures must not look like new ones. @param reason undefined: the console has answered */
function tellLost(reason) {
  const shown = document.getElementById('lost');
  if (reason === undefined) {
    shown?.remove();
    lostSince = undefined;
    return;
  }
  lostSince ??= new Date();
  // Nothing is known of the backlog's time either.
  base = { page: backlogNow(), real: Date.now(), speed: 0 };
  const notice = shown ?? document.createElement('p');
  notice.id = 'lost';
  notice.className = 'flash dead';
  notice.setAttribute('role', 'alert');
  const text = `Not up to date since ${lostSince.toLocaleTimeString('en-GB')} of your clock: ${reason}`;
  // A text that stays is read out once.
  if (notice.textContent !== text) notice.textContent = text;
  if (!shown) document.querySelector('main').prepend(notice);
}

async function bringUpToDate() {
  const selection = getSelection();
  // Text that is being copied must stay.
  if (document.hidden || (selection && !selection.isCollapsed)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (!answer?.ok) {
    const status = answer && `the console answers with status ${answer.status}. Load the page again.`;
    tellLost(status ?? 'the console does not answer. It is asked again every few seconds.');
    return;
  }
  tellLost();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const { activeElement } = document;
  for (const part of document.querySelectorAll('[data-live]')) {
    const wanted = page.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
    if (wanted) become(part, wanted);
  }
  // An element that has moved has lost it.
  if (activeElement !== document.activeElement && activeElement?.isConnected)
    activeElement.focus({ preventScroll: true });
  const { dataset } = page.body;
  base = { page: Number(dataset.now), real: Date.now(), speed: Number(dataset.speed) };
  countOn();
  // An action that has ended changes no more.
  isLive = Number(dataset.refresh) > 0;
}

countOn();
setInterval(countOn, 1000);
if (isLive) {
  const again = () =>
    setTimeout(async () => {
      // A runtime that has ended is tried again: it may be started again at the same port.
      await bringUpToDate().catch(() => {});
      if (isLive) again();
    }, Number(refresh) * 1000);
  again();
}

/** Ticks of a list: all on the page, and with Shift all from the last one on. */
const list = document.querySelector('.records')?.closest('form');
const boxes = [...(list?.querySelectorAll('input[name="id"]') ?? [])];
if (boxes.length > 0) {
  const label = list.querySelector('[data-tick-all]');
  const all = label.querySelector('input');
  let last;
  const tell = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && !all.checked;
    list.querySelector('[data-ticked]').textContent = ticked > 0 ? `${ticked} ticked` : '';
  };
  const tickFrom = (one, other, checked) => {
    for (const box of boxes.slice(Math.min(one, other), Math.max(one, other) + 1)) box.checked = checked;
  };
  list.addEventListener('click', ({ target, shiftKey }) => {
    const at = boxes.indexOf(target);
    if (at < 0) return;
    if (shiftKey) tickFrom(last ?? at, at, target.checked);
    last = at;
    tell();
  });
  list.addEventListener('keydown', (event) => {
    const at = boxes.indexOf(event.target);
    const next = boxes[at + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0)];
    if (at < 0 || next === undefined || next === event.target) return;
    event.preventDefault();
    next.focus();
    if (!event.shiftKey) return;
    tickFrom(at, boxes.indexOf(next), true);
    last = boxes.indexOf(next);
    tell();
  });
  all.addEventListener('change', () => {
    tickFrom(0, boxes.length, all.checked);
    tell();
  });
  label.hidden = false;
  // A page that is gone back to has its ticks.
  addEventListener('pageshow', tell);
}

for (const element of document.querySelectorAll('a[data-copy]')) {
  element.addEventListener('click', (event) => {
    if (!navigator.clipboard) return;
    event.preventDefault();
    navigator.clipboard.writeText(element.href).then(
      () => {
        element.textContent = 'Copied';
      },
      () => location.assign(element.href),
    );
  });
}

/** An action loads the page anew. The next one is at the same button: the focus returns to it. */
const AFTER_ACTION = 'focus after an action';
addEventListener('submit', ({ target, submitter }) => {
  const part = target.closest('[data-live]');
  const place = part ? [...part.querySelectorAll('button')].indexOf(submitter) : -1;
  sessionStorage.setItem(AFTER_ACTION, JSON.stringify({ part: part?.dataset.live, place }));
});
const pressed = JSON.parse(sessionStorage.getItem(AFTER_ACTION) ?? '{}');
sessionStorage.removeItem(AFTER_ACTION);
if (pressed.part !== undefined && new URLSearchParams(location.search).has('note')) {
  const part = document.querySelector(`[data-live="${CSS.escape(pressed.part)}"]`);
  part?.querySelectorAll('button')[pressed.place]?.focus({ preventScroll: true });
}
