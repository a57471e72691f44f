import { isDeepStrictEqual } from 'node:util';
import { type DeliveryDescription, type QueueDescription, TOKEN } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';

/** Compares what attempts the records, and whether anything does. */
export function compareWork(from: QueueDescription, to: QueueDescription): Difference[] {
  const differences: Difference[] = [];
  if (from.enabled !== to.enabled) {
    differences.push({
      kind: 'queue.enabled',
      severity: to.enabled ? 'safe' : 'attention',
      what: to.enabled ? 'enabled' : 'disabled',
      effect: to.enabled
        ? 'Those that are due are attempted when its rules next fire.'
        : 'They wait. No run attempts them, and no alarm fires.',
    });
  } else if (from.firstAttempt !== to.firstAttempt && !isExternal(from) && !isExternal(to)) {
    differences.push({
      kind: 'queue.firstAttempt',
      severity: 'safe',
      what: `first attempt ${firstText(from)} → ${firstText(to)}`,
      effect: 'Only for records that are inserted from now on. The rules attempt those that wait, as before.',
    });
  }
  if (from.work !== to.work) {
    differences.push(changeOfWork(from, to));
  } else if (from.deliverTo && to.deliverTo) {
    differences.push(...compareDelivery(from.deliverTo, to.deliverTo));
  }
  return differences;
}

function isExternal({ work }: QueueDescription): boolean {
  return work === 'external';
}

function changeOfWork(from: QueueDescription, to: QueueDescription): Difference {
  const isOther = {
    kind: 'queue.work',
    severity: 'attention',
    what: `work done by ${from.work} → ${to.work}`,
  } as const;
  if (isExternal(to)) {
    return {
      ...isOther,
      effect:
        'They wait for a process: no function and no rule attempts them. Runs that are at work end with their page.',
      todo: 'Have "backlog work" run with the variables of workEnvironment() before the deployment, or right after it.',
    };
  }
  if (isExternal(from)) {
    return {
      ...isOther,
      effect:
        'The function attempts them at its next tick. No attempts overlap: it has the same leases as the process.',
      todo: 'Stop the process after the deployment, and look whether the function knows their payloads.',
    };
  }
  return {
    ...isOther,
    effect: 'From the next run on, another function attempts them: it has to know their payloads.',
  };
}

function firstText({ firstAttempt }: QueueDescription): string {
  return firstAttempt === 'onInsert' ? 'on insertion' : 'by the rules';
}

function compareDelivery(from: DeliveryDescription, to: DeliveryDescription): Difference[] {
  const { url: fromUrl, ...before } = from;
  const { url: toUrl, ...after } = to;
  const differences: Difference[] = [];
  if (fromUrl !== toUrl) {
    const same = hostOf(fromUrl) !== undefined && hostOf(fromUrl) === hostOf(toUrl);
    differences.push({
      kind: same ? 'queue.url' : 'queue.host',
      severity: same ? 'safe' : 'attention',
      what: `delivers to ${fromUrl} → ${toUrl}`,
      effect: same
        ? 'From the next attempt on, they go there.'
        : 'From the next attempt on, all that wait go there. The other host may not know them.',
    });
  }
  if (from.signed && !to.signed) {
    differences.push({
      kind: 'queue.signature',
      severity: 'attention',
      what: 'deliveries not signed any more',
      effect: 'A receiver that checks signatures refuses them.',
    });
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof typeof before)[];
  const others = names.filter((name) => name !== 'signed' && !isDeepStrictEqual(before[name], after[name]));
  if (others.length > 0) {
    differences.push({
      kind: 'queue.delivery',
      severity: 'safe',
      what: `delivery: other ${others.join(', ')}`,
      effect: 'Applies from the next attempt on.',
    });
  }
  return differences;
}

/** Host of a URL; undefined if only the deployment knows it. */
function hostOf(url: string): string | undefined {
  return url.startsWith(TOKEN) || !URL.canParse(url) ? undefined : new URL(url).host;
}
