// The rules: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html

/** The rule of a composite alarm. Alarms in it are named by their logical ids. */
export type AlarmRule =
  | { readonly type: 'state'; readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'; readonly alarm: string }
  | { readonly type: 'constant'; readonly value: boolean }
  | { readonly type: 'not'; readonly rule: AlarmRule }
  | { readonly type: 'and' | 'or'; readonly left: AlarmRule; readonly right: AlarmRule };

/** `idOf` finds the alarm of a name or an ARN. */
export function parseRule(text: string, idOf: (name: string) => string): AlarmRule {
  return new Parser(text, idOf).whole();
}

export function isTrue(rule: AlarmRule, stateOf: (alarm: string) => string): boolean {
  switch (rule.type) {
    case 'state':
      return stateOf(rule.alarm) === rule.state;
    case 'constant':
      return rule.value;
    case 'not':
      return !isTrue(rule.rule, stateOf);
    case 'and':
      return isTrue(rule.left, stateOf) && isTrue(rule.right, stateOf);
    case 'or':
      return isTrue(rule.left, stateOf) || isTrue(rule.right, stateOf);
  }
}

export function alarmsIn(rule: AlarmRule): string[] {
  switch (rule.type) {
    case 'state':
      return [rule.alarm];
    case 'constant':
      return [];
    case 'not':
      return alarmsIn(rule.rule);
    default:
      return [...alarmsIn(rule.left), ...alarmsIn(rule.right)];
  }
}

/** Recursive descent: NOT binds more closely than AND, and AND than OR. */
class Parser {
  readonly #text: string;
  readonly #idOf: (name: string) => string;
  #position = 0;

  constructor(text: string, idOf: (name: string) => string) {
    this.#text = text;
    this.#idOf = idOf;
  }

  whole(): AlarmRule {
    const rule = this.#or();
    if (this.#text.slice(this.#position).trim() !== '') throw this.#invalid('its end');
    return rule;
  }

  #or(): AlarmRule {
    let left = this.#and();
    while (this.#takes(/OR\b/y)) left = { type: 'or', left, right: this.#and() };
    return left;
  }

  #and(): AlarmRule {
    let left = this.#operand();
    while (this.#takes(/AND\b/y)) left = { type: 'and', left, right: this.#operand() };
    return left;
  }

  #operand(): AlarmRule {
    if (this.#takes(/NOT\b/y)) return { type: 'not', rule: this.#operand() };
    if (this.#takes(/TRUE\b/y)) return { type: 'constant', value: true };
    if (this.#takes(/FALSE\b/y)) return { type: 'constant', value: false };
    if (this.#takes(/\(/y)) {
      const inside = this.#or();
      if (!this.#takes(/\)/y)) throw this.#invalid(')');
      return inside;
    }
    const call = this.#takes(/(ALARM|OK|INSUFFICIENT_DATA)(?=\s*\()/y);
    if (!call) throw this.#invalid('ALARM(…), OK(…), INSUFFICIENT_DATA(…), NOT, TRUE, FALSE or (');
    this.#takes(/\(/y);
    const name = this.#takes(/"([^"]*)"|'([^']*)'|([^"')]*)/y) ?? [];
    if (!this.#takes(/\)/y)) throw this.#invalid(')');
    const [, double, single, bare = ''] = name;
    return {
      type: 'state',
      state: call[1] as 'OK' | 'ALARM' | 'INSUFFICIENT_DATA',
      alarm: this.#idOf(double ?? single ?? bare.trimEnd()),
    };
  }

  #takes(pattern: RegExp): RegExpExecArray | undefined {
    const space = /\s*/y;
    space.lastIndex = this.#position;
    space.exec(this.#text);
    pattern.lastIndex = space.lastIndex;
    const match = pattern.exec(this.#text);
    if (!match) return undefined;
    this.#position = pattern.lastIndex;
    return match;
  }

  #invalid(expected: string): Error {
    return new SyntaxError(
      `rule ${this.#text}: expected ${expected}, got "${this.#text.slice(this.#position).trim()}"`,
    );
  }
}
