// Brings the live parts of a page up to date, and counts times on. Without it each page works all the same.

const { refresh, now, speed } = document.body.dataset;
const factor = Number(speed) || 1;
let base = { page: Number(now), real: Date.now() };

/** The backlog's time, which may be faster than the real one. */
const backlogNow = () => base.page + (Date.now() - base.real) * factor;

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

function countOn() {
  const current = backlogNow();
  for (const element of document.querySelectorAll('time[datetime] [data-relative]')) {
    const difference = Date.parse(element.closest('time').dateTime) - current;
    if (Number.isNaN(difference)) continue;
    if (Math.abs(difference) < 1000) element.textContent = 'now';
    else element.textContent = difference > 0 ? `in ${ageText(difference)}` : `${ageText(-difference)} ago`;
  }
  for (const element of document.querySelectorAll('time[data-countdown]')) {
    const difference = Date.parse(element.dateTime) - current;
    element.textContent = difference > 0 ? ageText(difference) : 'due now';
  }
}

/** Makes one element like another, and keeps what the user has opened, focused, filled in or selected. */
function become(element, wanted) {
  if (element.isEqualNode(wanted)) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.type !== 'hidden') return;
  for (const { name } of [...element.attributes]) {
    if (!wanted.hasAttribute(name) && !(name === 'open' && element.tagName === 'DETAILS'))
      element.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  const nodes = [...element.childNodes];
  const wantedNodes = [...wanted.childNodes];
  wantedNodes.forEach((next, i) => {
    const node = nodes[i];
    if (!node) element.append(document.importNode(next, true));
    else if (node.nodeType !== next.nodeType || node.nodeName !== next.nodeName)
      node.replaceWith(document.importNode(next, true));
    else if (node.nodeType === Node.ELEMENT_NODE) become(node, next);
    else if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
  });
  for (const node of nodes.slice(wantedNodes.length)) node.remove();
}

let isLive = Number(refresh) > 0;

async function bringUpToDate() {
  const selection = getSelection();
  // Text that is being copied must stay.
  if (document.hidden || (selection && !selection.isCollapsed)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const wanted = page.querySelector(`[data-live="${part.dataset.live}"]`);
    if (wanted) become(part, wanted);
  }
  base = { page: Number(page.body.dataset.now), real: Date.now() };
  countOn();
  // An action that has ended changes no more.
  isLive = Number(page.body.dataset.refresh) > 0;
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
