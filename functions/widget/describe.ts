/** The documentation of the function that CloudWatch shows when a widget is made from it. */
export const OVERVIEW_DOCS = `## Overview of a backlog
What is wrong, in a sentence, and the queues, the worst first: records that wait, are due or dead, and whether the queue is paused or a breaker is open.

It reads the index and the control table, and changes nothing. It takes no parameters.
`;

export const ACTIONS_DOCS = `## Buttons of the overview
This function pauses and resumes queues. The buttons of the overview call it, after a confirmation. It is no widget of its own: put the overview's function on the dashboard.

### Parameters, as a button gives them
Parameter | Description
---|---
**action** | \`pause\` or \`resume\`
**queue** | the name of a queue of this backlog
**end** | of a pause: \`30m\`, \`2h\` or \`none\`. Without it, the answer asks for it
`;
