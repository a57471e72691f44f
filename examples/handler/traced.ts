import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { backlogHandler } from 'dynamo-backlog/lambda';
import { sendOrder } from './orders.js';

const tracer = new Tracer({ serviceName: 'orders' });

export const handler = backlogHandler({ queue: 'orders', process: sendOrder }).use(
  captureLambdaHandler(tracer),
);
