// What stands in the command line's bundle for packages that only deployed functions need: `backlog simulate --keys` plays their
// handlers with a logger of its own, and without other services.

function absent() {
  throw new Error('requests to other services, and the logger of functions, are not in the bundle');
}

export {
  absent as InvokeCommand,
  absent as LambdaClient,
  absent as Logger,
  absent as SendMessageCommand,
  absent as SQSClient,
};

export const InvocationType = {};
