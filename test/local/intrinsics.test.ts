// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
import { describe, expect, it } from 'vitest';
import { type References, resolve, resolveText } from '../../tools/src/local/template/intrinsics.js';

const references: References = {
  ref: (id) => (id === 'Table' ? 'my-table' : undefined),
  attribute: (id, name) => (id === 'Table' && name === 'Arn' ? 'arn:my-table' : undefined),
  imported: (name) => (name === 'Other:Table' ? 'other-table' : undefined),
};
const text = (value: unknown) => resolveText(value, references, 'Fn.Environment.X');

describe('a reference in a template', () => {
  it.each([
    [{ Ref: 'Table' }, 'my-table'],
    [{ Ref: 'AWS::Partition' }, 'aws'],
    [{ 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:my-table'],
    [{ 'Fn::GetAtt': 'Table.Arn' }, 'arn:my-table'],
    [{ 'Fn::ImportValue': 'Other:Table' }, 'other-table'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 3]] }, 'a-my-table-3'],
    [
      { 'Fn::Sub': 'x/${Table}/${Table.Arn}/${AWS::AccountId}/${!Table}' },
      'x/my-table/arn:my-table/000000000000/${Table}',
    ],
    [{ 'Fn::Sub': ['${Own}-${Table}', { Own: { Ref: 'Table' } }] }, 'my-table-my-table'],
    [7, '7'],
  ])('%j becomes %j', (value, expected) => {
    expect(text(value)).toBe(expected);
  });

  it('is found at any depth', () => {
    expect(resolve({ a: [{ b: { Ref: 'Table' } }], c: { Ref: 'AWS::NoValue' } }, references, 'X')).toEqual({
      a: [{ b: 'my-table' }],
    });
  });

  it.each([
    [{ 'Fn::ImportValue': 'other' }, /Fn\.Environment\.X: no stack of the app exports "other"/],
    [{ 'Fn::If': ['Yes', 'a', 'b'] }, /Fn\.Environment\.X: the local runtime cannot work out Fn::If/],
    [{ Ref: 'Nobody' }, /Fn\.Environment\.X: the template has no "Nobody"/],
    [{ 'Fn::GetAtt': ['Nobody', 'Arn'] }, /no "Nobody"/],
    [{ 'Fn::Sub': '${Nobody}' }, /no "Nobody"/],
    [{ a: 1 }, /expected a text/],
  ])('%j is refused with the place it stands at', (value, problem) => {
    expect(() => text(value)).toThrow(problem);
  });
});
