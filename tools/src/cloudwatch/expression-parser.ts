/** An expression of metric math, as it is written. */
export type Node =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'negative'; readonly operand: Node }
  | { readonly type: 'operation'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly type: 'call'; readonly name: string; readonly operands: readonly Node[] }
  | { readonly type: 'list'; readonly items: readonly Node[] };

/** A higher one binds more closely. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  OR: 1,
  AND: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '^': 6,
};

const SAME: Readonly<Record<string, string>> = { '||': 'OR', '&&': 'AND' };

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z_]\w*)|"([^"]*)"|'([^']*)'|(==|!=|<=|>=|&&|\|\||[-+*/^()[\],<>]))/y;

interface Token {
  readonly type: 'number' | 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
}

export function parse(text: string): Node {
  const parser = new Parser(text);
  const node = parser.expression(0);
  parser.expect('end');
  return node;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError(`"${text}": cannot read "${text.slice(start)}"`);
    const [, number, name, double, single, sign] = match;
    if (number !== undefined) tokens.push({ type: 'number', text: number });
    else if (name === 'AND' || name === 'OR') tokens.push({ type: 'sign', text: name });
    else if (name !== undefined) tokens.push({ type: 'name', text: name });
    else if (sign !== undefined) tokens.push({ type: 'sign', text: SAME[sign] ?? sign });
    else tokens.push({ type: 'text', text: double ?? single ?? '' });
  }
  return tokens;
}

/** Recursive descent, with precedence climbing for the operators. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  get #next(): Token {
    return this.#tokens[this.#position] ?? { type: 'end', text: '' };
  }

  /** Takes operators that bind more closely than `above`. */
  expression(above: number): Node {
    let left = this.#operand();
    for (;;) {
      const { type, text: operator } = this.#next;
      const precedence = type === 'sign' ? (PRECEDENCE[operator] ?? 0) : 0;
      if (precedence <= above) return left;
      this.#position++;
      left = { type: 'operation', operator, left, right: this.expression(precedence) };
    }
  }

  expect(type: Token['type'], text = ''): void {
    const next = this.#next;
    if (next.type !== type || next.text !== text) {
      throw new SyntaxError(
        `"${this.#text}": expected ${text || 'its end'}, got ${next.text || 'its end'} (part ${this.#position + 1})`,
      );
    }
    this.#position++;
  }

  #operand(): Node {
    const { type, text } = this.#next;
    this.#position++;
    if (type === 'number') return { type, value: Number(text) };
    if (type === 'text') return { type, value: text };
    if (type === 'name') return this.#takes('(') ? this.#call(text) : { type, name: text };
    if (type === 'sign' && text === '-') return { type: 'negative', operand: this.expression(5) };
    if (type === 'sign' && text === '[') return { type: 'list', items: this.#operandsUntil(']') };
    if (type === 'sign' && text === '(') {
      const inside = this.expression(0);
      this.expect('sign', ')');
      return inside;
    }
    throw new SyntaxError(`"${this.#text}": expected an operand, got ${text || 'its end'}`);
  }

  #call(name: string): Node {
    return { type: 'call', name, operands: this.#operandsUntil(')') };
  }

  #operandsUntil(close: string): Node[] {
    if (this.#takes(close)) return [];
    const operands = [this.expression(0)];
    while (this.#takes(',')) operands.push(this.expression(0));
    this.expect('sign', close);
    return operands;
  }

  #takes(sign: string): boolean {
    const takes = this.#next.type === 'sign' && this.#next.text === sign;
    if (takes) this.#position++;
    return takes;
  }
}
