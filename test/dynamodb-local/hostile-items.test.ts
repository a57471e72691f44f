import { describe } from 'vitest';
import { hostileItems } from '../cli/hostile-items.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

describe('on DynamoDB Local', () => hostileItems(dynamoDbLocalEndpoint));
