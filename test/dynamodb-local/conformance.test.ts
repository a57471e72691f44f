import { storeConformance } from '../store/conformance.js';
import { dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

storeConformance('the store on DynamoDB Local', () => dynamoDbUnderTest(dynamoDbLocalEndpoint()));
