/** The documentation of the function that CloudWatch shows when a widget is made from it. */
export const OVERVIEW_DOCS = `## Overview of a backlog
What is wrong, in a sentence, and the queues, the worst first: records that wait, are due or dead, and whether the queue is paused or a breaker is open.

It reads the index and the control table, and changes nothing. It takes no parameters.
`;
