import { Cancel } from 'dynamo-backlog';
import type { Process } from 'dynamo-backlog/lambda';

/** Writes a report of many pages, for hours. Once its record is cancelled, it removes what it has written. */
export const writeReport: Process = async ({ id }, { signal }) => {
  const url = `https://reports.example.com/${id}`;
  try {
    for (let page = 1; page <= 10_000; page++) await fetch(`${url}/${page}`, { method: 'PUT', signal });
  } catch (error) {
    if (signal.reason instanceof Cancel) await fetch(url, { method: 'DELETE' });
    throw error;
  }
};
