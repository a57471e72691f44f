/** Groups values in a map, in the order in which their keys occur first: a key may be any text, `__proto__` also. */
export function groupBy<Value, Key>(
  values: readonly Value[],
  keyOf: (value: Value, i: number) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  values.forEach((value, i) => {
    const key = keyOf(value, i);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  });
  return groups;
}
