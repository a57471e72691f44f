import { backlogHandler, defineTask } from 'dynamo-backlog/lambda';
import { welcomeMail } from './mail.js';

/** A task without a schema: the type parameter describes its payload, which is not checked at run time. */
export const reminder = defineTask<{ subscription: string }>({
  name: 'reminder',
  queue: 'mails',
  priorities: { urgent: 'mails-urgent' },
  perform: ({ subscription }, { logger, attempt }) => logger.info('reminded', { subscription, attempt }),
});

export const handler = backlogHandler({ queue: 'mails', tasks: [welcomeMail, reminder] });
