import { tableDefinitions } from '../store/tables.js';
import type { RawItem } from './raw-values.js';

const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260101T000000Z',
};

/** A table by the protocol alone: what goes in and comes out is what DynamoDB has, without any client's conversion. */
export class RawTable {
  readonly names: { readonly records: string; readonly control: string };

  constructor(
    private readonly endpoint: string,
    name: string,
  ) {
    this.names = { records: `${name}-records`, control: `${name}-control` };
  }

  async create(): Promise<void> {
    const { records, control } = tableDefinitions(this.names);
    for (const table of [records, control]) {
      await this.send('CreateTable', table);
      while (!(await this.isActive(table.TableName))) await new Promise(setImmediate);
    }
  }

  private async isActive(TableName: string | undefined): Promise<boolean> {
    const { Table } = (await this.send('DescribeTable', { TableName })) as { Table: { TableStatus: string } };
    return Table.TableStatus === 'ACTIVE';
  }

  /** False: DynamoDB takes no such item. */
  async put(item: RawItem): Promise<boolean> {
    const answer = await this.request('PutItem', { TableName: this.names.records, Item: item });
    if (answer.status >= 500) throw new Error(`PutItem: ${answer.text}`);
    return answer.status === 200;
  }

  async remove(id: string): Promise<void> {
    await this.send('DeleteItem', { TableName: this.names.records, Key: { id: { S: id } } });
  }

  async items(): Promise<Map<string, RawItem>> {
    const items = new Map<string, RawItem>();
    for (let start: unknown; ; ) {
      const page = (await this.send('Scan', {
        TableName: this.names.records,
        ConsistentRead: true,
        ExclusiveStartKey: start,
      })) as { Items: RawItem[]; LastEvaluatedKey?: unknown };
      for (const item of page.Items) items.set(String(item.id?.S), item);
      start = page.LastEvaluatedKey;
      if (start === undefined) return items;
    }
  }

  private async send(operation: string, input: unknown): Promise<unknown> {
    const { status, text } = await this.request(operation, input);
    if (status !== 200) throw new Error(`${operation}: ${status} ${text}`);
    return JSON.parse(text);
  }

  private async request(operation: string, input: unknown): Promise<{ status: number; text: string }> {
    const headers = { ...HEADERS, 'x-amz-target': `DynamoDB_20120810.${operation}` };
    const answer = await fetch(this.endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
    return { status: answer.status, text: await answer.text() };
  }
}
