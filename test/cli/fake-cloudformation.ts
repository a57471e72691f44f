import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Deployed stacks by name: the template of each, and whether its resources may be asked for. */
export type FakeStacks = Readonly<
  Record<string, { readonly template: unknown; readonly tellsResources?: boolean }>
>;

/** Resources of one answer: a stack has more. */
const PAGE_SIZE = 10;

/** CloudFormation, as far as the commands ask it. The resource `Records` of the stack `Shop` is `Shop-Records`. */
export async function startCloudFormation(stacks: FakeStacks) {
  const requests: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk;
    });
    request.on('end', () => {
      const parameters = new URLSearchParams(body);
      requests.push(parameters);
      const action = parameters.get('Action');
      const name = parameters.get('StackName') ?? '';
      const stack = stacks[name];
      const refuse = (code: string, message: string) => {
        response.statusCode = 400;
        response.end(
          `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
        );
      };
      const answer = (result: string) =>
        response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
      if (!stack) refuse('ValidationError', `Stack with id ${name} does not exist`);
      else if (action === 'GetTemplate') {
        const text = JSON.stringify(stack.template)
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('"', '&quot;');
        answer(`<TemplateBody>${text}</TemplateBody>`);
      } else if (stack.tellsResources === false)
        refuse('AccessDenied', `not authorized to perform: ${action}`);
      else if (action === 'ListStackResources') {
        const ids = Object.keys((stack.template as { Resources?: object }).Resources ?? {});
        const from = Number(parameters.get('NextToken') ?? 0);
        const members = ids
          .slice(from, from + PAGE_SIZE)
          .map(
            (id) =>
              `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${name}-${id}</PhysicalResourceId></member>`,
          );
        const next = from + PAGE_SIZE < ids.length ? `<NextToken>${from + PAGE_SIZE}</NextToken>` : '';
        answer(`<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next}`);
      } else {
        const physical = `${name}-${parameters.get('LogicalResourceId')}`;
        answer(
          `<StackResourceDetail><PhysicalResourceId>${physical}</PhysicalResourceId></StackResourceDetail>`,
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
