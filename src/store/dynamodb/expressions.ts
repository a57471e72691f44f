import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { toAttributeValue } from './attribute-values.js';

/** The expressions of a DeleteItem, as the request takes them. */
export interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** The expressions of an UpdateItem. */
export interface Update extends Condition {
  readonly UpdateExpression: string;
}

/**
 * Collects the names and values of one request. Every name becomes a placeholder: many of ours are reserved words
 * (`status`, `until`), and a placeholder is never wrong.
 */
export class Expressions {
  private readonly names = new Map<string, string>();
  private readonly values: AttributeValue[] = [];

  name(attribute: string): string {
    const placeholder = this.names.get(attribute) ?? `#n${this.names.size}`;
    this.names.set(attribute, placeholder);
    return placeholder;
  }

  value(value: unknown): string {
    return this.stored(toAttributeValue(value));
  }

  /** A value as DynamoDB has it. */
  stored(value: AttributeValue): string {
    this.values.push(value);
    return `:v${this.values.length - 1}`;
  }

  equal(attribute: string, value: unknown): string {
    return `${this.name(attribute)} = ${this.value(value)}`;
  }

  absent(attribute: string): string {
    return `attribute_not_exists(${this.name(attribute)})`;
  }

  exists(attribute: string): string {
    return `attribute_exists(${this.name(attribute)})`;
  }

  placeholders() {
    return {
      ExpressionAttributeNames: Object.fromEntries([...this.names].map(([name, key]) => [key, name])),
      ...(this.values.length === 0
        ? {}
        : {
            ExpressionAttributeValues: Object.fromEntries(this.values.map((value, i) => [`:v${i}`, value])),
          }),
    };
  }

  /** An update that sets the attributes that have a value, and removes the rest. Default: on no condition. */
  update(set: Readonly<Record<string, unknown>>, remove: readonly string[], condition?: string): Update {
    const assignments = Object.entries(set)
      .filter(([, value]) => value !== undefined)
      .map(([attribute, value]) => this.equal(attribute, value));
    const removals = remove.map((attribute) => this.name(attribute));
    const clauses = [
      ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
      ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
    ];
    return {
      UpdateExpression: clauses.join(' '),
      ...(condition === undefined ? {} : { ConditionExpression: condition }),
      ...this.placeholders(),
    };
  }
}

/** AND binds tighter than OR: only OR needs parentheses. Emulators take long over many of them. */
export function and(...clauses: readonly string[]): string {
  return clauses.join(' AND ');
}

export function or(...clauses: readonly string[]): string {
  return `(${clauses.join(' OR ')})`;
}
